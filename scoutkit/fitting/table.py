"""A table of a TOML file, as a block at its end. What the file says then is read back before anybody writes it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from scoutkit.errors import Refused
from scoutkit.fitting.block import HASH, Block
from scoutkit.fitting.fitted import Fitted, decoded


@dataclass(frozen=True, slots=True)
class Table:
    """`path` names the table, `lines` are its header and keys."""

    name: str
    path: tuple[str, str]
    lines: str

    @property
    def _block(self) -> Block:
        return Block(self.name, self.lines, HASH)

    def fit(self, raw: bytes | None) -> Fitted:
        if raw is None:
            return self._block.fit(raw)
        before = self._read(raw)
        outer, inner = self.path
        there = before.get(outer, {})
        block = self._block
        if isinstance(there, dict) and inner in there and not block.find(decoded(raw, self.name)[1]):
            return Fitted(raw, "there", "not by scoutkit init: left as it is")
        fitted = block.fit(raw)
        if fitted.action != "added":
            return fitted
        expected = copy.deepcopy(before)
        try:
            expected.setdefault(outer, {}).update(self._read(self.lines.encode())[outer])
            after = self._read(fitted.raw or b"")
        except (Refused, AttributeError):
            after = {}
        if repr(after) != repr(expected):
            hint = f"add it by hand: {self.lines.splitlines()[0]} {', '.join(self.lines.splitlines()[1:])}"
            raise Refused(f"{self.name} has no place at its end for a table {outer}.{inner}", hint)
        return fitted

    def unfit(self, raw: bytes) -> Fitted:
        return self._block.unfit(raw)

    def _read(self, raw: bytes) -> dict[str, Any]:
        import tomllib

        try:
            return tomllib.loads(decoded(raw, self.name)[1])
        except (ValueError, RecursionError) as error:
            raise Refused(f"{self.name} is not valid TOML: {error}", "mend it, and run this again") from error
