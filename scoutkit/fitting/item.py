"""An item of a list in a YAML file, as a block behind the others. What the file says then is read back first."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scoutkit.errors import Refused
from scoutkit.fitting.block import HASH, Block
from scoutkit.fitting.fitted import Fitted, decoded


@dataclass(frozen=True, slots=True)
class Item:
    """`lines` is an item of the list under the key `under`; `mark` is a text that is in the file where it is there."""

    name: str
    under: str
    lines: str
    mark: str

    def fit(self, raw: bytes | None) -> Fitted:
        raw = raw or b""
        block = Block(self.name, self.lines, HASH, apart=False)
        _, text = decoded(raw, self.name)
        if block.find(text):
            return block.put(raw, self._as_it_stands(block, text))
        before = self._read(text)
        if self.mark in text:
            return Fitted(raw, "there", "not by scoutkit init: left as it is")
        if before is not None and not isinstance(before, dict):
            raise Refused(f"{self.name} holds no mapping", "mend it, and run this again")
        lines, at, indent = self._place(text, before or {})
        fitted = block.put(raw, lines, at, indent)
        expected = copy.deepcopy(before or {})
        expected[self.under] = [*(expected.get(self.under) or []), *self._read(self.lines)]
        if repr(self._read(decoded(fitted.raw or b"", self.name)[1])) != repr(expected):
            raise Refused(f"{self.name} has no place for one more of {self.under}", self._hint())
        return fitted

    def unfit(self, raw: bytes) -> Fitted:
        return Block(self.name, self.lines, HASH, apart=False).unfit(raw)

    def _place(self, text: str, data: dict[str, Any]) -> tuple[str, int | None, str]:
        """What to write, at the beginning of which line (None: at the end), and how far in."""
        if self.under not in data:
            return f"{self.under}:\n{self.lines}", None, ""
        import yaml

        root = self._parsed(lambda: yaml.compose(text, yaml.SafeLoader))
        key, node = next(pair for pair in root.value if pair[0].value == self.under)
        if not isinstance(node, yaml.SequenceNode):
            if data[self.under] is not None:
                raise Refused(f"{self.name}: {self.under} is no list", "mend it, and run this again")
            return self.lines, _next_line(text, max(key.end_mark.index, node.end_mark.index)), ""
        if node.flow_style:
            raise Refused(f"{self.name}: {self.under} is a list in brackets", "write it as lines that begin with -")
        start = node.start_mark.index
        return self.lines, _next_line(text, _end(node)), text[text.rfind("\n", 0, start) + 1 : start]

    def _as_it_stands(self, block: Block, text: str) -> str:
        """The lines as they should be, with the key where they brought it."""
        found = block.find(text)[0]
        with_key = found is not None and found.lines.startswith(f"{self.under}:\n")
        return f"{self.under}:\n{self.lines}" if with_key else self.lines

    def _read(self, text: str) -> Any:
        import yaml

        loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
        return self._parsed(lambda: yaml.load(text, loader))  # noqa: S506 - either is safe

    def _parsed(self, parse: Callable[[], Any]) -> Any:
        import yaml

        try:
            return parse()
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            where = f" (line {mark.line + 1})" if mark else ""
            raise Refused(f"{self.name} is not valid YAML{where}", "mend it, and run this again") from error

    def _hint(self) -> str:
        return f"add it by hand under {self.under}: {' '.join(self.lines.split())}"


def _end(node: Any) -> int:
    """Where the last value inside a node ends; a node in block style ends later, behind blank lines and comments."""
    while isinstance(node.value, list) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return int(node.end_mark.index)


def _next_line(text: str, at: int) -> int:
    if at and text[at - 1] == "\n":
        return at
    return text.find("\n", at) + 1 or len(text)
