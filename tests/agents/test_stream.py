import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit.agents.stream import Stream, finished, number, short, total
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Result


class Told(Stream):
    """Notes whatever an object says under the names of the evidence."""

    program = "told"

    def understand(self, said):
        for name in ("ended", "error", "report", "worked", "tried", "limit", "status", "hint", "session"):
            if name in said:
                setattr(self.seen, name, said[name])
                yield Event(EventKind.STATUS, name)
        if said.get("raise"):
            raise {"key": KeyError, "type": TypeError, "value": ValueError, "attribute": AttributeError}[said["raise"]]


GOOD = '{"ended": true, "report": "# It is\\n\\nSo.", "tried": 1, "worked": 1}'


def judge(*lines, code=0, stderr="", file=None):
    reader = Told()
    for line in (GOOD, *lines):
        list(reader.feed(line))
    return reader.finish(code, stderr, file)


def test_all_evidence_together_is_done():
    outcome = judge()

    assert (outcome.result, outcome.reason, outcome.report) == (Result.DONE, "", "# It is\n\nSo.\n")


@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        ('{"ended": false}', 0, "it broke off before its end"),
        ('{"report": ""}', 0, "it left no report"),
        ('{"report": " \\n"}', 0, "it left no report"),
        ('{"report": "Half of"}', 0, "its report breaks off in the middle"),
        ('{"report": "# All\\n\\nSo.\\n\\n## F"}', 0, "its report breaks off in the middle"),
        ('{"worked": 0, "tried": 0}', 0, "it never looked at the code: it called no tool"),
        ('{"worked": 0, "tried": 3}', 0, "it never looked at the code: none of its 3 tool calls worked"),
        ('{"report": "API Error: 500 x"}', 0, "the model's server has trouble: API Error: 500 x"),
        ('{"error": "odd"}', 0, "odd"),
        ("{}", 3, "exit status 3"),
        ("{}", -15, "signal 15 (terminated)"),
        ("{}", None, "nobody saw how it ended"),
    ],
)
def test_each_piece_of_evidence_that_lacks_is_a_failure(line, code, reason):
    outcome = judge(line, code=code)

    assert (outcome.result, outcome.reason) == (Result.FAILED, reason)


def test_a_closing_line_shows_the_end_of_any_text():
    report = '{"report": "Half of\\n\\n<!-- end of report -->"}'

    assert (judge(report).result, judge(report).report) == (Result.DONE, "Half of\n")


def test_a_limit_of_its_own_is_a_budget_that_ran_out():
    outcome = judge('{"limit": "3 turns", "error": "x"}', code=1)

    assert (outcome.result, outcome.reason, outcome.report) == (Result.BUDGET, "3 turns", "# It is\n\nSo.\n")


def test_what_is_on_stderr_explains_an_exit_status_but_no_signal():
    assert judge(code=1, stderr="a\nunknown option --x\n").reason == (
        "exit status 1: this version does not know an option that scoutkit uses: unknown option --x"
    )
    assert judge(code=143, stderr="unknown option --x").reason == "exit status 143: signal 15 (terminated)"


def test_a_hint_from_the_stream_counts_more_than_one_from_words():
    assert judge('{"error": "429", "hint": "at noon"}').hint == "at noon"


def test_a_report_file_stands_for_the_report():
    assert judge('{"report": ""}', file="# File\n\nSo.\n").report == "# File\n\nSo.\n"


@pytest.mark.parametrize("error", ["key", "type", "value", "attribute"])
def test_an_object_that_is_not_as_expected_is_kept(error):
    assert list(Told().feed(f'{{"raise": "{error}"}}')) == [Event(EventKind.OTHER, data={"raise": error})]


@pytest.mark.parametrize("line", ["not JSON", "3", "[]", '"x"', "{", "[" * 100_000])
def test_a_line_that_is_no_object_is_kept(line):
    assert list(Told().feed(line)) == [Event(EventKind.OTHER, line)]


def test_a_resumed_session_keeps_what_was_seen_and_forgets_how_it_ended():
    first = Told()
    list(first.feed('{"ended": true, "worked": 2, "limit": "3 turns", "error": "x", "session": "s"}'))
    first.seen.said.append("one")

    later = first.again()
    later.seen.said.append("two")

    assert (later.seen.worked, later.seen.session, later.seen.said) == (2, "s", ["one", "two"])
    assert (later.seen.ended, later.seen.limit, later.seen.error) == (False, "", "")
    assert (first.seen.limit, first.seen.said) == ("3 turns", ["one"])


@pytest.mark.parametrize(
    "text", ["So.", "- `a.py:1`", "| a | b |", "```\nx\n```", "“So”", "そう。", "(so)", "**So**", "None.\n\n"]
)
def test_ends_of_texts(text):
    assert finished(text)


@pytest.mark.parametrize(
    "text", ["", "Half of", "- `a.py:1` calls", "## Findings", "## F.", "The findings are:", "1. And"]
)
def test_what_is_no_end(text):
    assert not finished(text)


@pytest.mark.parametrize("value", [None, True, "1", -1, float("nan"), float("inf"), 10**400, [], {}])
def test_what_is_no_count(value):
    assert number(value) is None


def test_counts_add_up():
    assert total({"a": 1, "b": 2.0, "c": "x"}, "a", "b", "c", "d") == 3
    assert total({}, "a") is None


@given(st.text())
def test_a_line_for_a_person_is_short(text):
    assert len(short(text)) <= 80
    assert "\n" not in short(text)
