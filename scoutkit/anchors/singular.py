"""Whether lines may be one part of a syntax tree, by a look at them alone: most are not, and need not be parsed."""

from __future__ import annotations

import re
from collections.abc import Sequence

_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
_DOUBLE = re.compile(r"\"(?:[^\"\\]|\\.)*\"")  # in Rust a single quote may begin a lifetime
_MULTILINE = re.compile(
    r"\"\"\"|'''|`|/\*|<<|\\$", re.MULTILINE
)  # a string or comment that may run on: any indentation
_GOES_ON = re.compile(
    r"[)\]}>{.?:+*/|&=<\\-]|(?:else|elif|elsif|elseif|except|finally|catch|rescue|ensure|when|case|default|end|in|then"
    r"|do|done|fi|esac|where|while|and|or|extends|implements|throws)\b"
)  # how a line begins that belongs to the one above though it stands no deeper
_LEADS = re.compile(r"[@#/\[]|template\b")  # attributes, comments: what follows stands no deeper either
_BRACED = frozenset(
    {"go", "javascript", "typescript", "tsx", "rust", "java", "kotlin", "php", "csharp", "swift", "scala"}
)
"""Languages in which the statements of a block stand deeper than what holds the block, so that two are no part."""


def may_be(lines: Sequence[str], language: str) -> bool:
    """False where brackets stay open or a later line stands beside the first: those are several parts, or pieces."""
    said = [line for line in lines if line.strip()]
    text = "\n".join(said)
    if not said or _MULTILINE.search(text):
        return True
    bare = (_DOUBLE if language == "rust" else _STRING).sub("", text)
    quoted = '"' in bare or ("'" in bare and language != "rust")
    if not quoted and language != "bash" and any(bare.count(a) != bare.count(b) for a, b in ("()", "[]", "{}")):
        return False
    if _LEADS.match(said[0].lstrip()):
        return True
    least = _indent(said[0]) + (language in _BRACED)
    return all(_indent(line) >= least or _GOES_ON.match(line.lstrip()) for line in said[1:])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
