"""What Datasette's own pages lack, put into their templates as they are read: a language, names for what is filled in,
and the way back to our pages. Colours are in `templates/datasette/static/tables.css`.

Where Datasette words a template otherwise, it stays as Datasette has it.
"""

from __future__ import annotations

import re

from jinja2.ext import Extension

from scoutkit.browse.markdown import visible

STYLES = ("colours.css", "tables.css")
_NAMES = {
    "_filter_column": "Column to filter by",
    "_filter_op": "How it is compared",
    "_filter_value": "Value to compare with",
    "_sort": "Sort by",
    "sql": "SQL",
}
_FIELD = re.compile(r'<(?:select|textarea|input type="text")(?= (?:id="sql-editor" )?name="(\w+?)(?:_\{\{[^}]*\}\})?")')
_COLUMNS = re.compile(r'<dl class="column-descriptions">.*?</dl>', re.DOTALL)
_WAY_BACK = "".join(
    f'<a href="{{{{ urls.path("{path}") }}}}">{name}</a> '
    for path, name in (("/", "Notes"), ("/find", "Search"), ("/runs", "Runs"), ("/scoutkit", "Tables"))
)
_INSTEAD = {
    "<html>": '<html lang="en">',
    "<nav>{% block nav %}": (
        f'<nav>{{% if scoutkit_pages %}}<p class="pages">{_WAY_BACK}</p>{{% endif %}}{{% block nav %}}'
    ),
    'class="cross">': 'class="cross" aria-label="Remove">',
    "lineWrapping: true,": 'lineWrapping: true, screenReaderLabel: "SQL",',  # of the editor in Datasette 0.65
    "var editor = (window.editor = cm.editorFromTextArea(sqlInput, {": (
        'setTimeout(() => document.querySelector(".cm-content").setAttribute("aria-label", "SQL"));\n'
        "      var editor = (window.editor = cm.editorFromTextArea(sqlInput, {"
    ),  # and in 1.0
}
_LONGEST = 200  # characters of a note's text that a table shows


class Mended(Extension):
    """Changes Datasette's templates, before Jinja reads them."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 - Jinja's
        """The text of a template that is ours stays as it is."""
        return source if (name or "").startswith("scoutkit_") else mended(source)


def mended(source: str) -> str:
    """A template of Datasette's that everybody can use."""
    for theirs, ours in _INSTEAD.items():
        source = source.replace(theirs, ours)
    source = _COLUMNS.sub(r"<details><summary>What the columns say</summary>\g<0></details>", source)
    return _FIELD.sub(
        lambda field: f'{field[0]} aria-label="{_NAMES[field[1]]}"' if field[1] in _NAMES else field[0], source
    )


def shortened(text: str) -> str:
    """The beginning of a note's text, for a cell of a table; all of it is on the note's page, in JSON and in CSV."""
    begins = visible(" ".join(text[: 2 * _LONGEST].split()))
    return begins if len(text) <= _LONGEST else f"{begins[:_LONGEST]}…"
