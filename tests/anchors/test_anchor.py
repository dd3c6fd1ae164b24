"""Anchors and their fingerprints: a stored format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit.anchors import anchor, fingerprint
from scoutkit.model.notes import Citation, Verdict
from scoutkit.snapshot import Snapshot

SIGN = Citation("src/auth/signing.py", 12, 14, Verdict.SUPPORTED, "SessionSigner.sign")


def test_an_anchor_is_what_later_versions_will_read(repo: Path) -> None:
    with Snapshot(repo, "HEAD") as snapshot:
        made = anchor.make(SIGN, snapshot)
        blob = snapshot.entries[SIGN.path].blob
    assert made
    assert (made.path, made.start, made.end, made.symbol, made.blob) == (SIGN.path, 12, 14, SIGN.symbol, blob)
    assert made.first == "def sign(self, value):"
    # made with sha256sum and base64 as fingerprint.py describes it; another value would break every note there is
    assert (made.text, made.lines) == ("2580c9d7adbdede1", "7HpYSjt4p")
    assert (made.before, made.after) == ("D4z4grWw/", "dlcTZOdUu")


def test_what_has_no_lines_has_no_anchor(repo: Path) -> None:
    with Snapshot(repo, "HEAD") as snapshot:
        for citation in (
            replace(SIGN, verdict=Verdict.WRONG),
            replace(SIGN, path="nowhere.py"),
            replace(SIGN, path="src/auth"),
            replace(SIGN, end=19),
            replace(SIGN, start=0, end=0),
            replace(SIGN, start=14, end=12),
        ):
            assert anchor.make(citation, snapshot) is None


@pytest.mark.parametrize(
    "lines",
    [
        ["    if x:", "        return  1", "", "    y = 2"],
        ["if x:", "  return 1 ", "   ", "y = 2"],
        ["\tif x:\r", "\t\treturn 1\r", "\r", "\ty\t=\t2\r"],
        ["  if x:", "      return 1", "", "  y = 2\f"],
    ],
)
def test_reformatting_alone_changes_no_text(lines: list[str]) -> None:
    assert fingerprint.normalised(lines) == ["if x:", " return 1", "", "y = 2"]


@pytest.mark.parametrize(
    "lines",
    [["if x:", "return 1", "", "y = 2"], ["if x:", "    return 1", "y = 2"], ["if x:", "    return 1", "", "y=2"]],
)
def test_anything_else_does(lines: list[str]) -> None:
    assert fingerprint.of_text(lines) != fingerprint.of_text(["if x:", "    return 1", "", "y = 2"])


def test_line_fingerprints_do_not_know_indentation() -> None:
    assert fingerprint.of_line("  return  1\t") == fingerprint.of_line("return 1") != fingerprint.of_line("return 2")
    assert fingerprint.of_line(" \t") == fingerprint.BLANK


def test_a_long_range_keeps_both_ends() -> None:
    lines = [f"line {number}" for number in range(65)]
    head, star, tail = fingerprint.of_lines(lines).partition("*")
    assert (star, len(head), len(tail)) == ("*", 96, 96)
    assert fingerprint.separate(tail)[-1] == fingerprint.of_line("line 64")
    assert "*" not in fingerprint.of_lines(lines[:64])


def test_context_is_the_nearest_lines_that_are_not_blank() -> None:
    lines = ["a", "", "b", "c", "d", "HERE", "", "x", "y"]
    of = fingerprint.of_line
    assert fingerprint.before(lines, 6) == of("b") + of("c") + of("d")
    assert fingerprint.after(lines, 6) == of("x") + of("y")
    assert fingerprint.before(lines, 1) == fingerprint.after(lines, 9) == ""


@given(st.lists(st.text(max_size=12), max_size=8))
def test_fingerprints_are_safe_in_a_comment(lines: list[str]) -> None:
    assert len(fingerprint.of_text(lines)) == 16
    assert len(fingerprint.of_lines(lines)) == 3 * len(lines)
    assert not {*" -<>=\"'"} & {*fingerprint.of_lines(lines)}
    assert fingerprint.of_text(lines) == fingerprint.of_text(fingerprint.normalised(lines))
