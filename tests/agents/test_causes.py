import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit.agents.causes import CAUSES, explain, is_error, when


@pytest.mark.parametrize(
    ("error", "reason", "hint"),
    [
        ("Not logged in · Please run /login", "Not logged in", "claude once"),
        ("Your OAuth token has expired", "not logged in:", "claude once"),
        ("Could not connect to local model provider at http://x/v1.", "the model cannot be reached:", "the network"),
        ('"stream closed early"', "the answer was cut off on its way: stream closed early", "ask again"),
        ('{"message": "stream closed"}', "the answer was cut off on its way: stream closed", "ask again"),
        ("streaming error", "no answer came:", "check the network"),
        ("Credit balance is too low", "no credit left:", "another agent"),
        ("API Error: 400 Your credit balance is too low", "no credit left:", "another agent"),
        (
            "You exceeded your current quota, please check your plan and billing. (429)",
            "no credit left:",
            "account",
        ),
        ("API Error: 401 nobody", "its key is refused:", "ANTHROPIC_API_KEY"),
        ('[API Error: {"error":{"code":401,"message":"x"}}]', "its key is refused:", "ANTHROPIC_API_KEY"),
        ("API Error: 402 x", "no credit left:", "another agent"),
        ("Error code: 403 - {'x': 1}", "its key may not do this:", "another one"),
        ("404 no such thing", "the model is unknown:", "--model NAME"),
        ("The model `gpt-9` does not exist", "the model is unknown:", "--model NAME"),
        ("BYOK providers require an explicit model. Run `copilot help`", "it needs to be told which model:", "--model"),
        ("API Error: 413 x", "the question is too long for the model:", "ask for less"),
        ("Prompt is too long", "the question is too long for the model:", "ask for less"),
        ("HTTP 503", "the model's server has trouble:", "later"),
        ("Overloaded", "the model's server has trouble:", "later"),
        ("connect ECONNREFUSED 127.0.0.1:1", "the model cannot be reached:", "check the network"),
        ("error sending request for url (https://x)", "the model cannot be reached:", "check the network"),
        ("Request timed out", "the model cannot be reached:", "check the network"),
        ("stream closed before it was whole", "the answer was cut off on its way:", "ask again"),
        ("API Error: 400 x", "the model refused the request:", "run logs"),
        ("error: unexpected argument '--x' found", "this version does not know an option", "update it"),
    ],
)
def test_errors_name_the_cause_and_the_way_out(error, reason, hint):
    said, way_out = explain("claude", error)

    assert said.startswith(reason)
    assert hint in way_out


def test_a_status_that_is_told_counts_more_than_words():
    assert explain("claude", "model not found, network, 500", status=403)[0].startswith("its key may not do this")
    assert explain("claude", "credit balance", status=400)[0].startswith("no credit left")


@pytest.mark.parametrize("error", ["took 512 ms", "port 401", "wrote 500 lines", "a.py:404", "it was interrupted", ""])
def test_numbers_that_are_no_status_are_no_cause(error):
    assert explain("claude", error) == (error, "")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Rate limit reached. Please try again in 1.2s.", "try again in 1.2s"),
        ("Suggested retry after 17 seconds.", "try again in 17 seconds"),
        ("usage limit. Try again in 3 days 2 hours 5 minutes.", "try again in 3 days 2 hours 5 minutes"),
        ("You've hit your session limit · resets 3pm (Europe/Berlin)", "try again at 3pm (Europe/Berlin)"),
        ("Your limit resets at 15:30", "try again at 15:30"),
        ("or try again at Nov 30th, 2026 3:04 PM.", "try again at Nov 30th, 2026 3:04 PM"),
        ("please try again later", ""),
        ("retried 5 times (total retry wait time: 5.27 seconds)", ""),
        ("", ""),
    ],
)
def test_when_to_try_again(text, hint):
    assert when(text) == hint


def test_a_rate_limit_says_when():
    assert explain("codex", "You've hit your usage limit. Try again in 5 minutes.")[1] == "try again in 5 minutes"
    assert explain("claude", "Claude usage limit reached|1796025600")[1].startswith("try again at ")
    assert explain("claude", "429", "retry in 9s")[1] == "try again in 9s"


def test_a_variable_that_is_missing_is_the_one_to_set():
    assert explain("codex", "Missing environment variable: `AZURE_KEY`.")[1] == "set AZURE_KEY"


def test_an_error_in_json_is_told_in_its_words():
    assert explain("codex", '{"error": {"message": "too odd", "type": "invalid_request_error"}}') == (
        "the model refused the request: too odd",
        "look at what it said: scoutkit run logs",
    )


def test_another_programs_way_in_is_its_own():
    assert "codex login" in explain("codex", "401")[1]
    assert "documentation" in explain("new", "401")[1]


def test_a_report_that_is_an_error_is_none():
    assert is_error("  API Error: 500 x")
    assert is_error("[API Error: 401]")
    assert not is_error("# API Error: what it means")


def test_hints_have_no_gaps_left():
    for cause in CAUSES:
        assert not re.search(r"[{}]", cause.hint.format(sign_in="x"))


@given(st.text(), st.text(), st.none() | st.integers())
def test_any_text_is_explained(error, stderr, status):
    reason, hint = explain("claude", error, stderr, status=status)

    assert "\n" not in reason + hint
