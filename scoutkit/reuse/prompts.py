"""Prompts: templates filled in, those of missions and those that a person pastes elsewhere."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit.errors import ScoutError, UsageError
from scoutkit.model.agents import END_OF_REPORT
from scoutkit.reuse import plain
from scoutkit.reuse.fences import fenced
from scoutkit.reuse.templates import FILLED, MISSIONS, SHIPPED, described, environment, locate, names, read

if TYPE_CHECKING:
    from jinja2 import TemplateError

    from scoutkit.model.notes import Note

LONGEST_NOTE = 40_000  # characters of an earlier note that an agent is given
_UNDEFINED = re.compile(r"'(\w+)' is undefined")


def render(name: str, variables: Mapping[str, object], *, overrides: Path | None = None) -> str:
    """A template filled in. `overrides` is the folder with the repository's own templates.

    Raises UsageError naming template and variable for one that is missing, file and line for what cannot be parsed
    or rendered.
    """
    path = locate(f"{name}.md", overrides) if re.fullmatch(r"[\w-]+", name) else None
    if not path:
        raise UsageError(f"no prompt template: {name}", f"there are: {', '.join(names(overrides))}")
    said = plain.rendered(read(path), {"end_of_report": END_OF_REPORT, **variables})
    if said and said.strip():
        return said
    import jinja2

    try:
        text = environment(overrides).get_template(f"{name}.md").render(variables)
    except jinja2.UndefinedError as error:
        raise _missing(error, variables, name, overrides) from error
    except jinja2.TemplateSyntaxError as error:
        where = f"{error.filename or error.name or name}:{error.lineno}"
        raise UsageError(f"{where}: template syntax: {error.message}", "mend the template") from error
    except jinja2.TemplateNotFound as error:
        where = _where(error, name, overrides)
        raise UsageError(
            f"{where}: no template to include: {error.name}",
            f"there are: {', '.join(names(overrides))}, {SHIPPED}NAME.md",
        ) from error
    except ScoutError:
        raise
    except RecursionError as error:
        raise UsageError(
            f"{_where(error, name, overrides)}: the template includes itself", "mend the template"
        ) from error
    except Exception as error:  # a template's own arithmetic, missing include
        what = str(error) if isinstance(error, jinja2.TemplateError) else f"{type(error).__name__}: {error}"
        raise UsageError(f"{_where(error, name, overrides)}: {what}", "mend the template") from error
    if not text.strip():
        raise UsageError(f"{locate(f'{name}.md', overrides)}: the template renders to nothing", "mend or delete it")
    return text


def fill(name: str, given: Mapping[str, str], filled: Mapping[str, str], *, overrides: Path | None = None) -> str:
    """A prompt that a person pastes elsewhere. `given` is what they say, `filled` what scoutkit does.

    UsageError that names every variable that is missing, and every one that the template does not have.
    """
    if name in MISSIONS:
        raise UsageError(f"{name} is the prompt of a mission: scoutkit sends it itself", f"scoutkit {name} --help")
    if name not in (there := [one for one in names(overrides) if one not in MISSIONS]):
        near = difflib.get_close_matches(name, there, 1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"no prompt template: {name}{meant}", f"there are: {', '.join(there)}")
    template = described(name, overrides)
    known = [one.name for one in template.variables]
    missing = [one for one in template.variables if one.needed and not given.get(one.name, "").strip()]
    wrong = [f"takes no {one}" if one not in FILLED else f"fills in {one} itself" for one in given if one not in known]
    if missing or wrong:
        needs = [f"needs {', '.join(one.name for one in missing)}"] if missing else []
        unknown = [one for one in given if one not in known and one not in FILLED]
        guesses = {close[0] for one in unknown if (close := difflib.get_close_matches(one, known, 1))}
        ways = (f"--{one.name} REV" if one.name == "diff" else f"--var {one.name}=…" for one in missing)
        hint = " ".join(ways) or f"it takes: {', '.join(known) or 'none'}"
        also = f"; did you mean {', '.join(sorted(guesses))}?" if guesses else ""
        raise UsageError(f"the template {name} {'; '.join([*needs, *wrong])}", f"{hint}{also}")
    values = {**dict.fromkeys(known, ""), **{key: value.strip("\n") for key, value in given.items()}, **filled}
    return render(name, values, overrides=overrides)


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


def _missing(error: TemplateError, variables: Mapping[str, object], name: str, overrides: Path | None) -> UsageError:
    where, message = _where(error, name, overrides), str(error.message)
    if match := _UNDEFINED.search(message):
        given = ", ".join(sorted(variables)) or "none"
        return UsageError(f"{where}: the template needs a variable: {match[1]}", f"given: {given}")
    return UsageError(f"{where}: {message}", "mend the template")


def _where(error: BaseException, name: str, overrides: Path | None) -> str:
    """File and line of the innermost template in the error's traceback."""
    where, frame = f"{locate(f'{name}.md', overrides)}", error.__traceback__
    while frame:
        file = frame.tb_frame.f_code.co_filename
        if file.endswith(".md"):
            where = f"{file}:{frame.tb_lineno}"
        frame = frame.tb_next
    return where
