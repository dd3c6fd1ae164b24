"""Front matter: where it is in a note, and its keys as YAML nodes that know their places.

Scalars stay as they are written: `3.10`, `2026-01-02`, `yes` and `nan` are text, whatever YAML would make of them.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoutkit.model.found import Problem
from scoutkit.notefile.text import line_at, storable

if TYPE_CHECKING:
    import yaml

KEYS = (
    *("id", "type", "title", "description", "question", "paths", "checks", "tags", "status", "commit", "generated"),
    *("verified", "supersedes", "superseded_by", "recalled", "repositories", "citations"),
)
"""The keys of a note, in the order they are written."""

SCOUTED = ("paths", "checks")
"""Keys of a scout's note. In any other they are somebody else's."""

TEXTS = ("title", "description", "question")
"""Prose: ` #12` belongs to the value, though YAML would start a comment there."""

LIMIT = 524_288  # characters, about five thousand citations: bounds the time YAML takes

_OPEN = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSE = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_MARKER = re.compile(r"^(?:<{7}|>{7})[ \r\n]|^={7}\r?$", re.MULTILINE)
_KEY = re.compile(r"([^\W\d][\w.-]*+)[ \t]*+:(?=[ \t\r]|\Z)")
_OWN_KEY = re.compile(rf"(?:{'|'.join(key for key in KEYS if key not in SCOUTED)}):(?=[ \t\r]|\Z)")
_HASH_TEXT = re.compile(r"[ \t]+#\S")
_COMMENT = re.compile(r"[ \t]+#(?:\s|\Z)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Offsets are in the whole text. `fields` maps keys to (key node, value node), whose marks count from `start`.

    Without front matter everything is 0 and empty, but for `body`, which is past a byte order mark. With `problem`
    it is broken: nothing in it can be relied on, and the whole text is the body.
    """

    start: int = 0
    end: int = 0
    body: int = 0
    text: str = ""
    fields: Mapping[str, tuple[yaml.ScalarNode, yaml.Node]] = field(default_factory=dict)
    root: yaml.MappingNode | None = None
    problem: Problem | None = None
    doubtful: bool = False
    repeated: tuple[Problem, ...] = ()

    @property
    def present(self) -> bool:
        """Is there front matter that can be read and edited?"""
        return self.start > 0 and not self.problem

    def line(self, key: str) -> int:
        """The line of the file a key is on."""
        return self.line_of(self.fields[key][0]) if key in self.fields else 1

    def line_of(self, node: yaml.Node) -> int:
        """The line of the file a node begins on; the opening rule is line 1."""
        return 1 + line_at(self.text, node.start_mark.index)


def examine(text: str, path: str) -> FrontMatter:
    """Find and read the front matter of a note. Where prose follows a leading rule there is none."""
    none = FrontMatter(body=int(text.startswith("\ufeff")))
    opened = _OPEN.match(text)
    if not opened:
        if text.startswith("<<<<<<< ", none.body):
            return _broken(none, path, 1, "merge conflict markers", "resolve the conflict")
        return none
    start = opened.end()
    closed = _CLOSE.search(text, start)
    if not closed:
        top = text[start : start + LIMIT].replace("\r", "").split("\n\n", 1)[0]
        if not any(_OWN_KEY.match(line) for line in top.split("\n")):
            return none
        problem = "front matter without an end"
        return _broken(FrontMatter(start, body=none.body, text=top), path, 1, problem, "close it with a line ---")
    none = dataclasses.replace(none, doubtful=True)
    block = text[start : closed.start()]
    after = min(closed.end() + 1, len(text))
    if len(block) > LIMIT:
        if not _like_keys(block[:LIMIT]):
            return none
        long = FrontMatter(start, body=none.body, text=block[:LIMIT])
        return _broken(long, path, 1, f"front matter of more than {LIMIT} characters", "shorten it")
    found = FrontMatter(start, closed.start(), after, block)
    if marker := _MARKER.search(block):
        line = 1 + line_at(block, marker.start())
        return _broken(found, path, line, "merge conflict markers in the front matter", "resolve the conflict")
    return _read(found, none, path)


