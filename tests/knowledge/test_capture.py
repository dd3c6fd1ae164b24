"""From a report to a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoutkit.anchors import anchor
from scoutkit.knowledge import capture, citations, unmarked, verify
from scoutkit.knowledge.passages import Document, Form
from scoutkit.model.missions import Kind, Mission, Outcome, Result
from scoutkit.model.notes import Note
from scoutkit.snapshot import Snapshot

QUESTION = "Where is the session cookie signed and verified?"
REPORT = """\
I'll look for it.

# Session cookies are signed by SessionSigner

`SessionSigner.sign` makes the mac (src/auth/signing.py:12-14). It is checked in src/auth/middleware.py:4-6.

`SessionSigner.sign` is also at src/auth/signing.py:12-14, and `Vault` in src/auth/vault.py:3.
"""


def captured(repo: Path, report: str, outcome: Outcome | None = None) -> Note:
    with Snapshot(repo, "HEAD") as snapshot:
        checked = verify.check(citations.read(report), snapshot)
        anchors = [made for one in checked if (made := anchor.make(one.citation, snapshot))]
        return capture.note(
            report=report,
            checked=checked,
            anchors=anchors,
            mission=Mission(Kind.ASK, QUESTION, "3" * 40, "claude"),
            outcome=outcome or Outcome(Result.DONE, report, version="2.1", model="m-1"),
            id="7k3m9q2d",
            at="2026-11-29T12:00:00+00:00",
            status="stable",
        )


def test_a_note_says_what_was_asked_of_whom_and_what_came_of_it(repo: Path) -> None:
    note = captured(repo, REPORT)
    assert note.title == "Session cookies are signed by SessionSigner"
    assert note.description == "SessionSigner.sign makes the mac. It is checked in src/auth/middleware.py:4-6."
    assert (note.type, note.question, note.commit) == ("ask", QUESTION, "3" * 40)
    assert (note.by, note.at, note.id, note.status) == (
        "claude/2.1 (m-1)",
        "2026-11-29T12:00:00+00:00",
        "7k3m9q2d",
        "stable",
    )
    assert unmarked.without(note.body).startswith(REPORT.rstrip())


def test_every_place_is_kept_once_with_its_anchor(repo: Path) -> None:
    note = captured(repo, REPORT)
    assert [(one.at, one.verdict) for one in note.citations] == [
        ("src/auth/signing.py:12-14", "supported"),
        ("src/auth/middleware.py:4-6", "unsupported"),
        ("src/auth/vault.py:3", "wrong"),
    ]
    assert [one.path for one in note.anchors] == ["src/auth/signing.py", "src/auth/middleware.py"]


def test_doubtful_citations_are_shown_and_all_are_counted(repo: Path) -> None:
    said = captured(repo, REPORT).body.partition("## Citation check\n\n")[2]
    assert said.splitlines() == [
        f"Citations: 1 supported, 1 unsupported, 1 wrong. {capture.MEANING}",
        "",
        "- unsupported: `src/auth/middleware.py:4-6`, the sentence names nothing to look for",
        "- wrong: `src/auth/vault.py:3`, no such file",
    ]


def test_one_place_has_the_best_verdict_that_any_sentence_earned(repo: Path) -> None:
    note = captured(repo, "See src/auth/signing.py:12. And `sign` is at src/auth/signing.py:12.")
    assert [(one.at, one.verdict) for one in note.citations] == [("src/auth/signing.py:12", "supported")]
    assert "unsupported" not in note.body.partition("## Citation check")[2]


def test_a_report_that_cites_nothing_says_so(repo: Path) -> None:
    assert captured(repo, "# It is not there\n\nNothing signs.\n").body.endswith(
        "## Citation check\n\nCitations: none.\n"
    )


def test_an_empty_report_becomes_a_note_that_says_what_happened(repo: Path) -> None:
    outcome = Outcome(Result.TIMEOUT, "  \n", reason="no answer after 900 s", hint="give it longer: --timeout 30m")
    note = captured(repo, " \n", outcome)
    question = " ".join(note.question.split())
    assert (note.title, note.by) == (f"No report: the agent ran out of time: {question}", "claude")
    assert question  # in a list one such note is told from another by what was asked
    assert "no answer after 900 s" in note.body
    assert "--timeout 30m" in note.body


def test_a_report_cut_short_says_why(repo: Path) -> None:
    outcome = Outcome(Result.KILLED, "x", reason="the machine went down")
    assert (
        "This is a draft: the run was killed (the machine went down).\n" in captured(repo, "Half a find", outcome).body
    )


@pytest.mark.parametrize(
    "tail", ["```py\nx = 1", "~~~~\nx\n~~~", "<!-- a note to self", "<pre>\n\nx", "- a\n  ```\n  x"]
)
def test_what_a_report_leaves_open_does_not_swallow_the_check(repo: Path, tail: str) -> None:
    body = captured(repo, f"# Found\n\n{tail}").body
    assert [one.text for one in Document(body).passages if one.form is Form.HEADING] == ["Found", "Citation check"]


@pytest.mark.parametrize("line", ["`sign` is at a.py:3\n", "x", "```\na.py:3\n"])
def test_a_report_too_long_to_read_is_cut_and_says_where_the_rest_is(line: str) -> None:
    longest = 50_000
    cut = capture.bounded(line * (3 * longest // len(line)), "7k3m9q2d", longest=longest)
    assert longest // 2 < len(cut) < longest + 200
    assert cut.splitlines()[-1].endswith("scoutkit run logs 7k3m9q2d")
    assert Document(cut).passages[-1].form is Form.PARAGRAPH
    assert capture.bounded("short\n", "7k3m9q2d") == "short\n"
