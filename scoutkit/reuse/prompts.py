"""Prompts: templates that people edit, filled in. Only this module reads `templates/prompts/`.

A repository may override one with a file of the same name in `.claude/scoutkit/prompts/`; there the one that ships is
`{% include "shipped/ask.md" %}`. A repository's template is somebody else's text, so it is rendered in Jinja2's
sandbox and reads no other file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit import config
from scoutkit.errors import ScoutError, UsageError
from scoutkit.model.agents import END_OF_REPORT
from scoutkit.reuse.fences import fenced as fenced

if TYPE_CHECKING:
    from jinja2 import TemplateError

    from scoutkit.model.notes import Note

LONGEST_NOTE = 40_000  # characters of an earlier note that an agent is given
_SHIPPED = "shipped/"
_UNDEFINED = re.compile(r"'(\w+)' is undefined")


def names(overrides: Path | None = None) -> list[str]:
    """Every template there is."""
    folders = [shipped(), *([overrides] if overrides else [])]
    return sorted({path.stem for folder in folders for path in folder.glob("*.md")})


def render(name: str, variables: Mapping[str, object], *, overrides: Path | None = None) -> str:
    """A template filled in. `overrides` is the folder with the repository's own templates.

    Raises UsageError naming template and variable for one that is missing, file and line for what cannot be parsed
    or rendered.
    """
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    if not re.fullmatch(r"[\w-]+", name) or not _locate(f"{name}.md", overrides):
        raise UsageError(f"no prompt template: {name}", f"there are: {', '.join(names(overrides))}")
    environment = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # the result is Markdown for an agent, not HTML
        loader=jinja2.FunctionLoader(_loader(overrides)),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["end_of_report"] = END_OF_REPORT
    try:
        text = environment.get_template(f"{name}.md").render(variables)
    except jinja2.UndefinedError as error:
        raise _missing(error, variables, name, overrides) from error
    except jinja2.TemplateSyntaxError as error:
        where = f"{error.filename or error.name or name}:{error.lineno}"
        raise UsageError(f"{where}: template syntax: {error.message}", "mend the template") from error
    except jinja2.TemplateNotFound as error:
        where = _where(error, name, overrides)
        raise UsageError(
            f"{where}: no template to include: {error.name}",
            f"there are: {', '.join(names(overrides))}, {_SHIPPED}NAME.md",
        ) from error
    except ScoutError:
        raise
    except Exception as error:  # a template's own arithmetic, recursion, missing include
        what = str(error) if isinstance(error, jinja2.TemplateError) else f"{type(error).__name__}: {error}"
        raise UsageError(f"{_where(error, name, overrides)}: {what}", "mend the template") from error
    if not text.strip():
        raise UsageError(f"{_locate(f'{name}.md', overrides)}: the template renders to nothing", "mend or delete it")
    return text


def about(note: Note, changes: str) -> dict[str, str]:
    """What the `refresh` template is told of an earlier note. Its text and the changes are fenced: they are data.

    Both are cut to what a prompt has room for, and say so.
    """
    return {
        "note": fenced(_cut(note.body, LONGEST_NOTE), "markdown"),
        "note_id": note.id,
        "note_by": note.by or "unknown",
        "note_at": note.at or "unknown",
        "note_commit": note.commit or "unknown",
        "changes": fenced(changes, "text"),
    }


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    kept = text[:most]
    kept = kept[: kept.rfind("\n", most // 2) + 1 or most]
    return f"{kept}\n[cut here: {len(text) - len(kept):,} more characters]"


def shipped() -> Path:
    """The folder of the templates that ship."""
    return config.resources("templates") / "prompts"


def _locate(name: str, overrides: Path | None) -> Path | None:
    """The file a template's name stands for. UsageError for a link that leads out of its folder."""
    plain = name.removeprefix(_SHIPPED)
    if not re.fullmatch(r"[\w-]+\.md", plain):
        return None
    own = [overrides] if overrides and plain == name else []
    for folder in (*own, shipped()):
        path = folder / plain
        if path.is_file():
            if folder == overrides and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
                raise UsageError(f"{path} is a link that leads out of its folder", "put the template's text there")
            return path
    return None


def _loader(overrides: Path | None) -> Callable[[str], tuple[str, str, Callable[[], bool]] | None]:
    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        path = _locate(name, overrides)
        if path is None:
            return None
        try:
            return path.read_text("utf-8-sig"), str(path), lambda: True
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} is not UTF-8", "save it as UTF-8") from error
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}", "check its permissions") from error

    return load


def _missing(error: TemplateError, variables: Mapping[str, object], name: str, overrides: Path | None) -> UsageError:
    where, message = _where(error, name, overrides), str(error.message)
    if match := _UNDEFINED.search(message):
        given = ", ".join(sorted(variables)) or "none"
        return UsageError(f"{where}: the template needs a variable: {match[1]}", f"given: {given}")
    return UsageError(f"{where}: {message}", "mend the template")


def _where(error: BaseException, name: str, overrides: Path | None) -> str:
    """File and line of the innermost template in the error's traceback."""
    where, frame = f"{_locate(f'{name}.md', overrides)}", error.__traceback__
    while frame:
        file = frame.tb_frame.f_code.co_filename
        if file.endswith(".md"):
            where = f"{file}:{frame.tb_lineno}"
        frame = frame.tb_next
    return where
