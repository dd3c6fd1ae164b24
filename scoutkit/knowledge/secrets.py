"""Takes secrets out of text before it touches the disk: known token shapes, private keys, this environment's values.

Shapes are those the issuers publish: a prefix of their own and a length, so that hashes, ids, base64 and prose are left
alone. What has no shape (a bare password in a sentence) is found only when the environment holds it.
"""

from __future__ import annotations

import bisect
import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

_MARK = "[redacted:"
_KEY = f"{_MARK}private-key]"
_ANY_MARK = re.compile(r"\[redacted:[a-z-]+\]")
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|_PASS$", re.IGNORECASE)
_LONG = 16  # characters of a secret in a login file: shorter ones are settings
_SHORTEST = 8  # characters: a shorter value is a word that stands in innocent places too
_PLACE = re.compile(
    r"(?:your|my|the|db|user|some)?[-_]?(?:pass(?:word|wd)?|pwd|pw|secret|token|key)"
    r"|x+|\*+|\.+|%s|[<{].*|\$[A-Z_]+|\$[{(].*",
    re.IGNORECASE,
)


def _any(_: str) -> bool:
    return True


def _drawn(token: str) -> bool:
    """Does it look drawn by lot? A digit, or capitals among small letters: not a word, nor words joined by dashes."""
    return any(map(str.isdigit, token)) or not (token.islower() or token.isupper())


def _header_value(token: str) -> bool:
    """Is it a header's value, not prose (`Bearer authentication`) or an identifier that stands for one?"""
    return any(map(str.isdigit, token)) or token.endswith("=") or (len(token) >= 24 and _drawn(token))


def _password(token: str) -> bool:
    """Is it a password, not the place for one (`user:password@host`, `:${PW}@`, `:***@`)?"""
    return not _PLACE.fullmatch(token)


@dataclass(frozen=True, slots=True)
class _Shape:
    """One kind of secret. A line that has none of `hints` has none of it. Group `s`, else the whole match, is it."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    plausible: Callable[[str], bool] = _drawn

    def hinted(self, text: str) -> bool:
        return any(hint in text for hint in self.hints)


def _prefixed(kind: str, prefixes: str, rest: str, plausible: Callable[[str], bool] = _drawn) -> _Shape:
    """Tokens that begin with one of some prefixes and are no part of a longer word."""
    hints = tuple(prefixes.split())
    start = "|".join(map(re.escape, hints))
    return _Shape(kind, hints, re.compile(rf"(?<!\w)(?:{start}){rest}(?![A-Za-z0-9])", re.ASCII), plausible)


_GITLAB = "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-"
_SLACK = "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxb- xoxe.xoxp- xapp-"
_ASSIGN = r"[\"'\\\]]*\s*[:=,]\s*[\"'\\]*"
_AUTHORIZATION = rf"(?:proxy-)?authorization{_ASSIGN}(?:bearer|basic|token|digest)\s+"
_KEY_HEADER = rf"(?:x-api-key|x-auth-token|x-goog-api-key|private-token|job-token){_ASSIGN}"

_SHAPES = (
    _prefixed("aws-key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}", _any),
    _prefixed("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\w{36,}"),
    _prefixed("github-token", "github_pat_", r"\w{22,}"),
    _prefixed("gitlab-token", _GITLAB, r"[\w.-]{19,}[\w-]"),
    _prefixed("slack-token", _SLACK, r"[\w-]{10,}"),
    _prefixed("google-key", "AIza", r"[\w-]{35}"),
    _prefixed("google-token", "GOCSPX- ya29.", r"[\w-]{24,}"),
    _prefixed("api-key", "sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1-", r"[\w-]{20,}"),
    _prefixed("api-key", "sk- gsk_ xai-", r"[A-Za-z0-9]{20,}"),
    _prefixed("npm-token", "npm_", r"[A-Za-z0-9]{36}"),
    _prefixed("pypi-token", "pypi-AgE", r"[\w-]{50,}"),
    _prefixed("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9]{16,}"),
    _prefixed("stripe-key", "whsec_", r"[A-Za-z0-9+/]{24,}=*"),
    _prefixed("huggingface-token", "hf_", r"[A-Za-z0-9]{34}"),
    _prefixed("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}"),
    _prefixed("jwt", "eyJ", r"(?<!-eyJ)[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*"),
    _Shape(
        "slack-webhook",
        ("hooks.slack.com/",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[\w/]{20,})"),
    ),
    _Shape(
        "aws-secret",
        ("ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey"),
        re.compile(rf"(?i:secret_?access_?key){_ASSIGN}(?P<s>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])"),
    ),
    _Shape(
        "authorization",
        ("uthorization", "UTHORIZATION", "-key", "-Key", "-KEY", "-token", "-Token", "-TOKEN"),
        re.compile(rf"(?i:{_AUTHORIZATION}|{_KEY_HEADER})(?P<s>[\w.~+/-]{{8,}}=*)"),
        _header_value,
    ),
    _Shape(
        "password",
        ("://",),
        re.compile(r"://[^\s:@/?#\"'<>\[\]\\`]{0,255}:(?P<s>[^\s/?#\"'<>\[\]\\`]{1,255})@(?=[\w%$-])"),
        _password,
    ),
)


def _any_of(hints: Iterable[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Two patterns for what text without any of them matches neither of: most lines, so this is what a line costs.

    A search that begins with few signs is fast. Those that end in a dash or an underscore are looked for from there
    backwards, and those behind a dash from the dash; a hint that holds another is not looked for.
    """
    every = tuple(hints)
    short = [hint for hint in every if not any(other != hint and other in hint for other in every)]
    behind: dict[int, list[str]] = {}
    for hint in short:
        if hint[-1] in "-_":
            behind.setdefault(len(hint), []).append(re.escape(hint))
    ends = [f"(?<={'|'.join(same)})" for same in behind.values()]
    rest = sorted(re.escape(hint) for hint in short if hint[-1] not in "-_")
    return re.compile(f"[-_](?:{'|'.join(ends)})"), re.compile("|".join(rest))


