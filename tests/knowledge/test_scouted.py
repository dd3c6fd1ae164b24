"""The text of a scout's note, from evidence and a report."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.knowledge import citations, quoting, scouted
from scoutkit.model.evidence import Checked, Committed, Dependency, Evidence, GivenUp, Ran, Touched
from scoutkit.model.missions import Outcome, Result
from scoutkit.model.notes import Region

CODE = ["def sign(value):", "    mac = digest(value)", "", "    return mac", "", "LIMIT = 3"]


def lines(path: str) -> list[str] | None:
    return CODE if path == "a.py" else None


def made(evidence: Evidence, report: str = "", result: Result = Result.DONE) -> str:
    return scouted.text("Try it", report, evidence, Outcome(result, report), lines)


@pytest.mark.parametrize(
    ("report", "lower"),
    [
        ("# A\n\ntext\n\n## B\n", "### A\n\ntext\n\n#### B\n"),
        ("A\n===\n\nB\n---\ntext\n", "### A\n\n#### B\ntext\n"),
        ("```sh\n# a comment\n```\n# A\n", "```sh\n# a comment\n```\n### A\n"),
        ("##### A\n", "###### A\n"),
        ("no heading # here\n", "no heading # here\n"),
    ],
)
def test_headings_go_down_and_all_else_stays(report, lower):
    assert quoting.demoted(report) == lower


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="# =-`\n>*ab|", max_size=60))
def test_no_text_breaks_it(report):
    lower = quoting.demoted(report)
    assert [one for one in lower if one in "ab"] == [one for one in report if one in "ab"]
    assert made(Evidence(), report).startswith("#") or report.strip()


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("`sign` is in `a.py:1`. More.", "`sign` is in `a.py:1`. More."),
        ("Ends (`a.py:1`)\nin **two**\nlines. `B`. Third.", "Ends (`a.py:1`) in **two** lines. `B`."),
        ("`word` " * 70, "word " * 58 + "word…"),
        ("> a quotation `x` that tells all\n> of it", "a quotation x that tells all of it"),
    ],
)
def test_what_the_report_says_first_stands_on_top_as_it_is_written(said, first):
    """So that its citations are checked against the names in it."""
    text = made(Evidence(), f"# It can be done\n\n{said}\n")
    assert text.startswith(f"# It can be done\n\n{first}\n\nThe agent was done. ")


@pytest.mark.parametrize(
    ("patch", "words"), [("", "All code is thrown away."), ("x/code.patch (3 days)", "`x/code.patch (3 days)`.")]
)
def test_whether_the_code_is_kept_is_said_truly(patch, words):
    summary = made(Evidence(patch=patch)).split("\n\n")[1]
    assert words in summary
    assert ("thrown away" in summary) is not bool(patch)


def test_places_are_cited_with_a_line_of_them_and_what_they_are_in():
    text = made(Evidence(touched=(Touched("a.py", "modified", 1, 1, regions=(Region("a.py", 2, 3),)),)))
    assert "in `sign` at `mac = digest(value)` (`a.py:2-3`)" in text
    text = made(Evidence(touched=(Touched("a.py", "modified", 1, 0, regions=(Region("a.py", 3, 3),)),)))
    assert "(`a.py:2-3`)" in text  # a blank line tells nothing
    text = made(Evidence(touched=(Touched("a.py", "modified", 1, 0, regions=(Region("a.py", 90, 99),)),)))
    assert "(`a.py:6`)" in text


def test_the_worst_evidence_is_one_document_without_citations_of_its_own():
    odd = "a.py:1 | `x` \n# no\n```\n<b> b.py::f"
    evidence = Evidence(
        touched=(Touched("o|`\nd.py", "renamed", None, None, was="w`.py", why="because | of\n# it"),),
        ran=(Ran(odd, 1, 1.0, (odd, odd), ok=False), Ran(odd, None, None, note="was running when the agent ended")),
        given_up=(GivenUp("command", odd, odd, 2), GivenUp("edit", "x.py", "why")),
        dependencies=(Dependency("n", "package.json", "", "1"),),
        checks=(Checked(odd, None, None), Checked(odd, Ran(odd, 1, 1.0, (odd,), ok=False), Ran(odd, 0, 1.0, ok=True))),
        commits=(Committed("1" * 40, "it | is"),),
        progress=odd,
        left_out=("x",),
        outside=("y.py",),
    )
    text = made(evidence, result=Result.FAILED)
    assert [one.written for one in citations.read(text)] == []
    assert "\n# no" not in text.split("\n## Progress")[0].split("## Commands")[0]
    assert [title for title in scouted.SECTIONS if f"\n## {title}\n" not in text] == []


def test_a_stash_is_listed_but_is_no_commit_that_it_got_to():
    stash = Committed("2" * 40, "WIP on main: 1111111 Upgrade it", ("stash",))
    text = made(Evidence(commits=(stash, Committed("1" * 40, "Upgrade it", ("HEAD", "main", "stash")))))
    assert "; 1 commit;" in text
    assert text.count("It got as far as committing") == 1
    assert "| WIP on main: 1111111 Upgrade it | stash |" in text


def test_an_empty_run_says_so():
    text = made(Evidence(), result=Result.TIMEOUT)
    assert text.startswith("# Tried: Try it\n")
    assert "The agent ran out of time" in text
    assert "Nothing was changed" in text
