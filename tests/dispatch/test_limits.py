"""Limits: what breaks one, what is said then, and the report that an agent may still write."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace

import pytest
from waiting import soon

from scoutkit.dispatch.conversation import UNPRICED
from scoutkit.dispatch.limits import Meter
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Limits, Result, State, Usage

STAY = "[[step]]\ndelay = 600\n"
FOUND = '[[step]]\nsay = "found so far"\n'


def steps(*given: str) -> str:
    return "".join(f"[[step]]\n{one}\n" for one in given)


def event(kind: str, text: str = "", more: str = "") -> str:
    return f'event = {{ kind = "{kind}", text = "{text}"{more} }}'


# Each limit


def test_silence_beyond_the_idle_limit_ends_it(play):
    began = time.monotonic()
    with soon():
        outcome = play(FOUND + STAY, limits={"idle": 4.5})
    assert time.monotonic() - began >= 4.5
    assert (outcome.result, outcome.reason) == (Result.TIMEOUT, "it said nothing for 4.5 s")
    assert outcome.hint == "if it needs so long: --idle 9s"
    assert outcome.report == "found so far\n"


def test_an_agents_own_idle_limit_counts_where_the_user_gives_none(play):
    assert play(FOUND + STAY, idle=1.5).reason == "it said nothing for 1.5 s"


def test_the_users_idle_limit_counts_more_than_the_agents(play):
    assert play(FOUND + STAY, idle=0.01, limits={"idle": 1.6}).reason == "it said nothing for 1.6 s"


def test_without_an_idle_limit_silence_is_allowed(play):
    assert play(FOUND + "[[step]]\ndelay = 0.6\n").result is Result.DONE


def test_any_output_is_a_word(play):
    talk = steps('line = ""', "delay = 1.8", 'stderr = "."', "delay = 1.8", 'line = "x"', "delay = 1.8")
    assert play(talk + FOUND, limits={"idle": 5}).result is Result.DONE


def test_retries_in_a_row_beyond_the_limit_end_it_with_its_last_words(play):
    retry = event("retry", "500 overloaded", ', data = { hint = "try again later" }')
    outcome = play(
        FOUND + steps(retry, event("status", "waiting"), retry, event("other"), retry) + STAY, limits={"retries": 2}
    )
    assert (outcome.result, outcome.report) == (Result.FAILED, "found so far\n")
    assert outcome.reason == "the model could not be had 3 times in a row: 500 overloaded"
    assert outcome.hint == "try again later"


@pytest.mark.parametrize(("status", "result"), [(401, Result.FAILED), (404, Result.FAILED), (529, Result.DONE)])
def test_where_asking_again_changes_nothing_it_is_not_waited_for(play, status, result):
    retry = event("retry", "its key is refused", f", data = {{ status = {status} }}")
    outcome = play(steps(retry, retry, retry, f"delay = {0.5 if result is Result.DONE else 600}") + FOUND)
    assert outcome.result is result
    if result is Result.FAILED:
        assert outcome.reason == "the model could not be had 3 times in a row: its key is refused"


def test_retries_that_were_worth_it_do_not_add_up(play):
    trouble = [event("retry", "500"), event("retry", "500"), event("tool_call", "read")] * 3
    assert play(steps(*trouble) + FOUND, limits={"retries": 2}).result is Result.DONE


def test_turns_beyond_the_limit_end_it(play):
    outcome = play(FOUND + steps(*[event("turn")] * 3) + STAY, limits={"turns": 2})
    assert (outcome.result, outcome.reason) == (Result.BUDGET, "it took more than 2 turns")
    assert outcome.hint == "allow it more: --max-turns 4"
    assert outcome.report == "found so far\n"
    assert play.journal.get(play.run.id).result is Result.BUDGET


def test_a_limit_in_money_that_stops_nothing_is_told_once(play):
    used = event("usage", more=", usage = { input_tokens = 5, output_tokens = 2 }")
    play(FOUND + steps(used, used), limits={"cost_usd": 0.1})
    assert play.said.count(UNPRICED) == 1


@pytest.mark.parametrize(("told", "limits"), [(True, {"cost_usd": 0.1}), (False, {"tokens": 100})])
def test_a_limit_in_money_that_holds_needs_no_words(play, told, limits):
    used = event("usage", more=", usage = { input_tokens = 5, output_tokens = 2 }")
    play.send(replace(play.invocation(FOUND + steps(used)), counts_money=told), limits=limits)
    assert UNPRICED not in play.said


def test_as_many_turns_as_allowed_are_allowed(play):
    assert play(steps(event("turn"), event("turn"), "delay = 0.2") + FOUND, limits={"turns": 2}).result is Result.DONE


def test_tokens_beyond_the_limit_end_it(play):
    used = [
        "usage = { input_tokens = 900, output_tokens = 50 }",
        "usage = { input_tokens = 1900, output_tokens = 150 }",
    ]
    outcome = play(FOUND + steps(*used) + STAY, limits={"tokens": 2000})
    assert (outcome.result, outcome.reason) == (Result.BUDGET, "it used 2,050 tokens, more than 2,000")
    assert outcome.hint == "allow it more: --max-tokens 4100"
    assert outcome.usage == Usage(1900, 150)


@pytest.mark.parametrize(
    ("used", "limit", "said", "more"),
    [
        (0.0243, 0.02, "it cost $0.0243, more than $0.02", "0.049"),
        (1.1, 0.5, "it cost $1.10, more than $0.50", "2.2"),
        (12345.678, 1, "it cost $12345.68, more than $1.00", "25000"),
    ],
)
def test_money_beyond_the_limit_ends_it(play, used, limit, said, more):
    outcome = play(FOUND + steps(f"usage = {{ cost_usd = {used} }}") + STAY, limits={"cost_usd": limit})
    assert (outcome.result, outcome.reason) == (Result.BUDGET, said)
    assert outcome.hint == f"allow it more: --max-cost {more}"


@pytest.mark.parametrize(
    ("limits", "more"), [({"tokens": 10}, "--max-tokens 320000"), ({"cost_usd": 0.0001}, "--max-cost 1.1")]
)
def test_a_hint_allows_for_what_was_used(play, limits, more):
    usage = "usage = { input_tokens = 158000, output_tokens = 0, cost_usd = 0.5345 }"
    assert play(FOUND + steps(usage) + STAY, limits=limits).hint == f"allow it more: {more}"


def test_usage_is_of_the_whole_run_and_counts_once(play):
    used = ["usage = { input_tokens = 900, cost_usd = 0.02 }"] * 4
    outcome = play(steps(*used, "delay = 0.2") + FOUND, limits={"tokens": 1000, "cost_usd": 0.03})
    assert (outcome.result, outcome.usage) == (Result.DONE, Usage(900, None, 0.02))


def test_what_is_spent_when_the_agent_is_done_does_not_spoil_its_report():
    meter = Meter("r", Limits(tokens=10, turns=0, cost_usd=0.1))
    usage = Usage(5, 6, 1.0)
    meter.saw(Event(EventKind.TURN))
    meter.saw(Event(EventKind.USAGE, usage=usage))
    assert meter.broken(time.monotonic())
    meter.saw(Event(EventKind.DONE, usage=usage))
    assert meter.broken(time.monotonic()) is None


@pytest.mark.parametrize(("limit", "hint"), [(900, "30m"), (45, "90s"), (0.2, "1s"), (3600, "120m"), (None, None)])
def test_a_hint_names_a_time_that_the_option_takes(limit, hint):
    broken = Meter("r", Limits(timeout=limit)).broken(time.monotonic() + 10_000)
    assert (broken and broken.hint) == (hint and f"give it more time: --timeout {hint}")


# The report that it may still write

LAST = steps(event("turn"), "usage = { input_tokens = 1500, cost_usd = 0.5 }", 'report = "# All I know"')


@pytest.mark.parametrize(
    ("scenario", "limits", "result"),
    [
        (STAY, {"timeout": 4}, Result.TIMEOUT),
        (steps(event("turn")) + STAY, {"turns": 0}, Result.BUDGET),
        (steps("usage = { input_tokens = 1000 }") + STAY, {"tokens": 999}, Result.BUDGET),
        (steps("usage = { cost_usd = 0.2 }") + STAY, {"cost_usd": 0.1}, Result.BUDGET),
    ],
    ids=["time", "turns", "tokens", "money"],
)
def test_an_agent_stopped_by_its_limit_is_asked_for_its_report(play, scenario, limits, result):
    outcome = play(FOUND + scenario, limits=limits, closing=LAST)
    assert (outcome.result, outcome.report) == (result, "# All I know\n")
    assert "more than" in outcome.reason or "longer than" in outcome.reason
    assert (outcome.usage.input_tokens, outcome.usage.cost_usd) == (1500, 0.5), "replaced, never added"
    assert "asked for its report" in play.said
    kinds = [json.loads(line)["kind"] for line in play.read("events.jsonl").splitlines()]
    assert kinds.index("text") < kinds.index("report")
    assert play.read("transcript.txt").count("\n") >= 4, "its lines are added to those before"
    row = play.journal.get(play.run.id)
    assert (row.state, row.result, row.reason) == (State.EXITED, result, outcome.reason)


def test_an_agent_that_stopped_at_its_own_limit_is_asked_too(play):
    class Reader:
        def feed(self, line):
            return [Event(EventKind.TEXT, line)]

        def finish(self, code, tail, file):
            from scoutkit.model.missions import Outcome

            return Outcome(Result.BUDGET, "", "it took 3 turns, as many as allowed", usage=Usage(7, 8, 0.25))

    from scoutkit.model.agents import Invocation

    last = lambda: play.invocation(steps('report = "# End"'), "closing")  # noqa: E731
    start = Invocation(("/bin/sh", "-c", "echo some; exit 1"), Reader(), closing=last)
    outcome = play.send(start, limits={"turns": 3, "cost_usd": 1.0})
    assert (outcome.result, outcome.report) == (Result.BUDGET, "# End\n")
    assert outcome.reason == "it took 3 turns, as many as allowed"
    assert outcome.hint == "allow it more: --max-turns 6 or --max-cost 2"
    assert outcome.usage == Usage(7, 8, 0.25), "what the last one does not tell stays"


@pytest.mark.parametrize(
    "last",
    [steps("exit = 3"), steps('say = "  "'), steps(event("error", "500"), "exit = 1"), lambda: None, lambda: 1 // 0],
    ids=["fails", "says nothing", "errs", "cannot be asked", "breaks"],
)
def test_without_a_report_what_it_said_so_far_is_kept(play, last):
    outcome = play(FOUND + steps(event("turn")) + STAY, limits={"turns": 0}, closing=last)
    assert (outcome.result, outcome.report) == (Result.BUDGET, "found so far\n")
    assert outcome.reason == "it took more than 0 turns"


def test_where_its_model_never_answered_the_last_error_says_why(play):
    error = event("error", "fetch failed", ', data = { hint = "check the network" }')
    outcome = play(STAY, limits={"timeout": 1.0}, closing=steps(error, "exit = 1"))
    assert (outcome.result, outcome.report) == (Result.TIMEOUT, "")
    assert outcome.reason == "it took longer than 1 s: exit status 1: fetch failed"
    assert outcome.hint == "check the network"


@pytest.mark.parametrize(("tries", "times"), [(1, "when it was last asked"), (2, "2 times in a row")])
def test_time_that_ran_out_over_retries_says_so(tries, times):
    meter = Meter("r1", Limits(timeout=1.0))
    for _ in range(tries):
        meter.saw(Event(EventKind.RETRY, "500", data={"hint": "try again later"}))
    outcome = meter.broken(time.monotonic() + 2)
    assert outcome.reason == f"it took longer than 1 s: the model could not be had {times}: 500"
    assert (outcome.hint, meter.answered, meter.spent) == ("try again later", False, False)


def test_the_report_is_not_waited_for_without_end(play, monkeypatch):
    monkeypatch.setattr("scoutkit.dispatch.runner.CLOSING", 1.5)
    with soon():
        outcome = play(FOUND + steps(event("turn")) + STAY, limits={"turns": 0}, closing=STAY)
    assert (outcome.result, outcome.report, outcome.reason) == (
        Result.BUDGET,
        "found so far\n",
        "it took more than 0 turns",
    )


def test_what_both_write_counts_for_the_limit_of_output(play):
    flood = steps(f'say = "{"x" * 600}"')
    scenario = flood + steps(event("turn")) + STAY
    outcome = play(scenario, limits={"turns": 0, "output_bytes": 1000}, closing=flood)
    assert (outcome.result, outcome.report) == (Result.BUDGET, "x" * 600 + "\n")


@pytest.mark.parametrize(
    ("scenario", "limits"),
    [
        (STAY, {"idle": 4}),
        (steps(*[event("retry", "no")] * 2) + STAY, {"retries": 1}),
        (steps('say = "' + "x" * 400 + '"') + STAY, {"output_bytes": 300}),
        (steps("exit = 1"), {}),
        (steps("exit = -9"), {}),
        ("", {}),
    ],
    ids=["silence", "retries", "output", "failure", "killed", "done"],
)
def test_after_any_other_end_it_is_not_asked(play, scenario, limits):
    outcome = play(FOUND + scenario, limits=limits, closing=LAST)
    assert outcome.report.startswith("found so far\n")
    assert "asked for its report" not in play.said


def test_a_user_who_stops_it_is_not_made_to_wait_for_a_report(play):
    timer = threading.Timer(0.8, lambda: play.interruption.request(Result.INTERRUPTED, "interrupted by SIGINT"))
    timer.start()
    outcome = play(FOUND + STAY, closing=LAST)
    assert outcome.result is Result.INTERRUPTED
    assert "asked for its report" not in play.said


def test_a_user_who_stops_it_while_it_writes_its_report_ends_that_too(play):
    def last():
        threading.Timer(0.8, lambda: play.interruption.request(Result.INTERRUPTED, "SIGINT")).start()
        return play.invocation(FOUND + STAY, "closing")

    with soon():
        outcome = play(FOUND + steps(event("turn")) + STAY, limits={"turns": 0}, closing=last)
    assert (outcome.result, outcome.report) == (Result.BUDGET, "found so far\n")
