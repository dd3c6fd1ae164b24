import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit.agents.lines import LinesReader, decode, emit, encode, python
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Result, Usage

EVENTS = st.builds(
    Event,
    st.sampled_from([kind for kind in EventKind if kind is not EventKind.OTHER]),
    st.text(),
    st.none() | st.builds(Usage, st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0, 1e6)),
    st.dictionaries(
        st.text().filter(lambda name: name not in {"kind", "text", "usage", "data"}), st.text() | st.integers()
    ),
)


def read(*events, code=0, stderr=""):
    reader = LinesReader()
    for event in events:
        list(reader.feed(encode(event) if isinstance(event, Event) else event))
    return reader.finish(code, stderr, None)


@given(EVENTS)
def test_an_event_is_the_same_after_the_way_through_a_pipe(event):
    out = StringIO()
    emit(event, out)

    line = out.getvalue()
    assert line.count("\n") == 1
    assert line.isascii()
    assert decode(line.rstrip("\n")) == event


def test_unknown_kinds_fields_and_garbage_are_kept():
    assert decode('{"kind":"thought","deep":1}') == Event(EventKind.OTHER, data={"kind": "thought", "deep": 1})
    assert decode('{"kind":"text","text":"x","turn":3}') == Event(EventKind.TEXT, "x", data={"turn": 3})
    assert decode("Reading from stdin...") == Event(EventKind.OTHER, "Reading from stdin...")
    assert decode("[" * 100_000).kind is EventKind.OTHER


def test_text_is_the_report_line_by_line_until_a_report_replaces_it():
    texts = [Event(EventKind.TEXT, "# A"), Event(EventKind.TEXT, ""), Event(EventKind.TEXT, "b")]

    assert read(*texts).report == "# A\n\nb\n"
    assert read(*texts, Event(EventKind.REPORT, "# C"), Event(EventKind.TEXT, "later")).report == "# C\n"


def test_the_closing_line_is_not_part_of_the_report():
    assert read(Event(EventKind.REPORT, "# A\n\nb\n\n<!-- end of report -->\n")).report == "# A\n\nb\n"


def test_a_report_can_say_that_it_is_no_answer():
    report = Event(EventKind.REPORT, "# Nothing fits", data={"unanswered": "nothing fits"})
    assert (read(report).result, read(report).unanswered) == (Result.DONE, "nothing fits")
    assert read(report, Event(EventKind.REPORT, "# It is here")).unanswered == ""
    assert read(report, code=1).unanswered == ""


def test_usage_counts_once_and_keeps_what_a_later_one_leaves_out():
    outcome = read(
        '{"kind":"usage","usage":{"input_tokens":10,"output_tokens":2,"cost_usd":0.5}}',
        '{"kind":"usage","usage":{"input_tokens":30,"output_tokens":"many","cost_usd":NaN}}',
        '{"kind":"done","data":{"model":"m-1","version":"2.0"}}',
    )

    assert outcome.usage == Usage(30, 2, 0.5)
    assert (outcome.model, outcome.version) == ("m-1", "2.0")


@pytest.mark.parametrize(
    ("code", "stderr", "events", "reason"),
    [
        (3, "warning\nboom \n\n", (), "exit status 3: boom"),
        (-9, "", (), "signal 9 (killed)"),
        (143, "", (), "exit status 143: signal 15 (terminated)"),
        (0, "", (), "it left no report"),
        (
            1,
            "Traceback",
            (Event(EventKind.ERROR, "no such commit", data={"hint": "fetch it"}),),
            "exit status 1: no such commit",
        ),
        (None, "", (), "nobody saw how it ended"),
    ],
)
def test_a_failure_says_why(code, stderr, events, reason):
    outcome = read(*events, code=code, stderr=stderr)

    assert outcome.result is Result.FAILED
    assert outcome.reason == reason
    assert outcome.hint == ("fetch it" if events else "")


def test_a_child_of_ours_imports_nothing_from_the_folder_it_runs_in(tmp_path):
    import subprocess

    (tmp_path / "json.py").write_text("raise SystemExit('hijacked')")

    done = subprocess.run(python("json.tool"), cwd=tmp_path, input="{}", capture_output=True, text=True)

    assert json.loads(done.stdout) == {}
