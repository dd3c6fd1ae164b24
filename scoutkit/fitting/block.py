"""A block of lines between two marks, in a file that has comments. What is around it stays as it is.

How it stands in the file says how the file was before, so that taking it out needs no record: a file that did not end
in a line end still does not; one that was empty has nothing behind the block; one that was not there has a line end
behind it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoutkit.errors import Refused
from scoutkit.fitting.fitted import Fitted, decoded, encoded, fingerprint, line_end

HTML, HASH = ("<!-- ", " -->"), ("# ", "")
_SAID = "kept by scoutkit init; once edited, left alone"


@dataclass(frozen=True, slots=True)
class Found:
    """Where a block stands in a text: from its first mark to the end of its last, without the line end."""

    start: int
    end: int
    lines: str
    indent: str
    eol: str
    whole: bool  # as it was written


@dataclass(frozen=True, slots=True)
class Block:
    """`lines` go between the marks. `apart`: a blank line goes before it."""

    name: str
    lines: str
    comment: tuple[str, str] = HTML
    apart: bool = True

    def fit(self, raw: bytes | None) -> Fitted:
        """At the end of the file."""
        if raw is None:
            return Fitted(f"{self.marked(self.lines, '', chr(10))}\n".encode(), "added")
        return self.put(raw, self.lines)

    def put(self, raw: bytes, lines: str, at: int | None = None, indent: str = "") -> Fitted:
        """The same, at the beginning of the line at `at`, with lines indented so."""
        bom, text = decoded(raw, self.name)
        found = self.find(text)
        if found == []:
            put_in = self._inserted(text, lines, len(text) if at is None else at, indent)
            if self._taken_out(put_in) != text:
                raise Refused(f"{self.name} has no place for a block that could be taken out again", "add it by hand")
            return Fitted(encoded(bom, put_in), "added")
        if len(found) > 1 or found[0] is None:
            return Fitted(raw, "left", "its scoutkit marks are not one pair: delete them and what is between")
        one = found[0]
        if not one.whole:
            return Fitted(raw, "left", "the scoutkit block was edited: delete it, and it is written anew")
        if one.lines == lines:
            return Fitted(raw, "there")
        fresh = self.marked(lines, one.indent, one.eol)
        return Fitted(encoded(bom, text[: one.start] + fresh + text[one.end :]), "updated")

    def unfit(self, raw: bytes) -> Fitted:
        bom, text = decoded(raw, self.name)
        found = self.find(text)
        if not found:
            return Fitted(raw, "there")
        if len(found) > 1 or found[0] is None or not found[0].whole:
            return Fitted(raw, "left", "the scoutkit block was edited: delete it by hand")
        rest = self._taken_out(text)
        ours = not rest and not bom and text.endswith("\n")
        return Fitted(None if ours else encoded(bom, rest), "removed")

    def marked(self, lines: str, indent: str, eol: str) -> str:
        """The block as text, without a line end behind it."""
        begin, end = self.comment
        marks = (f"{begin}scoutkit:begin {fingerprint(lines)} {_SAID}{end}", f"{begin}scoutkit:end{end}")
        every = [marks[0], *lines.split("\n"), marks[1]]
        return eol.join(f"{indent}{line}" if line else line for line in every)

    def find(self, text: str) -> list[Found | None]:
        """Every block; None for marks that do not pair."""
        begin, end = map(re.escape, self.comment)
        mark = re.compile(rf"([ \t]*){begin}scoutkit:(?:(end){end}[ \t]*|begin ([0-9a-f]{{12}})\b.*)\r?\n?")
        found: list[Found | None] = []
        opened: re.Match[str] | None = None
        for line in re.finditer(r"[^\n]*\n|[^\n]+", text):
            if not (this := mark.fullmatch(text, line.start(), line.end())):
                continue
            if opened and this[2]:
                found.append(_found(text, opened, this))
            elif opened or this[2]:
                found.append(None)
            opened = None if this[2] else this
        return [*found, None] if opened else found

    def _inserted(self, text: str, lines: str, at: int, indent: str) -> str:
        eol = line_end(text)
        block = self.marked(lines, indent, eol)
        if at < len(text):
            return f"{text[:at]}{block}{eol}{text[at:]}"
        if not text:
            return block
        if text.endswith("\n"):
            return f"{text}{eol if self.apart else ''}{block}{eol}"
        return f"{text}{eol * (1 + self.apart)}{block}"

    def _taken_out(self, text: str) -> str:
        found = self.find(text)
        if len(found) != 1 or found[0] is None:
            return text
        before, after, eol = text[: found[0].start], text[found[0].end :], found[0].eol
        if not after:
            for _ in range(1 + self.apart):
                before = before.removesuffix(eol)
            return before
        shorter = before.removesuffix(eol)
        apart = self.apart and shorter != before and (not shorter or shorter.endswith("\n"))
        return (shorter if apart else before) + re.sub(r"\A\r?\n", "", after)


def _found(text: str, first: re.Match[str], last: re.Match[str]) -> Found:
    indent, eol = first[1], "\r\n" if first[0].endswith("\r\n") else "\n"
    within = text[first.end() : last.start()].replace("\r\n", "\n").removesuffix("\n")
    lines = "\n".join(line.removeprefix(indent) for line in within.split("\n"))
    end = last.start() + len(last[0].rstrip("\r\n"))
    return Found(first.start(), end, lines, indent, eol, fingerprint(lines) == first[3])