def _read(found: FrontMatter, none: FrontMatter, path: str) -> FrontMatter:
    """Compose the block's YAML and look at what it is."""
    import yaml

    mend = "mend the line, for instance by putting the value in single quotes"
    try:
        root = yaml.compose(storable(found.text), Loader=_loader())  # one for one: offsets stay
    except (yaml.YAMLError, RecursionError) as error:
        if not _like_keys(found.text):
            return none
        line, what = _explain(error, found.text)
        return _broken(found, path, 1 + line, f"front matter is not valid YAML: {what}", mend)
    if root is None:
        return found
    if isinstance(root, yaml.SequenceNode):
        return _broken(found, path, found.line_of(root), "front matter is a list, not keys", "write `key: value` lines")
    if not isinstance(root, yaml.MappingNode):
        return none
    fields: dict[str, tuple[yaml.ScalarNode, yaml.Node]] = {}
    repeated: list[Problem] = []
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            return _broken(found, path, found.line_of(key), "front matter has a key that is not text", mend)
        if key.value in fields:
            repeated.append(Problem(path, found.line_of(key), f"the key `{key.value}` is there twice", "keep one"))
        fields[key.value] = (key, value)
    if not any(_like_key(f"{key}:") for key in fields):
        return none  # prose: "Warning: …"
    return dataclasses.replace(found, fields=fields, root=root, repeated=tuple(repeated))


def _broken(found: FrontMatter, path: str, line: int, problem: str, hint: str) -> FrontMatter:
    hint = f"{hint}; until then the whole file is read as plain text"
    return dataclasses.replace(found, problem=Problem(path, line, problem, hint))


def _like_keys(block: str) -> bool:
    """Does it begin as front matter does, with a key of one word or a list?"""
    for line in block.split("\n"):
        if line.strip() and not line.startswith("#"):
            return _like_key(line) or line.startswith(("- ", "{", "["))
    return False


def _like_key(line: str) -> bool:
    """A word and a colon; with a capital letter it is the beginning of a sentence."""
    found = _KEY.match(line)
    return bool(found and not found[1][0].isupper())


def _explain(error: Exception, block: str) -> tuple[int, str]:
    """The line of the block at fault, and what is wrong there, from a YAML error."""
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or "nested too deeply"
    if "end of stream" in what or "could not find expected" in what:
        mark = getattr(error, "context_mark", None) or mark
    if mark:
        return line_at(block, min(mark.index, max(len(block) - 1, 0))), what
    position = getattr(error, "position", 0)  # in bytes
    if hasattr(error, "character"):
        what = "a control character"
    return block.encode("utf-8", "replace").count(b"\n", 0, position) + 1, what


@functools.cache
def _loader() -> Any:
    """PyYAML's C loader without type resolution: every scalar is text as written."""
    import yaml

    return type(
        "AsWritten",
        (getattr(yaml, "CSafeLoader", yaml.SafeLoader),),
        {
            "resolve": lambda self, kind, value, implicit: "tag:yaml.org,2002:str",  # noqa: ARG005 - PyYAML's signature
            "descend_resolver": lambda self, parent, index: None,  # noqa: ARG005
            "ascend_resolver": lambda self: None,  # noqa: ARG005
        },
    )


def scalar(key: str, node: yaml.ScalarNode, block: str) -> tuple[str, int]:
    """A top-level scalar as text, and where in the block it ends."""
    text, end = str(node.value), int(node.end_mark.index)
    if key in TEXTS and not node.style:
        line_end = block.find("\n", end)
        rest = block[end : line_end if line_end >= 0 else len(block)].rstrip()
        if _HASH_TEXT.match(rest):
            comment = _COMMENT.search(rest)
            rest = rest[: comment.start()].rstrip() if comment else rest
            return (text + rest).strip(), end + len(rest)
    start = int(node.start_mark.index)
    return text, start + len(block[start:end].rstrip())  # a block scalar's mark is past its line


def salvage(front: FrontMatter) -> dict[str, str]:
    """What broken front matter plainly says on single lines, so that a note keeps its id, title and status."""
    found: dict[str, str] = {}
    for line in front.text.split("\n"):
        key, colon, value = line.partition(":")
        if colon and key in ("id", "type", "status", *TEXTS) and value[:1] in (" ", "\t"):
            value = (value if key in TEXTS else value.split(" #")[0]).strip()
            if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
                value = value[1:-1]
            if value and value not in ("|", ">", "|-", ">-"):
                found.setdefault(key, value)
    return found
