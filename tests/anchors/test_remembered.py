"""Lines whose commit git does not have any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scoutkit.anchors import anchor
from scoutkit.anchors.region import Regions
from scoutkit.model.notes import Anchor, Citation, Located, Region, Verdict
from scoutkit.snapshot import Snapshot

LOST = "1" * 40
LINES = [f"value_{number} = compute({number}, 'x' * {number * 7})" for number in range(1, 31)]


@pytest.fixture
def remembered(repo: Path, git: Callable[..., str]) -> Callable[..., Located]:
    """Follow lines 10 to 14 by their anchor alone, after the files were written anew."""
    from scoutkit import git as scout_git

    (repo / "app.py").write_text("\n".join(LINES) + "\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "lines")
    repository = scout_git.discover(repo)
    with Snapshot(repo, scout_git.resolve(repository, "HEAD")) as snapshot:
        made = anchor.make(Citation("app.py", 10, 14, Verdict.SUPPORTED), snapshot)
    assert made
    lost: Anchor = replace(made, blob="2" * 40)

    def follow(files: dict[str, list[str]]) -> Located:
        (repo / "app.py").unlink()
        for path, lines in files.items():
            (repo / path).parent.mkdir(parents=True, exist_ok=True)
            (repo / path).write_text("\n".join(lines) + "\n")
        with Regions(repository) as regions:
            return regions.locate(Region("app.py", 10, 14), LOST, lost)

    return follow


def test_the_same_lines_are_fresh(remembered: Callable[..., Located]) -> None:
    assert remembered({"app.py": ["# other", *LINES[1:]]}).verdict is Verdict.FRESH


def test_lines_above_move_them(remembered: Callable[..., Located]) -> None:
    found = remembered({"app.py": ["import os", "", *LINES]})
    assert (found.verdict, found.region) == (Verdict.MOVED, Region("app.py", 12, 16))


def test_an_edit_in_the_middle_is_seen(remembered: Callable[..., Located]) -> None:
    found = remembered({"app.py": [*LINES[:11], "value_12 = None", *LINES[12:]]})
    assert (found.verdict, found.region) == (Verdict.EDITED, Region("app.py", 10, 14))


def test_an_edit_of_the_first_line_is_between_what_was_around(remembered: Callable[..., Located]) -> None:
    found = remembered({"app.py": ["import os", *LINES[:9], "value_10 = None", *LINES[10:]]})
    assert (found.verdict, found.region) == (Verdict.EDITED, Region("app.py", 11, 15))


def test_another_folder_is_found(remembered: Callable[..., Located]) -> None:
    found = remembered({"src/app.py": LINES})
    assert (found.verdict, found.region) == (Verdict.MOVED, Region("src/app.py", 10, 14))


def test_what_is_nowhere_is_gone(remembered: Callable[..., Located]) -> None:
    found = remembered({"app.py": ["nothing", "of", "it"]})
    assert (found.verdict, found.region) == (Verdict.GONE, None)
