"""Why an agent program failed, and the way out: what programs say, as one line for a person and a hint."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from scoutkit.agents.verdict import last_line

_SIGN_IN = {
    "claude": "run claude once and /login, or set ANTHROPIC_API_KEY",
    "codex": "run codex login, or set CODEX_API_KEY",
    "gemini": "run gemini once to log in, or set GEMINI_API_KEY",
    "copilot": "run copilot once and /login, or set COPILOT_GITHUB_TOKEN",
    "llm": "store its key: llm keys set NAME",
}
_AMOUNT = r"\d+(?:\.\d+)?\s*(?:ms|s|m|h|d|seconds?|secs?|minutes?|mins?|hours?|days?)\b"
_CLOCK = (
    r"(?:\w{3,9} \d{1,2}(?:,|st|nd|rd|th)*(?: \d{4})?,? (?:at )?)?\d{1,2}(?::\d\d)?(?: ?[ap]m)?\b(?: \([\w/+-]+\))?"
)
_WHEN = re.compile(
    rf"(?:try again|retry(?:ing)?|wait|resets?)\W{{1,3}}(?:(?:again|in|after|for)\W{{1,2}})*"
    rf"(?P<wait>{_AMOUNT}(?:[\s,]+(?:and )?{_AMOUNT})*)"
    rf"|(?:try again|resets?)\W{{1,3}}(?:at |on )?(?P<at>{_CLOCK})",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"\|(\d{10})\b")
_STATUS = re.compile(
    r"(?:\b(?:Error(?: code)?|status(?:[ _]?code)?|HTTP(?:/[\d.]+)?|code)\"?[\s:=]{1,3}|\(|^)([45]\d\d)\b",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"missing environment variable:? [`'\"]?(\w+)", re.IGNORECASE)
_ERROR = re.compile(
    r"\[?(?:API Error|Error code)\b|(?:Not logged in|Invalid API key|Failed to authenticate|Credit balance is too)\b"
)


@dataclass(frozen=True, slots=True)
class Cause:
    """One way to fail: how it is recognised, what it is called, what to do. `{sign_in}` is the program's own."""

    what: str
    hint: str
    statuses: tuple[int, ...]  # of HTTP; for an error that has none or one of no cause, the words count
    pattern: re.Pattern[str]


def _cause(what: str, hint: str, pattern: str, *statuses: int) -> Cause:
    return Cause(what, hint, statuses, re.compile(pattern, re.IGNORECASE))


