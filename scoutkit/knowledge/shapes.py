"""What secrets look like, kind by kind: what a line of text must hold, and what there is the secret. Data only.

Shapes are those the issuers publish: a prefix of their own and a length, so that hashes, ids, base64 and prose are left
alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

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
class Shape:
    """One kind of secret. A line that has none of `hints` has none of it. Group `s`, else the whole match, is it."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    plausible: Callable[[str], bool] = _drawn

    def hinted(self, text: str) -> bool:
        """May a text have one?"""
        return any(hint in text for hint in self.hints)


def _prefixed(kind: str, prefixes: str, rest: str, plausible: Callable[[str], bool] = _drawn) -> Shape:
    """Tokens that begin with one of some prefixes and are no part of a longer word."""
    hints = tuple(prefixes.split())
    start = "|".join(map(re.escape, hints))
    return Shape(kind, hints, re.compile(rf"(?<!\w)(?:{start}){rest}(?![A-Za-z0-9])", re.ASCII), plausible)


_GITLAB = "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-"
_SLACK = "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxb- xoxe.xoxp- xapp-"
_ASSIGN = r"[\"'\\\]]*\s*[:=,]\s*[\"'\\]*"
_AUTHORIZATION = rf"(?:proxy-)?authorization{_ASSIGN}(?:bearer|basic|token|digest)\s+"
_KEY_HEADER = rf"(?:x-api-key|x-auth-token|x-goog-api-key|private-token|job-token){_ASSIGN}"

SHAPES = (
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
    Shape(
        "slack-webhook",
        ("hooks.slack.com/",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[\w/]{20,})"),
    ),
    Shape(
        "aws-secret",
        ("ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey"),
        re.compile(rf"(?i:secret_?access_?key){_ASSIGN}(?P<s>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])"),
    ),
    Shape(
        "authorization",
        ("uthorization", "UTHORIZATION", "-key", "-Key", "-KEY", "-token", "-Token", "-TOKEN"),
        re.compile(rf"(?i:{_AUTHORIZATION}|{_KEY_HEADER})(?P<s>[\w.~+/-]{{8,}}=*)"),
        _header_value,
    ),
    Shape(
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


_ENDING, _HOLDING = _any_of(hint for shape in SHAPES for hint in shape.hints)


def hinted(text: str) -> bool:
    """May a text have any secret with a shape?"""
    return bool(_ENDING.search(text) or _HOLDING.search(text))
