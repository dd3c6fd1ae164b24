"""Text edits inside one block of YAML: a value, an entry of a list or mapping, and nothing beside it."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from scoutkit.notefile.frontmatter import KEYS, FrontMatter, scalar
from scoutkit.notefile.writing import PLACES, Value, entry, flow

if TYPE_CHECKING:
    import yaml

ROW_KEYS = ("at", "verdict", "symbol", "was", "base", "by")
"""Keys that belong to us inside `generated`, `verified` and `citations`: left out of a change, they go."""


class Editor:
    """Collects edits of one block of front matter as (start, end, new text)."""

    def __init__(self, front: FrontMatter, line_end: str) -> None:
        self._front = front
        self._text = front.text
        self._line_end = line_end
        self._edits: list[tuple[int, int, str]] = []

    def edited(self, changes: Mapping[str, Value | None]) -> str:
        """The block with the changes made."""
        if self._front.root is None:
            added = "".join(entry(key, value, self._line_end) for key, value in changes.items() if value is not None)
            return self._text + added
        self._mapping(self._front.root, changes, top=True)
        text = self._text
        ordered = sorted(self._edits, key=lambda edit: edit[:2])
        while ordered:  # from the last, so that offsets stay right
            start, end, new = ordered.pop()
            text = text[:start] + new + text[end:]
        return text

    def _mapping(self, node: yaml.MappingNode, changes: Mapping[str, Value | None], *, top: bool = False) -> None:
        names = [str(name.value) for name, _ in node.value]
        spans = [(int(name.start_mark.index), end_of(self._text, value, name)) for name, value in node.value]
        dropped: set[int] = set()
        added: dict[int, list[str]] = {}
        for key, value in changes.items():
            if key in names:
                at = names.index(key)
                if value is None:
                    dropped.add(at)
                else:
                    name, child = node.value[at]
                    self._set(name, child, value, key if top else "")
            elif value is not None:
                whole = top and not node.flow_style
                text = entry(key, value, self._line_end) if whole else f"{flow(key)}: {flow(value, key)}"
                added.setdefault(_position(key, names) if top else len(names), []).append(text.rstrip())
        self._rearrange(node, spans, dropped, added)

    def _sequence(self, node: yaml.SequenceNode, value: Sequence[Value]) -> None:
        spans = []
        last = node.start_mark.index
        for item in node.value:
            dash = self._text.rfind("-", last, item.start_mark.index + 1)
            start = item.start_mark.index if node.flow_style else dash
            spans.append((start, last := end_of(self._text, item)))
        old = [_identity(plain(item)) for item in node.value]
        dropped: set[int] = set()
        added: dict[int, list[str]] = {}
        matcher = difflib.SequenceMatcher(None, old, [_identity(item) for item in value], autojunk=False)
        for what, i1, i2, j1, j2 in matcher.get_opcodes():
            if i2 - i1 == j2 - j1:
                for child, item in zip(node.value[i1:i2], value[j1:j2], strict=True):
                    self._set(None, child, item)
                continue
            dropped.update(range(i1, i2))
            if what != "delete":
                added[i1] = [("" if node.flow_style else "- ") + flow(item) for item in value[j1:j2]]
        self._rearrange(node, spans, dropped, added)

    def _set(self, name: yaml.Node | None, node: yaml.Node, value: Value, key: str = "") -> None:
        """Make a node say `value`; `key` is given for keys of the note itself."""
        import yaml

        if isinstance(node, yaml.MappingNode) and isinstance(value, Mapping) and node.value and value:
            left_out = [str(one.value) for one, _ in node.value if one.value in ROW_KEYS and one.value not in value]
            self._mapping(node, {**value, **dict.fromkeys(left_out)})
        elif isinstance(node, yaml.SequenceNode) and isinstance(value, list) and node.value and value:
            self._sequence(node, value)
        elif (scalar(key, node, self._text)[0] if isinstance(node, yaml.ScalarNode) else plain(node)) != value:
            self._replace(name, node, value, key)

    def _replace(self, name: yaml.Node | None, node: yaml.Node, value: Value, key: str) -> None:
        import yaml

        start, end = int(node.start_mark.index), end_of(self._text, node)
        if isinstance(node, yaml.ScalarNode):
            end = scalar(key, node, self._text)[1]
        text = flow(value, key or (str(name.value) if name is not None and name.value in PLACES else ""))
        block = isinstance(node, yaml.CollectionNode) and not node.flow_style
        rows = entry(key, value, self._line_end).rstrip() if key else ""
        if name is not None and (block or "\n" in rows or start == node.end_mark.index):
            start = self._text.index(":", name.end_mark.index) + 1
            text = rows[rows.index(":") + 1 :] if "\n" in rows else f" {text}"
        self._edits.append((start, end, text))

    def _rearrange(
        self,
        node: yaml.CollectionNode,
        spans: Sequence[tuple[int, int]],
        dropped: Collection[int],
        added: Mapping[int, Sequence[str]],
    ) -> None:
        """Take entries out of a collection and put new ones in, `added[n]` after entry n - 1."""
        if node.flow_style:
            self._rearrange_flow(node, spans, dropped, added)
            return
        for at in dropped:
            start, end = spans[at]
            self._edits.append((self._line_start(start), self._line_after(end), ""))
        first = spans[0][0] - self._line_start(spans[0][0])
        for position, texts in added.items():
            at = self._line_after(spans[position - 1][1]) if position else self._line_start(spans[0][0])
            lines = "".join(f"{text}{self._line_end}" for text in texts).splitlines(keepends=True)
            self._edits.append((at, at, "".join(f"{' ' * first}{line}" for line in lines)))

    def _rearrange_flow(
        self,
        node: yaml.CollectionNode,
        spans: Sequence[tuple[int, int]],
        dropped: Collection[int],
        added: Mapping[int, Sequence[str]],
    ) -> None:
        kept = [at for at in range(len(spans)) if at not in dropped]
        if not kept:  # nothing of it stays: a new inside
            inner = int(node.end_mark.index) - 1
            texts = ", ".join(text for position in sorted(added) for text in added[position])
            self._edits.append((spans[0][0] if spans else inner, inner, texts))
            return
        for at in dropped:
            if at < kept[-1]:  # up to the next entry
                self._edits.append((spans[at][0], spans[at + 1][0], ""))
            else:  # with the comma before it
                self._edits.append((spans[at - 1][1], spans[at][1], ""))
        for position, new in added.items():
            at = spans[position - 1][1] if position else spans[0][0]
            text = ", ".join(new)
            self._edits.append((at, at, f", {text}" if position else f"{text}, "))

    def _line_start(self, at: int) -> int:
        return self._text.rfind("\n", 0, at) + 1

    def _line_after(self, at: int) -> int:
        return self._text.find("\n", at) + 1 or len(self._text)


def _position(key: str, names: Sequence[str]) -> int:
    """Where a new key goes: after the nearest of the keys that are written before it, else at the end."""
    before = KEYS[: KEYS.index(key)] if key in KEYS else ()
    return next((names.index(one) + 1 for one in reversed(before) if one in names), len(names))


def _identity(value: Value | None) -> str:
    """Equal for entries of a list that speak of the same thing."""
    if isinstance(value, Mapping) and "at" in value:
        return repr(value.get("base") or value["at"])  # a citation that has moved is the one that stood there
    return repr(value)


def plain(node: yaml.Node, begin: int = 0) -> Value | None:
    """A node as text, lists and mappings; None where it holds an alias, or is nested beyond what a note needs.

    An alias is a node met twice, or one that stands before `begin`.
    """
    return _data(node, begin, set(), 0)


def _data(node: yaml.Node, begin: int, seen: set[int], depth: int) -> Value | None:
    import yaml

    if id(node) in seen or node.start_mark.index < begin or depth > 4:
        return None
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        items = [_data(item, begin, seen, depth + 1) for item in node.value]
        known = [item for item in items if item is not None]
        return known if len(known) == len(items) else None
    pairs = {}
    for name, item in node.value:
        value = _data(item, begin, seen, depth + 1)
        if not isinstance(name, yaml.ScalarNode) or value is None:
            return None
        pairs[str(name.value)] = value
    return pairs


def end_of(text: str, node: yaml.Node, name: yaml.Node | None = None) -> int:
    """Where a value ends, or the entry `name: value`. (YAML's own marks run on to what follows a block.)"""
    import yaml

    last = node
    while isinstance(last, yaml.CollectionNode) and not last.flow_style and last.value:
        child = last.value[-1][1] if isinstance(last, yaml.MappingNode) else last.value[-1]
        if child is last or child.start_mark.index < last.start_mark.index:  # an alias: it stands elsewhere
            break
        last = child
    start, end = last.start_mark.index, last.end_mark.index
    end = start + len(text[start:end].rstrip())
    return max(end, name.end_mark.index) if name else end
