"""How text becomes words, the same way for notes, source code and queries.

Identifiers are split (`getUserName`, `get_user_name`, `HTTPServer2` → get user name, http server 2) and text in scripts
without spaces becomes overlapping pairs of characters, so that a two-character word is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0002fa1f"
_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")  # a word ends where the script changes
_CJK_RUN = re.compile(rf"[{_CJK}]+")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")


def split_identifier(name: str) -> list[str]:
    """The parts of an identifier, in lower case: `parseHTTPHeader_v2` → parse, http, header, v, 2."""
    return [part.lower() for part in _HUMP.findall(name)]


def runs(text: str) -> Iterator[str]:
    """Words as written, cut where the script changes: `用getUser函数` → 用, getUser, 函数."""
    return (match.group() for match in _RUN.finditer(text))


def pairs(run: str) -> list[str]:
    """Overlapping pairs of a run of Han, Kana or Hangul: 会话签名 → 会话, 话签, 签名. One character stays alone."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def is_cjk(run: str) -> bool:
    """Is this a run of Han, Kana or Hangul?"""
    return bool(_CJK_RUN.fullmatch(run))
