"""Why an agent program failed, and the way out: what programs say, as one line for a person and a hint."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoutkit.agents.verdict import last_line

_SIGN_IN = {
    "claude": "run claude once and /login, or set ANTHROPIC_API_KEY",
    "codex": "run codex login, or set CODEX_API_KEY",
    "gemini": "run gemini once to log in, or set GEMINI_API_KEY",
    "copilot": "run copilot once and /login, or set COPILOT_GITHUB_TOKEN",
    "llm": "store its key: llm keys set NAME",
}
_WAIT = re.compile(
    r"(?:try again|retry|wait|reset)\D{0,30}?(\d+(?:\.\d+)?)\s*(ms|s|m|h|seconds?|minutes?|hours?)\b", re.IGNORECASE
)
_ERROR = re.compile(r"\[?(?:API Error|Error code)\b|(?:Not logged in|Invalid API key)\b")


@dataclass(frozen=True, slots=True)
class Cause:
    """One way to fail: how it is recognised, what it is called, what to do. `{sign_in}` is the program's own."""

    pattern: re.Pattern[str]
    what: str
    hint: str


def _cause(pattern: str, what: str, hint: str) -> Cause:
    return Cause(re.compile(pattern, re.IGNORECASE), what, hint)


CAUSES = (
    _cause(
        r"not logged in|no auth|missing environment variable|invalid auth method|login required",
        "not logged in",
        "{sign_in}",
    ),
    _cause(
        r"credit balance|insufficient (?:quota|credit|funds)|billing|payment required|\b402\b",
        "no credit left",
        "look at the account that pays for it, or use another agent",
    ),
    _cause(
        r"\b401\b|invalid (?:api )?key|incorrect api key|unauthori[sz]ed|authentication",
        "its key is refused",
        "{sign_in}",
    ),
    _cause(
        r"\b403\b|forbidden|permission denied by",
        "its key may not do this",
        "check what the key is allowed, or use another one",
    ),
    _cause(
        r"\b429\b|rate.?limit|too many requests|exceeded (?:your current quota|retry limit)",
        "rate limit",
        "try again later",
    ),
    _cause(
        r"model.{0,40}(?:not found|does not exist|not exist|unknown|not supported)|unknown model|\b404\b",
        "the model is unknown",
        "name one it has: --model NAME",
    ),
    _cause(
        r"\b400\b|bad request|invalid_request",
        "the model refused the request",
        "look at what it said: scoutkit run logs",
    ),
    _cause(
        r"\b5\d\d\b|overloaded|high demand|server.?error|internal error|service unavailable",
        "the model's server has trouble",
        "try again later",
    ),
    _cause(
        r"ECONNREFUSED|ENOTFOUND|EAI_AGAIN|could not resolve|network|connection (?:error|refused|reset)|fetch failed",
        "the model cannot be reached",
        "check the network, and --network if you gave it",
    ),
    _cause(
        r"stream disconnected|malformed response|empty or malformed|incomplete|terminated",
        "the answer was cut off on its way",
        "ask again",
    ),
)


def explain(program: str, error: str, stderr_tail: str = "") -> tuple[str, str]:
    """One line that says what happened, with the program's own words, and a hint; no hint where none is known."""
    said = last_line(error) or last_line(stderr_tail)
    for cause in CAUSES:
        if cause.pattern.search(error) or (not error and cause.pattern.search(stderr_tail)):
            hint = cause.hint.format(sign_in=_SIGN_IN.get(program, "log in to it as its documentation says"))
            if cause.what == "rate limit" and (wait := _WAIT.search(f"{error}\n{stderr_tail}")):
                hint = f"try again in {wait[1]} {wait[2]}"
            return (said if cause.what in said else f"{cause.what}: {said}"), hint
    return said, ""


def is_error(report: str) -> bool:
    """Is what a program calls its report an error message?"""
    return bool(_ERROR.match(report.strip()))
