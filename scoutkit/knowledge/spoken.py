"""What a sentence says stands somewhere: the names and quotes among the code in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST = 64  # names of one sentence, and a quarter as many quotes: more is a list, not a claim

_NAME = re.compile(r"[-@#$&*~%.:/]*[\w$][\w$.:/>#@?!\\-]*")
_LITERAL = re.compile(r"([\"'])(.+)\1")
_DECLARED = re.compile(
    r"(?:(?:pub|async|export|default|static|public|private|protected|final|abstract|const|let|var|def|func|fn|function|"
    r"class|struct|interface|type|enum|trait|impl|module|namespace|macro_rules!|#define)\s+)+(?:\([^()]*\)\s*)?([\w$.:]+)"
)
_RECEIVER = re.compile(r"^\(\*?(\w+)\)\.")  # Go's (*Type).Method
_KEYWORDS = frozenset(
    """
    and assert await catch const def do elif else fn for foreach func function if in is let match new not or raise
    return sizeof switch throw try typeof unless until var when while with
    """.split()  # noqa: SIM905 - a list of forty literals reads worse
)
_HEAD = re.compile(r"(?:(?:await|new|return|throw|raise)\s+)?([\w$@][\w$.:>#-]*)\s*[(<\[]")


@dataclass(frozen=True, slots=True)
class Spoken:
    """Names that should occur, and texts that should stand there verbatim."""

    names: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names or self.quotes)


NOTHING = Spoken()


def said(codes: Iterable[str]) -> Spoken:
    """Names and quotes in pieces of inline code, each once, in order.

    `sign()` and `"config.key"` are names, `sign(value)` and `def sign(self)` quotes that name `sign`.
    """
    names: dict[str, None] = {}
    quotes: dict[str, None] = {}
    for code in codes:
        text = _RECEIVER.sub(r"\1.", " ".join(code.split()))
        bare = text.removesuffix("()")
        literal = _LITERAL.fullmatch(bare)
        bare = literal[2] if literal else bare
        if _NAME.fullmatch(bare[:300]) and len(bare) <= 300:
            names[bare.rstrip(".,:;") or bare] = None
        elif any(character.isalnum() for character in text):
            quotes[text] = None
            declared = _DECLARED.match(text[:300]) or _HEAD.match(text[:300])
            if declared and declared[1] not in _KEYWORDS:
                names[declared[1].rstrip(":.")] = None
        if len(names) >= MOST:
            break
    return Spoken(tuple(names), tuple(quotes)[: MOST // 4])


def together(parts: Iterable[Spoken]) -> Spoken:
    """Several as one."""
    names: dict[str, None] = {}
    quotes: dict[str, None] = {}
    for part in parts:
        names.update(dict.fromkeys(part.names))
        quotes.update(dict.fromkeys(part.quotes))
    return Spoken(tuple(names)[:MOST], tuple(quotes)[: MOST // 4])


def nearest(begins: Sequence[int], codes: Sequence[tuple[int, str]]) -> tuple[Spoken, ...]:
    """What each of several citations in a sentence is said to hold: the code before it, or after it where the sentence
    begins with a citation. Those with no code between them share it. `begins`: where each citation does; `codes`: where
    each piece of inline code does, and what it says."""
    if len(begins) < 2 or not codes:
        return (Spoken(),) * len(begins)
    groups: list[list[int]] = []
    said_of: list[list[str]] = []
    trailing = codes[0][0] > begins[0]
    waiting: list[str] = []
    at = 0
    for number, begin in enumerate(begins):
        begun = at
        while at < len(codes) and codes[at][0] < begin:
            waiting.append(codes[at][1])
            at += 1
        if not groups or at > begun:
            if trailing and groups:
                said_of[-1], waiting = waiting, []
            groups.append([number])
            said_of.append([] if trailing else waiting)
            waiting = waiting if trailing else []
        else:
            groups[-1].append(number)
    rest = [code for _, code in codes[at:]]
    if trailing:
        said_of[-1] = rest
        if not rest and len(said_of) > 1 and len(said_of[-2]) > 1:  # "a.py:1: `A` calls `B` (b.py:2)"
            said_of[-1] = [said_of[-2].pop()]
        elif not rest and len(said_of) > 1:
            said_of[-2] = []
    elif rest and len(groups[-1]) > 1:  # "`A` (a.py:1), b.py:2 has `B`"
        groups.append([groups[-1].pop()])
        said_of.append(rest)
    own = [Spoken()] * len(begins)
    for group, code in zip(groups, said_of, strict=True):
        for number in group:
            own[number] = said(code)
    return tuple(own)
