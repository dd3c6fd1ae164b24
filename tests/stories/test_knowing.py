"""What is known about a place: citations followed to the files as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scoutkit import difference
from scoutkit.desk import Desk
from scoutkit.stories import knowing
from scoutkit.stories.knowing import Answer

SIGNING = "src/auth/signing.py"
SIGN = f"{SIGNING}:12-14"
VERIFY = f"{SIGNING}:16-18"


@dataclass
class Place:
    """The small repository, with notes whose citations are of its first commit."""

    repo: Path
    git: Callable[..., str]

    def note(self, name: str, *cited: str, status: str = "stable", at: str = "2026-01-01", body: str = "") -> None:
        """A note of HEAD."""
        rows = "".join(f"- {{at: '{one}', verdict: supported}}\n" for one in cited)
        front = (
            f"id: {name:0>8}\ntitle: Note {name}\nstatus: {status}\ncommit: {self.git(self.repo, 'rev-parse', 'HEAD')}"
        )
        front += f"generated: {{by: x/1, at: {at}T00:00:00+00:00}}\n" + (f"citations:\n{rows}" if cited else "")
        path = self.repo / f".claude/notes/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{front}---\n\n{body or 'It says so in ' + ' and '.join(cited)}.\n")

    def change(self, old: str, new: str, path: str = SIGNING) -> None:
        """Edit a file; `old` empty: put lines before it."""
        text = (self.repo / path).read_text()
        assert old in text
        (self.repo / path).write_text(text.replace(old, new, 1) if old else new + text)

    def about(self, path: str, start: int = 0, end: int = 0, **options: int) -> Answer:
        desk = self.desk
        return knowing.about(desk, path, start, end, **options)

    @property
    def desk(self) -> Desk:
        desk = Desk.open(self.repo)
        desk.sync()
        return desk

    def touched(self, revision: str = "", **options: bool) -> Answer:
        desk = self.desk
        return knowing.touched(desk, difference.between(desk.repository, revision, **options))


@pytest.fixture
def place(repo: Path, git: Callable[..., str]) -> Place:
    return Place(repo, git)


def told(answer: Answer) -> list[str]:
    return [one.note.title.removeprefix("Note ") for one in answer.known]


def places(answer: Answer) -> Iterator[str]:
    for one in answer.known:
        for each in one.places:
            yield f"{each.followed.verdict} {each.at.path}:{each.at.start}-{each.at.end}"


def test_lines_that_moved_are_known_where_they_are_and_no_longer_where_they_were(place: Place) -> None:
    place.note("sign", SIGN)
    place.change("", "# a line\n" * 40)
    assert list(places(place.about(SIGNING, 53))) == [f"moved {SIGNING}:52-54"]
    before = place.about(SIGNING, 13)
    assert (before.known, before.drifted) == ((), 1)


def test_the_nearest_come_first_then_what_holds_then_the_newest(place: Place) -> None:
    place.note("wide", f"{SIGNING}:6-18")
    place.note("old", SIGN, at="2025-01-01")
    place.note("new", SIGN)
    place.note("given-up", SIGN, status="deprecated")
    assert told(place.about(SIGNING, 12, 14)) == ["new", "old", "given-up", "wide"]
    assert told(place.about(SIGNING, 12, 14, limit=1)) == ["new"]
    assert place.about(SIGNING, 12, 14, limit=1).more == 3


def test_edited_lines_say_what_changed(place: Place) -> None:
    place.note("verify", SIGN, VERIFY)
    place.change("cookie.rsplit(b'.', 1)", "cookie.rsplit(b'!', 1)")
    (known,) = place.about(SIGNING, 17).known
    assert [each.changed for each in known.places] == [
        ("-        value, mac = cookie.rsplit(b'.', 1)", "+        value, mac = cookie.rsplit(b'!', 1)")
    ]
    assert known.says[slice(*known.marks[0])] == VERIFY


def test_lines_that_are_gone_are_known_of_the_file_alone(place: Place) -> None:
    place.note("verify", VERIFY)
    text = (place.repo / SIGNING).read_text()
    (place.repo / SIGNING).write_text(text[: text.index("    def verify")] + "    limit = 3\n    retries = 7\n")
    assert list(places(place.about(SIGNING))) == [f"gone {VERIFY}"]
    assert place.about(SIGNING, 16).known == ()


@pytest.mark.parametrize("committed", [True, False])
def test_a_renamed_file_is_known_by_both_names(place: Place, committed: bool) -> None:
    place.note("sign", SIGN)
    new = "src/auth/cookies.py"
    place.git(place.repo, "mv", SIGNING, new)
    place.change("", "# a line\n", new)
    if committed:
        place.git(place.repo, "commit", "-qam", "rename")
    for asked in ((new, 14), (new,), (SIGNING,), (SIGNING, 12)):
        assert list(places(place.about(*asked))) == [f"moved {new}:13-15"], asked


def test_a_function_that_went_to_another_file_is_known_there(place: Place) -> None:
    place.repo.joinpath(".claude/notes").mkdir(parents=True)
    place.note("check", "src/auth/middleware.py:4-6")
    note = place.repo / ".claude/notes/check.md"
    note.write_text(note.read_text().replace("supported}", "supported, symbol: check_cookie}"))
    text = (place.repo / "src/auth/middleware.py").read_text()
    function = text[text.index("def check_cookie") :]
    place.change(function, "limit = 1\n", "src/auth/middleware.py")
    (place.repo / "src/web.py").write_text(f"from auth.signing import SessionSigner\n\n\n{function}")
    assert list(places(place.about("src/web.py", 5))) == ["moved src/web.py:4-6"]
    assert list(places(place.about("src/auth/middleware.py"))) == ["moved src/web.py:4-6"]


def test_a_folder_is_known_by_what_is_in_it_now(place: Place) -> None:
    place.note("sign", SIGN)
    place.note("test", "tests/test_signing.py:4-5")
    place.git(place.repo, "mv", "src/auth/signing.py", "src/signing.py")
    assert told(place.about("tests")) == ["test"]
    assert told(place.about("src")) == ["sign"]
    assert sorted(told(place.about("."))) == ["sign", "test"]


@pytest.mark.parametrize("few", [100, 0])
@pytest.mark.parametrize("committed", [True, False])
def test_a_renamed_folder_is_known_by_both_names(
    place: Place, monkeypatch: pytest.MonkeyPatch, committed: bool, few: int
) -> None:
    monkeypatch.setattr("scoutkit.stories.arrivals._FEW_LOST", few)
    place.note("sign", SIGN)
    place.note("test", "tests/test_signing.py:4-5")
    place.git(place.repo, "mv", "src/auth", "src/[authn]")
    if committed:
        place.git(place.repo, "commit", "-qam", "rename")
    for asked in ("src/[authn]", "src/auth", "src", "src/*/sign*.py", "src/a*"):
        found = place.about(asked)
        assert list(places(found)) == ["moved src/[authn]/signing.py:12-14"], asked
        assert found.unfollowed == 0


@pytest.mark.parametrize("name", ["app/[slug]/page.py", "app/what?.py", "app/a*b.py", "app/[...all].py"])
def test_a_name_that_looks_like_a_pattern_is_a_name_too(place: Place, name: str) -> None:
    (place.repo / name).parent.mkdir(parents=True)
    (place.repo / name).write_text("def page():\n    return 1\n")
    place.git(place.repo, "add", ".")
    place.git(place.repo, "commit", "-qm", "page")
    place.note("page", f"{name}:1-2")
    for asked in ((name,), (name, 2), ("app",), (str(Path(name).parent),), ("app/*",)):
        assert told(place.about(*asked)) == ["page"], asked


@pytest.mark.parametrize(("most", "left"), [(1, 2), (2, 1), (3, 0)])
def test_notes_on_more_files_that_are_gone_than_are_looked_at_are_counted(
    place: Place, monkeypatch: pytest.MonkeyPatch, most: int, left: int
) -> None:
    monkeypatch.setattr("scoutkit.stories.arrivals._MOST_LOST", most)
    for name in ("one", "two", "three"):
        place.note(name, f"gone/{name}.py:1-2")
    assert place.about(SIGNING).unfollowed == left


def test_a_file_that_was_renamed_into_a_folder_is_known_there(place: Place) -> None:
    place.note("sign", SIGN)
    (place.repo / "lib").mkdir()
    place.git(place.repo, "mv", SIGNING, "lib/cookies.py")
    assert list(places(place.about("lib"))) == ["moved lib/cookies.py:12-14"]
    assert place.about("tests").known == ()


def test_a_note_that_only_mentions_a_file_comes_last(place: Place) -> None:
    place.note("sign", SIGN)
    place.note("plain", body=f"Look at {SIGNING} one day")
    found = place.about(SIGNING)
    assert told(found) == ["sign", "plain"]
    assert found.known[1].places == ()
    assert told(place.about(SIGNING, 13)) == ["sign"]


def test_more_notes_than_are_followed_are_counted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowing, "MOST", 2)
    for number in range(5):
        place.note(f"n{number}", f"{SIGNING}:{number + 1}")
    found = place.about(SIGNING, 1)
    assert (told(found), found.unfollowed) == (["n0"], 3)


def test_a_change_touches_what_it_removes_edits_and_adds_to(place: Place) -> None:
    place.note("sign", SIGN)
    place.note("given-up", SIGN, status="deprecated")
    place.note("verify", VERIFY)
    place.note("init", f"{SIGNING}:9-10")
    assert place.touched("HEAD").known == ()
    place.change("mac.digest()", "mac.hexdigest()")
    assert list(places(place.touched("HEAD"))) == [f"edited {SIGN}"]
    place.change("    def sign", "    # above it\n    def sign")
    assert told(place.touched("HEAD")) == ["sign"]
    place.change("        value, mac =", "        assert cookie\n        value, mac =")
    assert sorted(told(place.touched("HEAD"))) == ["sign", "verify"]
    (place.repo / SIGNING).unlink()
    assert sorted(told(place.touched("HEAD"))) == ["init", "sign", "verify"]


def test_what_is_staged_counts_and_not_what_is_on_disk(place: Place) -> None:
    place.note("sign", SIGN)
    good = (place.repo / SIGNING).read_text()
    place.change("'sha256'", "'sha512'")
    assert place.touched(staged=True).known == ()
    place.git(place.repo, "add", SIGNING)
    (place.repo / SIGNING).write_text(good)
    assert list(places(place.touched(staged=True))) == [f"edited {SIGN}"]
    assert place.touched("HEAD").known == ()


def test_lines_that_are_only_moved_along_are_not_touched(place: Place) -> None:
    place.note("sign", SIGN)
    place.change("", "# a line\n" * 3)
    place.git(place.repo, "mv", SIGNING, "src/auth/cookies.py")
    assert place.touched("HEAD").known == ()


def test_lines_written_since_are_known_by_the_notes_about_them(place: Place) -> None:
    place.git(place.repo, "tag", "before")
    place.change("", "SECRET = 1\nOTHER = 2\n")
    place.git(place.repo, "commit", "-qam", "more")
    place.note("secret", f"{SIGNING}:1-2")
    assert list(places(place.touched("before"))) == [f"fresh {SIGNING}:1-2"]
    assert list(places(place.touched("before..HEAD"))) == [f"fresh {SIGNING}:1-2"]
    assert place.touched("HEAD~1...before").known == ()