_ENDING, _HOLDING = _any_of(hint for shape in _SHAPES for hint in shape.hints)

_BORDER = re.compile(r"-----(BEGIN|END) (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_FIELD = re.compile(r"\W*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ")
_ESCAPED_END = re.compile(r"\\{1,4}[nrt]")  # a line's end, as source code and JSON write it
_KEY_START = re.compile(r"(?:\\{1,4}[nrt]|[A-Za-z0-9+/=]{16,}|[\s\"',+])*")
_WORD = re.compile(r"[A-Za-z0-9+/=]+")
_DECORATION = frozenset(" \t\r\"'`,\\:|→>#*-+/=()")  # quotes, line numbers' and comments' signs, diff marks


class Redactor:
    """Redacts one stream, line by line: `redact(line)`. Keeps the number of lines and everything that is no secret.

    It remembers a private key's beginning until its end, so each stream needs its own. A text of several lines may be
    given at once. `environment` is where values of variables with a secret's name are taken from.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._values = _secret_values(environment or {})
        self._in_key = False

    def another(self) -> Redactor:
        """One for another stream, that knows the same: looking through an environment costs more than most texts."""
        fresh = copy.copy(self)
        fresh._in_key = False
        return fresh

    def __call__(self, text: str) -> str:
        """The text with `[redacted:kind]` in place of every secret. Never raises."""
        hinted = _ENDING.search(text) or _HOLDING.search(text)
        shapes = [shape for shape in _SHAPES if shape.hinted(text)] if hinted else []
        values = [value for value in self._values if value in text]
        if not (shapes or values or self._in_key or "PRIVATE KEY" in text):
            return text
        return "\n".join([self._line(line, values, shapes) for line in text.split("\n")])

    def _line(self, line: str, values: Sequence[str], shapes: Sequence[_Shape]) -> str:
        if self._in_key or "PRIVATE KEY" in line:
            line = self._key_line(line, values, shapes)
        return _settled(line, values, shapes)

    def _key_line(self, line: str, values: Sequence[str], shapes: Sequence[_Shape]) -> str:
        """A line that may hold a private key or a piece of one. The lines that begin and end a key stay."""
        done, at, begun = "", 0, self._in_key
        for border in [*_BORDER.finditer(line), None]:
            inside = line[at : border.start() if border else len(line)]
            goes_on = False
            if begun and at:
                goes_on = _DECORATION.issuperset(_flat(inside))
                if cut := _whole_key(inside, border[0], values, shapes) if border else _started_key(inside):
                    inside, goes_on = _KEY + inside[cut:], _DECORATION.issuperset(_flat(inside[cut:]))
            elif begun:
                inside, goes_on = _body(inside)
            done += inside + (border[0] if border else "")
            at, begun = (border.end(), border[1] == "BEGIN") if border else (at, goes_on)
        self._in_key = begun
        return done


def _flat(text: str) -> str:
    """With line ends that are written out as spaces, so that none sticks to the word after it. Positions stay."""
    return _ESCAPED_END.sub(lambda match: " " * len(match[0]), text)


def _body(line: str) -> tuple[str, bool]:
    """A line that follows the beginning of a private key, redacted, and whether the key goes on after it."""
    flat = _flat(line)
    if not flat.strip() or _FIELD.match(flat) or _KEY in flat:
        return line, True
    words = [match for match in _WORD.finditer(flat) if any(map(str.isalnum, match[0]))]
    if len(words) == 2 and words[0][0].isdigit():
        del words[0]  # a line number
    if len(words) != 1 or not _DECORATION.issuperset(_WORD.sub("", flat)):
        return line, False
    start = words[0].start() + (words[0][0][0] == "+")  # an added line of a diff
    word = line[start : words[0].end()]
    if len(word) < 16 and (word.isalpha() or word.isdigit()):
        return line, False
    return f"{line[:start]}{_KEY}{line[start + len(word) :]}", True


def _whole_key(text: str, end: str, values: Sequence[str], shapes: Sequence[_Shape]) -> int:
    """The length of what stands between BEGIN and END on one line, if that is a key and no prose; else 0.

    Asked also of the text without other secrets, so that it is not a key only once those are gone. They are looked for
    between dashes, as they stand in the line: some shapes ask what is beside them.
    """
    rest = _settled(f"-{text}{end}", values, shapes).removesuffix(end)
    return len(text) if _is_key(text) or _is_key(rest) else 0


def _is_key(text: str) -> bool:
    words = [match[0] for match in _WORD.finditer(_flat(text))]
    long = sum(len(word) for word in words if len(word) >= 16 and not word.isalpha())
    return long > 0.75 * sum(map(len, words))


def _started_key(text: str) -> int:
    """How far a key goes that begins on a line and does not end there, its line ends written out or blanks."""
    run = _KEY_START.match(text)
    words = [match for match in _WORD.finditer(_flat(run[0])) if any(map(str.isalnum, match[0]))] if run else []
    return words[-1].end() if words else 0


def _settled(line: str, values: Sequence[str], shapes: Sequence[_Shape]) -> str:
    """The line without secrets that have a shape or a known value."""
    for _ in range(8):  # taking one secret out may bare the edge of another
        fresh = _redacted(line, values, shapes)
        if fresh == line:
            break
        line = fresh
    return line


def _redacted(line: str, values: Sequence[str], shapes: Sequence[_Shape]) -> str:
    """One pass over the line as it is. Secrets that overlap become one mark."""
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(_found(line, values, shapes)):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, kind))
    parts, at = [], 0
    for start, end, kind in merged:
        parts += [line[at:start], f"{_MARK}{kind}]"]
        at = end
    return "".join(parts) + line[at:] if merged else line


def _found(line: str, values: Sequence[str], shapes: Sequence[_Shape]) -> Iterator[tuple[int, int, str]]:
    marks = [match.span() for match in _ANY_MARK.finditer(line)] if _MARK in line else []
    starts = [start for start, _ in marks]
    for value in values:
        at = line.find(value)
        while at >= 0:
            before = bisect.bisect_left(starts, at + len(value))
            if not before or marks[before - 1][1] <= at:  # a mark stays whole, even where its own text is a value
                yield at, at + len(value), "env"
            at = line.find(value, at + len(value))
    borders = [match.start() for match in _BORDER.finditer(line)] if "PRIVATE KEY" in line else []
    for shape in shapes:
        if shape.hinted(line):
            group = "s" if "s" in shape.pattern.groupindex else 0
            for match in shape.pattern.finditer(line):
                start, end = match.span(group)
                after = bisect.bisect_left(borders, start)
                if after < len(borders):  # a token's dashes may run on into those of a key's first or last line
                    end = min(end, borders[after])
                if start < end and shape.plausible(match[group]):
                    yield start, end, shape.kind


def _secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of variables whose name says secret, longest first, also as JSON and URLs write them.

    The lines of a longer text count one by one. A path that exists is no secret.
    """
    found: set[str] = set()
    for name, value in environment.items():
        if not _SECRET_NAME.search(name) or (value.startswith("/") and _exists(value)):
            continue
        for piece in [value] if "\n" not in value else map(str.strip, value.split("\n")):
            if len(piece) >= _SHORTEST and not piece.isspace():
                found |= {piece, json.dumps(piece)[1:-1], json.dumps(piece, ensure_ascii=False)[1:-1]}
                found.add(quote(piece, safe="", errors="replace"))
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def in_logins(files: Iterable[Path]) -> dict[str, str]:
    """The secrets in files that programs keep their login in (JSON, or lines `NAME=value`), named so that a Redactor
    takes them for such. What cannot be read has none."""
    found: dict[str, str] = {}
    for file in files:
        try:
            text = file.read_text("utf-8", "replace")
        except OSError:
            continue
        try:
            pairs = list(leaves(json.loads(text)))
        except (ValueError, RecursionError):
            pairs = [
                (name, value.strip("\"' ")) for name, _, value in (line.partition("=") for line in text.splitlines())
            ]
        secret = (value for name, value in pairs if _SECRET_NAME.search(name.strip()) and len(value) >= _LONG)
        found |= {f"LOGIN_TOKEN_{len(found) + number}": value for number, value in enumerate(secret)}
    return found


def is_secret_name(name: str) -> bool:
    """Does a variable of this name hold a secret?"""
    return bool(_SECRET_NAME.search(name.strip()))


def leaves(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts in what JSON holds, each with the name that it goes by."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, name)
    elif isinstance(value, str):
        yield name, value


def _exists(value: str) -> bool:
    try:
        return Path(value).exists()
    except (OSError, ValueError):
        return False
