"""Verdicts in the text, where the citations stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scoutkit.knowledge import capture, citations, headline, marks, verify
from scoutkit.knowledge.passages import Document, Form
from scoutkit.knowledge.verify import Checked
from scoutkit.snapshot import Snapshot

S = "src/auth/signing.py"


def checked(repo: Path, report: str) -> list[Checked]:
    with Snapshot(repo, "HEAD") as snapshot:
        return verify.check(citations.read(report), snapshot)


def marked(repo: Path, report: str) -> str:
    return marks.marked(report, checked(repo, report))


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (f"`sign` is in {S}:12-14.", f"`sign` is in {S}:12-14 ✓."),
        (f"`sign` (`{S}:12`), and more", f"`sign` (`{S}:12` ✓), and more"),
        (f"**`{S}:12`** has `sign`", f"**`{S}:12`** ✓ has `sign`"),
        (f"`sign`: [here]({S}#L12)!", f"`sign`: [here]({S}#L12) ✓!"),
        (f"`sign`: [`{S}:12`](https://example.org).", f"`sign`: [`{S}:12`](https://example.org) ✓."),
        (f"`sign` is in `{S}`, lines 12-14.", f"`sign` is in `{S}`, lines 12-14 ✓."),
        (f"`hmac`: {S}:3,13", f"`hmac`: {S}:3,13 ✓"),
        (f"| `sign` | {S}:12 |\n|---|---|\n| `nil` | {S}:1 |", "| `sign` | src/auth/signing.py:12 ✓ |\n"),
        (f"<https://github.com/o/r/blob/x/{S}#L12> `sign`", f"<https://github.com/o/r/blob/x/{S}#L12> ✓ `sign`"),
        (f"See {S}:4", f"See {S}:4 **[unsupported: the sentence names nothing to look for]**"),
        ("See `a.py:4`.", "See `a.py:4` **[wrong: no such file]**."),
        (f"`sign` is in {S}:1.", f"`sign` is in `{S}:12` **[corrected, was :1]**."),
        (f"`sign` is in `{S}:1-3`.", f"`sign` is in `{S}:12-14` **[corrected, was :1-3]**."),
        ("`sign` is in `lib/signing.py:12`.", f"`sign` is in `{S}:12` **[corrected, was lib/signing.py:12]**."),
        (f"`sign`: [x]({S}#L1).", f"`sign`: [x]({S}#L12) **[corrected, was :1]**."),
        (f"`sign`: [`{S}:1`]({S}#L1).", f"`sign`: [`{S}:12`]({S}#L12) **[corrected, was :1]**."),
        (f"`sign`: `{S}`, line 1.", f"`sign`: `{S}:12` **[corrected, was :1]**."),
        (f"`at {S}:1 now` `sign`", f"`at {S}:12 now` **[corrected, was :1]** `sign`"),
        (f"`a.py:1 -> {S}:12` `sign`", f"`a.py:1 -> {S}:12` **[a.py:1 wrong: no such file; could be {S}:12]** `sign`"),
        (f"`sign` {S} (line 1), so", f"`sign` `{S}:12` **[corrected, was :1]**, so"),
        (f"`sign` [x][1]\n\n[1]: {S}#L1", f"`sign` [x][1] **[corrected to {S}:12, was :1]**"),
        ("<p>\nsrc/auth/signing.py:12\n</p>", "<p>\nsrc/auth/signing.py:12\n</p>"),
    ],
)
def test_a_verdict_stands_behind_its_citation(repo: Path, report: str, expected: str) -> None:
    assert marked(repo, report).startswith(expected)


def test_a_table_stays_a_table(repo: Path) -> None:
    report = f"| what | where |\n|---|---|\n| `sign` | {S}:1 |\n| `x\\|y()` | {S}:1 |\n| - | `{S}:2` |\n"
    rows = [one for one in Document(marked(repo, report)).passages if one.form is Form.ROW]
    assert [one.text.replace("\\|", "").count("|") for one in rows] == [3, 3, 3, 3]


def test_code_blocks_are_left_alone(repo: Path) -> None:
    block = f"```\n{S}:12 ✓ `sign`\n```"
    assert block in marked(repo, f"`sign` is in {S}:12:\n\n{block}\n")


REPORT = f"""\
# Signing

`SessionSigner.sign` ({S}:1-3) makes the mac; `nothing_like` is at {S}:2 and in `gone/a.py:3-9`.

- `verify`: [here]({S}#L1-L3), `check_cookie` – src/auth/old.py:4-6
- {S}:16-18,3 has `verify`

| what | where |
|---|---|
| `test_sign` | `test_signing.py:1` |
"""


def again(repo: Path, body: str) -> list[str]:
    return [f"{one.citation.at} {one.citation.verdict}" for one in checked(repo, body)]


def test_a_marked_note_reads_as_its_report_did(repo: Path) -> None:
    first = checked(repo, REPORT)
    body = capture.with_check(REPORT, first)
    assert sorted(one.citation.verdict for one in first) == [
        *(["corrected"] * 4),
        *(["supported"] * 1),
        *(["unsupported"] * 2),
        "wrong",
    ]
    said = {"corrected": "supported"}
    assert again(repo, body) == [
        f"{one.citation.at} {said.get(one.citation.verdict or '', one.citation.verdict)}" for one in first
    ]
    assert headline.read(body) == headline.read(REPORT.replace(f"{S}:1-3", f"`{S}:12-14`"))


def test_marks_do_not_double(repo: Path) -> None:
    once = marked(repo, REPORT)
    twice = marked(repo, once)
    assert twice.count("**[") == once.count("**[") - 4  # those that were corrected are right now
    assert marked(repo, twice) == twice


PIECES = st.sampled_from(
    [
        *(f" `sign` {S}:12", f" `{S}:1-3,16`", f" [x]({S}#L1)", " `gone.py:3`", f" {S}, lines 1 and 12", "`verify`"),
        *("**", "`", "```\n", "\n\n", "\n", "| ", " |", "\n|-|-|\n", "> ", "- ", "(", ")", ". ", "]", "<", ">"),
        *("## Citation check\n", "✓", " ✓", " **[wrong: x]**", " ::sign", f" {S}::sign", "会话", "\\", "\r\n", "  "),
    ]
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=14).map("".join))
@example(f".  {S}, lines 1 and 12 [x]({S}#L1)\n\n `sign` {S}:12")  # rewritten, what follows `.` begins a sentence
def test_marks_of_any_text_change_no_citation(repo: Path, text: str) -> None:
    first = checked(repo, text)
    body = marks.marked(text, first)
    second = checked(repo, body)
    said = [(one.citation.at, "supported" if one.citation.was else one.citation.verdict) for one in first]
    assert dict.fromkeys((one.citation.at, one.citation.verdict) for one in second) == dict.fromkeys(said)
    assert any(one.citation.was for one in first) or marks.marked(body, second) == body


@pytest.mark.timeout(60)
def test_marking_takes_linear_time(repo: Path) -> None:
    report = f"`sign` is at {S}:12 and `nothing` at {S}:1. **[" * 3000
    assert marked(repo, report).count("✓") > 2000