_LATER = "try again later"
CAUSES = (
    _cause(
        "not logged in",
        "{sign_in}",
        r"not logged in|no auth|missing environment variable|you must specify the \w+_API_KEY|invalid auth method"
        r"|login required|oauth token (?:has )?(?:expired|been revoked)|please (?:run|use) /?login|no key found",
    ),
    _cause(
        "no credit left",
        "look at the account that pays for it, or use another agent",
        r"credit balance|insufficient.?(?:quota|credits?|funds|balance)|billing|payment required|out of credits",
        402,
    ),
    _cause(
        "rate limit",
        _LATER,
        r"rate.?limit|too many requests|(?:exceeded|reached|hit) your .{0,40}(?:quota|limit)|(?:quota|usage limit) "
        r"(?:exceeded|reached)|exceeded retry limit",
        429,
    ),
    _cause(
        "its key is refused",
        "{sign_in}",
        r"(?:invalid|incorrect) (?:api )?key|api key not valid|unauthori[sz]ed|unauthenticated|authentication[_ ]"
        r"(?:failed|error)",
        401,
    ),
    _cause(
        "its key may not do this",
        "check what the key is allowed, or use another one",
        r"\bforbidden\b|permission denied by",
        403,
    ),
    _cause(
        "the model is unknown",
        "name one it has: --model NAME",
        r"model.{0,60}(?:not found|(?:does|may) not exist|unknown|not supported)|unknown model|model_not_found",
        404,
    ),
    _cause(
        "it needs to be told which model", "name one: --model NAME", r"require an explicit model|no model specified"
    ),
    _cause(
        "the question is too long for the model",
        "ask for less, or name a model that takes more: --model NAME",
        r"prompt is too long|context (?:length|window).{0,40}(?:exceed|too)|maximum context length|too many tokens",
        413,
    ),
    _cause(
        "the model would not answer",
        "ask in other words, or another model: --model NAME",
        r"safeguards|safety classifier|can't help with this|\brefus(?:al|ed to answer)\b|content.?policy|usage policy",
    ),
    _cause(
        "its answer was longer than the model may write",
        "ask for less, or another model: --model NAME",
        r"output token (?:maximum|limit)|max_output_tokens",
    ),
    _cause(
        "the model's server has trouble",
        _LATER,
        r"overloaded|high demand|server.?(?:side )?error|internal error|service unavailable|bad gateway",
        *(500, 502, 503, 504, 520, 522, 524, 529),
    ),
    _cause(
        "the model cannot be reached",
        "check the network, and --network if you gave it",
        r"ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|could not (?:resolve|connect)|unable to connect|network"
        r"|connection (?:error|refused|reset|failed)|error sending request|fetch failed|dns error|timed? ?out",
        407,
    ),
    _cause("no answer came", "check the network, or ask again", r"\bstreaming error"),
    _cause(
        "the answer was cut off on its way",
        "ask again",
        r"stream (?:disconnected|ended|closed)|malformed response|empty or malformed|incomplete"
        r"|missing finish_reason|failed to parse|\bterminated\b",
    ),
    _cause(
        "the model refused the request",
        "look at what it said: scoutkit run logs",
        r"bad request|invalid.request|invalid.argument",
        *(400, 422),
    ),
    _cause(
        "this version does not know an option that scoutkit uses",
        "see which version it takes with scoutkit agents, and update it",
        r"unknown option|unexpected argument|unrecognized (?:argument|option)|unknown (?:argument|flag)|no such option",
    ),
)


def explain(program: str, error: str, stderr_tail: str = "", *, status: int | None = None) -> tuple[str, str]:
    """One line that says what happened, with the program's own words, and a hint; no hint where none is known.

    `status` is that of the HTTP answer, where the program tells it; else it is looked for in what was said.
    """
    said = last_line(_told(error)) or last_line(stderr_tail)
    heard = error or stderr_tail
    status = status_in(heard) if status is None else status
    cause = next((cause for cause in CAUSES if status in cause.statuses), None)
    # the words tell apart what one status stands for: a 400 or 429 may mean that there is no credit left
    if cause is None or cause.statuses[0] in (400, 429):
        cause = next((one for one in CAUSES if one.pattern.search(heard)), cause)
    if cause is None:
        return said, ""
    hint = cause.hint.format(sign_in=_SIGN_IN.get(program, "log in to it as its documentation says"))
    if missing := _VARIABLE.search(heard):
        hint = f"set {missing[1]}"
    if cause.what == "rate limit":
        hint = when(f"{error}\n{stderr_tail}") or hint
    return (said if not said or cause.what in said.lower() else f"{cause.what}: {said}"), hint


def status_in(text: str) -> int | None:
    """The HTTP status of a failure that a text tells of."""
    found = _STATUS.search(text)
    return int(found[1]) if found else None


def when(text: str) -> str:
    """When to try again, as a hint, where the text tells."""
    if epoch := _EPOCH.search(text):
        return at(int(epoch[1]))
    found = _WHEN.search(text)
    if not found:
        return ""
    return f"try again in {found['wait']}" if found["wait"] else f"try again at {found['at']}"


def at(epoch: float) -> str:
    """The hint for a limit that ends at a time, in seconds since 1970."""
    return time.strftime("try again at %H:%M on %d %B", time.localtime(epoch))


def is_error(report: str) -> bool:
    """Is what a program calls its report an error message?"""
    return bool(_ERROR.match(report.strip()))


def _told(error: str) -> str:
    """The message in an error that is JSON, an object or a text; any other as it is."""
    import json

    try:
        found = json.loads(error)
        inner = found.get("error") if isinstance(found, dict) else found
        return found if isinstance(found, str) else str((inner if isinstance(inner, dict) else found)["message"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return error
