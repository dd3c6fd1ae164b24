"""How text becomes words, the same way for notes, source code and queries.

Identifiers are split (`getUserName`, `get_user_name`, `HTTPServer2` → get user name, http server 2) and text in scripts
without spaces becomes overlapping pairs of characters, so that a two-character word is found.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Literal

_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_CJK_FIRST = "\u1100"  # no text below it holds any of them
_WORD = re.compile(r"\w+")
_RARE = r"[^\w\x00-\x7f\u00a0-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f]"
_PLAIN = re.compile(r"[a-z]+|[A-Z][a-z]+|[A-Z]+|[A-Z]{2,}s|[0-9]+")  # hides no other word
_HUMP = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SHAPED_HUMP = re.compile(r"A+(?=Aa)|A?a+|A+|0+|c+")  # over the shapes of characters, where `s` is as any other


@functools.cache
def _any_run() -> re.Pattern[str]:
    # compiling these three takes 5 ms, which text without such letters does not pay
    return re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")


@functools.cache
def _cjk_run() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+")


@functools.cache
def _unsure() -> re.Pattern[str]:
    """A word beside a sign that is a letter in another version of Unicode."""
    # only from where a word begins: from each of its characters, a long one takes hours
    return re.compile(rf"(?<!\w)\w++(?={_RARE})|(?<={_RARE})\w++")


def composed(text: str, form: Literal["NFC", "NFD", "NFKC"] = "NFKC") -> str:
    """The text in a Unicode normal form."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize(form, text)


def _shape(char: str) -> str:
    """The class of a character: upper case, lower case or none, digit, Han/Kana/Hangul, anything else."""
    if char.isupper() or char.istitle():
        return "A"
    if char.isdecimal():
        return "0"
    if is_cjk(char):
        return "c"
    return "a" if char.isalnum() else "_"


def split_identifier(name: str) -> list[str]:
    """The parts of an identifier, in lower case: `parseHTTPHeader_v2` → parse, http, header, v, 2; `URLs` is one."""
    if name.isascii():
        return [part.lower() for part in _HUMP.findall(name)]
    shape = "".join(map(_shape, name))
    return [name[match.start() : match.end()].lower() for match in _SHAPED_HUMP.finditer(shape)]


def runs(text: str) -> Iterator[str]:
    """Words as written, cut where the script changes: `用getUser函数` → 用, getUser, 函数."""
    pattern = _WORD if text.isascii() or max(text) < _CJK_FIRST else _any_run()
    return (match.group() for match in pattern.finditer(text))


def pairs(run: str) -> list[str]:
    """Overlapping pairs of a run of Han, Kana or Hangul: 会话签名 → 会话, 话签, 签名. One character stays alone."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def is_cjk(run: str) -> bool:
    """Is this a run of Han, Kana or Hangul?"""
    return run >= _CJK_FIRST and bool(_cjk_run().fullmatch(run))


def hidden(text: str) -> Iterator[str]:
    """Words that splitting at blanks and punctuation does not show: what an index adds to a text.

    Each word that hides others is taken once, and its words stay in order, so that they match as a phrase: the parts
    of an identifier (`getUserName` → get user name), `get_user_name` in one (getusername), the pairs of a run of Han,
    Kana or Hangul and its last character (so that every character begins a word), what is glued to such a run or to
    a sign that an index may take for a letter, and other forms of the same characters (`ＡＰＩ` → API).
    """
    if not text.isascii():
        yield from dict.fromkeys(_unsure().findall(text))
    for word in dict.fromkeys(_WORD.findall(text)):
        if _PLAIN.fullmatch(word):
            continue
        same = composed(word)
        if same != word:
            yield same
        cut = [same] if same.isascii() else list(runs(same))
        for run in cut:
            if is_cjk(run):
                yield from pairs(run)
                if len(run) > 1:
                    yield run[-1]
                continue
            if len(cut) > 1:
                yield run
            parts = split_identifier(run)
            if len(parts) > 1 and parts != run.lower().split("_"):  # `_` ends a word for the index anyway
                yield from parts
            if len(parts) > 1 and "_" in run:
                yield "".join(parts)


def plain(text: str) -> str:
    """A text but for case, space and punctuation: two questions that differ in nothing else are the same."""
    return " ".join(runs(composed(text).casefold()))
