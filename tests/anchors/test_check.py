"""Does a note still hold at a commit?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scoutkit import git as gitrunner
from scoutkit.anchors import anchor, check
from scoutkit.anchors.region import Regions
from scoutkit.model.notes import Citation, Note, Verdict
from scoutkit.snapshot import Snapshot

SIGNING = "src/auth/signing.py"


@pytest.fixture
def note(repo: Path) -> Note:
    cited = (Citation(SIGNING, 12, 14, Verdict.SUPPORTED), Citation("vault.py", 3, 3, Verdict.WRONG))
    with Snapshot(repo, "HEAD") as snapshot:
        made = [found for one in cited if (found := anchor.make(one, snapshot))]
    head = gitrunner.output(repo, "rev-parse", "HEAD").strip()
    return Note("7k3m9q2d", "Signing", commit=head, citations=cited, anchors=tuple(made))


def follow(repo: Path, note: Note) -> list[check.Followed]:
    """Against HEAD."""
    repository = gitrunner.discover(repo)
    with Regions(repository, gitrunner.resolve(repository, "HEAD")) as regions:
        return check.follow(note, regions)


@pytest.fixture
def holds_after(repo: Path, git: Callable[..., str], note: Note) -> Callable[..., bool]:
    """Does the note hold once its file reads otherwise?"""

    def call(change: Callable[[str], str], subject: Note = note) -> bool:
        path = repo / SIGNING
        path.write_bytes(change(path.read_bytes().decode()).encode())
        git(repo, "commit", "-qam", "change", "--allow-empty")
        return check.hold(follow(repo, subject))

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
        lambda text: text.replace("mac = ", "mac = \0"),
    ],
)
def test_does_not_hold(holds_after: Callable[..., bool], change: Callable[[str], str]) -> None:
    assert not holds_after(change)


def test_does_not_hold_without_its_file(repo: Path, git: Callable[..., str], note: Note) -> None:
    git(repo, "rm", "-q", SIGNING)
    git(repo, "commit", "-qm", "gone")
    assert follow(repo, note)[0].verdict is Verdict.GONE


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ((SIGNING, 400, 400), f"no such lines: {SIGNING}:400, the file has 18 lines"),
        ((SIGNING, 4, 400), f"no such lines: {SIGNING}:4-400, the file has 18 lines"),
        ((f"{SIGNING}:99999999999", 0, 0), "no file has such a line"),
        ((SIGNING, 14, 12), "its end is before its start"),
        ((SIGNING, 0, 0), "it names no lines"),
    ],
)
def test_lines_that_there_never_were_are_gone_and_the_reason_is_told(repo: Path, note: Note, place, why) -> None:
    (one,) = follow(repo, replace(note, citations=(Citation(*place, Verdict.SUPPORTED),), anchors=()))
    assert (one.verdict, one.why) == (Verdict.GONE, why)


def test_a_citation_that_was_wrong_at_birth_stays_wrong_and_does_not_count(repo: Path, note: Note) -> None:
    (one,) = follow(repo, replace(note, citations=note.citations[1:], anchors=()))
    assert (one.verdict, one.now, one.counts) == (Verdict.WRONG, None, False)
    assert check.hold([one])


def test_a_commit_is_as_good_as_an_anchor_and_an_anchor_as_a_commit(
    holds_after: Callable[..., bool], note: Note
) -> None:
    for odd in (replace(note, anchors=()), replace(note, commit="0" * 40), replace(note, commit="")):
        assert holds_after(lambda text: "# x\n" + text, odd)
    assert not holds_after(lambda text: text.replace("sha256", "md5"), replace(note, commit="0" * 40))


@pytest.mark.parametrize("commit", ["", "0" * 40, "--output=/tmp/x", "HEAD"])
def test_a_citation_that_cannot_be_compared_is_gone_and_says_why(repo: Path, note: Note, commit: str) -> None:
    one, _ = follow(repo, replace(note, commit=commit, anchors=()))
    assert (one.verdict, one.now, one.holds) == (Verdict.GONE, None, False)
    assert one.why


@pytest.mark.parametrize(("start", "end"), [(0, 0), (0, -3), (5, 4), (1, 10**8)])
def test_lines_that_never_were_are_gone_and_say_why(repo: Path, note: Note, start: int, end: int) -> None:
    (one,) = follow(repo, replace(note, citations=(Citation(SIGNING, start, end, Verdict.SUPPORTED),)))
    assert one.verdict is Verdict.GONE
    assert one.why


def test_a_citation_that_was_moved_is_followed_from_where_it_stood(
    repo: Path, git: Callable[..., str], note: Note
) -> None:
    path = repo / SIGNING
    path.write_text("# x\n# y\n" + path.read_text())
    git(repo, "commit", "-qam", "two lines down")
    moved = Citation(SIGNING, 14, 16, Verdict.SUPPORTED, base=f"{SIGNING}:12-14")
    assert [one.verdict for one in follow(repo, note)] == [Verdict.MOVED, Verdict.WRONG]
    assert [one.verdict for one in follow(repo, replace(note, citations=(moved,)))] == [Verdict.FRESH]
