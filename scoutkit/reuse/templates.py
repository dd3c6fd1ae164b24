"""Prompt templates: which there are, where they are, what they need. Only this module reads `templates/prompts/`.

A template of the same name in the repository's `.claude/scoutkit/prompts/` takes the place of one that ships, else one
in the user's `prompts/` beside their settings; there the one that ships is `{% include "shipped/ask.md" %}`. A
repository's template is somebody else's text, so all are rendered in Jinja2's sandbox and read no other file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit import config
from scoutkit.errors import UsageError
from scoutkit.model.agents import END_OF_REPORT
from scoutkit.reuse.fences import fenced

if TYPE_CHECKING:
    from jinja2 import Environment

MISSIONS = frozenset({"ask", "scout", "research", "refresh"})
"""Templates of missions: scoutkit fills them in and sends them itself. All others are for `scoutkit prompt`."""
FILLED = ("repository", "commit", "notes", "end_of_report")
"""What scoutkit itself says in a prompt that is not a mission's."""
SHIPPED = "shipped/"
_HEAD = re.compile(r"\s*\{#-?(.*?)-?#\}", re.DOTALL)
_VARIABLE = re.compile(r"[ \t]*([a-z_]\w*)(\?)?:[ \t]+(.*)")


@dataclass(frozen=True, slots=True)
class Variable:
    """What a person gives a template. One that is not needed is empty where it is not given."""

    name: str
    says: str = ""
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Template:
    """A template. `origin`: `shipped`, `repository` or `user`. `says` is its own first line about itself."""

    name: str
    path: Path
    origin: str
    says: str
    variables: tuple[Variable, ...]


def folders(overrides: Path | None) -> list[tuple[str, Path]]:
    """Where templates are, the first that has one wins; `overrides` is the repository's own folder."""
    own = [("repository", overrides)] if overrides else []
    return [*own, ("user", config.user_config() / "prompts"), ("shipped", shipped())]


def shipped() -> Path:
    """The folder of the templates that ship."""
    return config.resources("templates") / "prompts"


def names(overrides: Path | None = None) -> list[str]:
    """Every template there is."""
    found = {path.stem for _, folder in folders(overrides) for path in folder.glob("*.md") if path.is_file()}
    return sorted(name for name in found if re.fullmatch(r"[\w-]+", name))


def locate(name: str, overrides: Path | None) -> Path | None:
    """The file that `ask.md` or `shipped/ask.md` stands for. UsageError for a link that leads out of its folder."""
    found = _locate(name, overrides)
    return found and found[1]


def _locate(name: str, overrides: Path | None) -> tuple[str, Path] | None:
    plain = name.removeprefix(SHIPPED)
    if not re.fullmatch(r"[\w-]+\.md", plain):
        return None
    for origin, folder in folders(overrides) if plain == name else [("shipped", shipped())]:
        path = folder / plain
        if path.is_file():
            inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
            if origin == "repository" and not inside:
                raise UsageError(f"{path} is a link that leads out of its folder", "put the template's text there")
            return origin, path
    return None


def read(path: Path) -> str:
    """A template's text; UsageError for what is not text."""
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8", "save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "check its permissions") from error


def environment(overrides: Path | None) -> Environment:
    """What templates are rendered in. `text|fenced("diff")` is a block that nothing in the text can close."""
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    made = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # the result is Markdown for an agent, not HTML
        loader=jinja2.FunctionLoader(_loader(overrides)),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["end_of_report"] = END_OF_REPORT
    made.filters["fenced"] = fenced
    return made


def _loader(overrides: Path | None) -> Callable[[str], tuple[str, str, Callable[[], bool]] | None]:
    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        path = locate(name, overrides)
        return None if path is None else (read(path), str(path), lambda: True)

    return load


def described(name: str, overrides: Path | None = None) -> Template:
    """What a template says of itself, and which variables it takes: those that its first comment names (`goal: what
    is to be true`, `steps?: …` for one that is not needed), and those that it uses without naming them.

    UsageError for one that is not there or cannot be parsed.
    """
    found = _locate(f"{name}.md", overrides) if re.fullmatch(r"[\w-]+", name) else None
    if found is None:
        raise UsageError(f"no prompt template: {name}", f"there are: {', '.join(names(overrides))}")
    origin, path = found
    named: dict[str, Variable] = {}
    used: set[str] = set()
    for text, own in _with_included(f"{name}.md", overrides):
        used |= own
        named = {**{one.name: one for one in _named(text)}, **named}
    variables = [*named.values(), *(Variable(one) for one in sorted(used - {*named, *FILLED}))]
    return Template(name, path, origin, _says(read(path)), tuple(one for one in variables if one.name not in FILLED))


def _with_included(name: str, overrides: Path | None) -> Iterator[tuple[str, set[str]]]:
    """A template's text and the variables it uses, then the same of those that it includes."""
    import jinja2
    from jinja2 import meta

    made, waiting, seen = environment(overrides), [name], set()
    while waiting:
        path = locate(one := waiting.pop(0), overrides)
        if one in seen or path is None:  # what is not there is said when it is rendered
            continue
        seen.add(one)
        text = read(path)
        try:
            tree = made.parse(text)
            used = meta.find_undeclared_variables(tree)  # compiles it: filters and tests that do not exist
        except jinja2.TemplateSyntaxError as error:
            raise UsageError(f"{path}:{error.lineno}: template syntax: {error.message}", "mend the template") from error
        except RecursionError as error:
            raise UsageError(f"{path}: template syntax: nested too deeply", "mend the template") from error
        yield text, used - set(made.globals)
        waiting += [other for other in meta.find_referenced_templates(tree) if other]


def _named(text: str) -> Iterator[Variable]:
    head = _HEAD.match(text)
    for line in head[1].splitlines() if head else ():
        if found := _VARIABLE.fullmatch(line.rstrip()):
            yield Variable(found[1], found[3], not found[2])


def _says(text: str) -> str:
    """The words of the first comment before its variables, as one line."""
    head = _HEAD.match(text)
    said: list[str] = []
    for line in head[1].splitlines() if head else ():
        if _VARIABLE.fullmatch(line.rstrip()):
            break
        said.append(line)
    return " ".join(" ".join(said).split())
