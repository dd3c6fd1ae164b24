"""Does a note still hold at a commit?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scoutkit.anchors import anchor, check
from scoutkit.git import Snapshot
from scoutkit.model.notes import Anchor, Citation, Note, Verdict

SIGNING = "src/auth/signing.py"


@pytest.fixture
def note(repo: Path) -> Note:
    cited = (Citation(SIGNING, 12, 14, Verdict.SUPPORTED), Citation("vault.py", 3, 3, Verdict.WRONG))
    with Snapshot(repo, "HEAD") as snapshot:
        made = [found for one in cited if (found := anchor.make(one, snapshot))]
    return Note("7k3m9q2d", "Signing", citations=cited, anchors=tuple(made))


@pytest.fixture
def holds_after(repo: Path, git: Callable[..., str], note: Note) -> Callable[..., bool]:
    """Does the note hold once its file reads otherwise?"""

    def call(change: Callable[[str], str], subject: Note = note) -> bool:
        path = repo / SIGNING
        path.write_bytes(change(path.read_bytes().decode()).encode())
        git(repo, "commit", "-qam", "change", "--allow-empty")
        with Snapshot(repo, "HEAD") as snapshot:
            return check.holds(subject, snapshot)

    return call


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text + "\n# more\n",
        lambda text: "# Licence\n" * 20 + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("    ", "\t"),
        lambda text: text.replace("def verify", "def check"),
        lambda text: text + text.partition("    def sign")[2],  # the lines once more: the old place still has them
    ],
)
def test_holds(holds_after: Callable[..., bool], change: Callable[[str], str]) -> None:
    assert holds_after(change)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("sha256", "sha512"),
        lambda text: text.replace("mac.digest()", "mac.hexdigest()"),
        lambda text: "",
        lambda text: "# x\n" + text + text,  # twice, and neither where it was
        lambda text: text.replace("mac = ", "mac = \0"),
    ],
)
def test_does_not_hold(holds_after: Callable[..., bool], change: Callable[[str], str]) -> None:
    assert not holds_after(change)


def test_does_not_hold_without_its_file(repo: Path, git: Callable[..., str], note: Note) -> None:
    git(repo, "rm", "-q", SIGNING)
    git(repo, "commit", "-qm", "gone")
    with Snapshot(repo, "HEAD") as snapshot:
        assert not check.holds(note, snapshot)


def test_a_citation_that_was_wrong_at_birth_does_not_count(repo: Path, note: Note) -> None:
    with Snapshot(repo, "HEAD") as snapshot:
        assert check.holds(replace(note, citations=note.citations[1:], anchors=()), snapshot)


def test_a_citation_without_an_anchor_does_not_hold(repo: Path, note: Note) -> None:
    with Snapshot(repo, "HEAD") as snapshot:
        assert not check.holds(replace(note, anchors=()), snapshot)


def test_an_anchor_that_somebody_broke_does_not_hold(holds_after: Callable[..., bool], note: Note) -> None:
    (good,) = note.anchors
    for broken in (
        Anchor(good.path, 12, 14, "", "", "", "", "", ""),
        replace(good, text="0" * 16),
        replace(good, lines="?"),
    ):
        odd = replace(note, anchors=(broken,))
        assert not holds_after(lambda text: "# x\n" + text, odd)
    backwards = replace(good, start=0, end=-3, lines="")
    cited = (replace(note.citations[0], start=0, end=-3),)
    assert not holds_after(lambda text: text, replace(note, citations=cited, anchors=(backwards,)))


def test_an_unchanged_file_is_not_read(repo: Path, note: Note, monkeypatch: pytest.MonkeyPatch) -> None:
    with Snapshot(repo, "HEAD") as snapshot:
        monkeypatch.delattr(Snapshot, "lines")
        assert check.holds(note, snapshot)
