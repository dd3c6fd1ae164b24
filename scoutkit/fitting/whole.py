"""A file that is ours alone. Its last line says so, with a fingerprint of the others."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoutkit.fitting.block import HTML
from scoutkit.fitting.fitted import Fitted, fingerprint


@dataclass(frozen=True, slots=True)
class Whole:
    """`text` is all of it, but for the last line."""

    name: str
    text: str
    comment: tuple[str, str] = HTML
    instead: str = ""  # said of somebody else's file with that name

    def fit(self, raw: bytes | None) -> Fitted:
        fresh = self._signed()
        if raw is None:
            return Fitted(fresh, "added")
        if not self._ours(raw):
            return Fitted(raw, "left", self._why(raw))
        return Fitted(raw, "there") if raw.replace(b"\r\n", b"\n") == fresh else Fitted(fresh, "updated")

    def unfit(self, raw: bytes) -> Fitted:
        if self._ours(raw):
            return Fitted(None, "removed")
        return Fitted(raw, "left", "it was edited: delete it by hand") if self._mark(raw) else Fitted(raw, "there")

    def _signed(self) -> bytes:
        begin, end = self.comment
        said = "kept by scoutkit init; once edited, left alone"
        return f"{self.text}{begin}scoutkit:file {fingerprint(self.text)} {said}{end}\n".encode()

    def _mark(self, raw: bytes) -> re.Match[bytes] | None:
        return re.search(rb"^\W*scoutkit:file ([0-9a-f]{12})\b[^\n]*\n?\Z", raw, re.MULTILINE)

    def _ours(self, raw: bytes) -> bool:
        mark = self._mark(raw)
        return mark is not None and mark[1].decode() == fingerprint(raw[: mark.start()].decode("utf-8", "replace"))

    def _why(self, raw: bytes) -> str:
        if self._mark(raw):
            return "it was edited: delete it, and it is written anew"
        return f"it is there already, and not scoutkit's{self.instead}"
