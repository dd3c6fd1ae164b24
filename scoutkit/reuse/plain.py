"""Templates that only name variables and leave lines out, filled in without Jinja2, which takes long to import.

Says what Jinja2 says, or nothing: then it is for Jinja2 to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_HEAD = re.compile(r"\A\s*\{#-(?:(?!#\}).)*-#\}\s*", re.DOTALL)
_TAG = re.compile(r"^[ \t]*\{% ([^\n]*?) %\}\n", re.MULTILINE)
_IF = re.compile(r"if (?:([a-z_]+) is defined and )?([a-z_]+)")
_VARIABLE = re.compile(r"\{\{ ([a-z_]+) \}\}")
_ITS_OWN = frozenset(
    {"range", "dict", "lipsum", "cycler", "joiner", "namespace", "self", "loop", "true", "false", "none"}
)
_FILLED = "\0"


def rendered(text: str, variables: Mapping[str, object]) -> str | None:
    """The template filled in; None where that takes Jinja2, be it to say what is wrong."""
    if "\r" in text or _FILLED in text or _ITS_OWN & variables.keys():
        return None
    said: list[str] = []
    kept, inside = True, False
    for number, part in enumerate(_TAG.split(_HEAD.sub("", text))):
        if number % 2 == 0:
            filled = _filled(part, variables, kept)
            if filled is None:
                return None
            said.append(filled)
        elif part == "endif" and inside:
            kept, inside = True, False
        else:
            asked = _IF.fullmatch(part)
            if inside or not asked or asked[1] not in (None, asked[2]) or asked[2] in _ITS_OWN:
                return None
            if not asked[1] and asked[2] not in variables:
                return None
            kept, inside = bool(variables.get(asked[2])), True
    return None if inside else "".join(said)


def _filled(text: str, variables: Mapping[str, object], kept: bool) -> str | None:
    """A part between tags, "" where it is left out."""
    rest = _VARIABLE.sub(_FILLED, text)
    if any(sign in rest for sign in ("{{", "{%", "{#", "{" + _FILLED)):
        return None
    values = {name: variables.get(name) for name in _VARIABLE.findall(text)} if kept else {}
    if not all(isinstance(value, str) for value in values.values()):
        return None
    return _VARIABLE.sub(lambda found: str(values[found[1]]), text) if kept else ""
