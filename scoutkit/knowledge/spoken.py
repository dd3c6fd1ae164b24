"""What a sentence says stands somewhere: the names and quotes among the code in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
