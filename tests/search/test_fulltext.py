from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waiting import PATIENCE, until

from scoutkit.errors import Refused, Unavailable
from scoutkit.search import following, stamp
from scoutkit.search.fulltext import Fulltext
from scoutkit.search.index import Index

from .conftest import Shelf

SUBJECTS = {
    "aaaa1111": ("Session cookies are signed by SessionSigner", "auth", "src/auth/signing.py:4-9"),
    "bbbb1111": ("Session cookies are verified in the middleware", "auth", "src/auth/middleware.py:1-9"),
    "cccc1111": ("The rate limiter counts requests per client", "limits", "src/limits/counter.py:1-9"),
    "dddd1111": ("Templates are rendered with autoescape", "views", "src/views/render.py:1-9"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "whoosh" / "key"


@pytest.fixture
def fulltext(shelf: Shelf, folder: Path) -> Fulltext:
    """Over four notes, not in step yet."""
    for note_id, (title, tag, place) in SUBJECTS.items():
        keys = {"id": note_id, "title": title, "tags": f"[{tag}]", "citations": f"[{{at: '{place}'}}]"}
        shelf.note(f"{note_id}.md", f"## Details of {tag}", **keys)
    shelf.sync()
    return Fulltext(folder, shelf.catalogue)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sesion cokies", "session cookies"),
        ("middlewear", "middleware"),
        ("Autoescpae in templates", "autoescape in templates"),
        ("ression", "session"),
        ("xsession", "session"),
        ("outoescape", "autoescape"),
        ("uatoescape", "autoescape"),
        ("utoescape", "autoescape"),
        ("SesionSigner", "sessionsigner"),
        ("sesion_cokies", "session cookies"),
        ("rate-limitter", "rate-limiter"),
    ],
)
def test_words_nobody_wrote_are_taken_for_those_that_look_like_them(fulltext: Fulltext, typed: str, meant: str) -> None:
    assert fulltext.suggest(typed) == meant


def test_first_letters_that_are_wrong_are_mended_in_every_script(shelf: Shelf, folder: Path) -> None:
    for number, title in enumerate(("Überweisung", "журнал", "ωmega", "9lives")):
        shelf.note(f"{number}.md", "## Kept", id=f"aaaa111{number}", title=title)
    shelf.sync()
    fulltext = Fulltext(folder, shelf.catalogue)
    pairs = {"äberweisung": "überweisung", "курнал": "журнал", "mega": "ωmega", "8lives": "9lives"}
    for typed, meant in pairs.items():
        assert fulltext.suggest(typed) == meant
    assert fulltext.alike("курнал", limit=5) == ("журнал", ["aaaa1111"])


@pytest.mark.parametrize(
    "typed", ["session", "xylophone", "", "...", "会话", "12345", "abc", "🔥", "\0", "\ud800", "x" * 9000]
)
def test_where_nothing_is_like_a_text_nothing_is_suggested(fulltext: Fulltext, typed: str) -> None:
    assert fulltext.suggest(typed) is None
    assert fulltext.fuzzy(typed) == []


def test_notes_are_found_in_spite_of_typing_errors(fulltext: Fulltext) -> None:
    assert fulltext.fuzzy("middlewear") == ["bbbb1111"]
    assert set(fulltext.fuzzy("sesion")) == {"aaaa1111", "bbbb1111"}
    assert fulltext.fuzzy("sesion middlewear")[0] == "bbbb1111"
    assert len(fulltext.fuzzy("sesion", limit=1)) == 1


def test_tags_headings_paths_and_symbols_are_on_the_card_and_the_body_is_not(shelf: Shelf, folder: Path) -> None:
    citations = "[{at: 'src/quokka/a.py:1-2', symbol: WombatBurrow.dig}]"
    body = "## About platypuses\n\n```\n# echidna\n```\n\nkookaburra\n"
    shelf.note("a.md", body, title="T", tags="[numbat]", citations=citations)
    shelf.sync()
    fulltext = Fulltext(folder, shelf.catalogue)
    pairs = {"quoka": "quokka", "wombatt": "wombat", "platypusses": "platypuses", "numbatt": "numbat"}
    for typed, meant in pairs.items():
        assert fulltext.suggest(typed) == meant
    assert fulltext.suggest("kookaburrra") is None
    assert fulltext.suggest("echidnas") is None


def test_notes_on_the_same_subject_are_related(fulltext: Fulltext) -> None:
    assert fulltext.related("aaaa1111")[0] == "bbbb1111"
    assert "aaaa1111" not in fulltext.related("aaaa1111")
    assert fulltext.related("nosuch") == []
    assert len(fulltext.related("aaaa1111", limit=1)) == 1


def test_the_index_follows_edits_renames_and_deletions(shelf: Shelf, fulltext: Fulltext) -> None:
    assert fulltext.fuzzy("middlewear") == ["bbbb1111"]
    shelf.note("aaaa1111.md", id="aaaa1111", title="Now about wallabies")
    (shelf.root / "bbbb1111.md").rename(shelf.root / "moved.md")
    (shelf.root / "cccc1111.md").unlink()
    shelf.sync()
    assert fulltext.fuzzy("walabies") == ["aaaa1111"]
    assert fulltext.fuzzy("middlewear") == ["bbbb1111"]
    assert fulltext.suggest("limitter") is None
    assert fulltext.difference() == ""


def test_a_difference_is_told(shelf: Shelf, fulltext: Fulltext) -> None:
    assert fulltext.difference() == "there is no full-text index yet"
    fulltext.update()
    assert fulltext.difference() == ""
    shelf.note("new.md", title="New")
    (shelf.root / "cccc1111.md").unlink()
    shelf.sync()
    assert fulltext.difference() == "1 notes are missing from it, 1 in it are gone"


def test_an_index_that_does_not_find_what_it_has_is_told(shelf: Shelf, fulltext: Fulltext, folder: Path) -> None:
    fulltext.update()
    with Index(folder, shelf.catalogue).opened() as index, index.writer() as writer:
        with index.reader() as reader:
            fields = next(fields for _, fields in reader.iter_docs() if fields["note"] == "dddd1111")
        writer.update_document(**fields, words="something else", stems="something else")
    assert fulltext.difference() == "it does not find dddd1111.md by its title"


def test_a_damaged_index_does_no_harm_and_is_made_again(fulltext: Fulltext, folder: Path) -> None:
    fulltext.update()
    for path in folder.glob("*.toc"):
        path.write_bytes(b"garbage")
    assert fulltext.difference().startswith("damaged")
    assert fulltext.suggest("sesion") == "session"
    assert fulltext.related("aaaa1111")
    assert fulltext.difference() == ""


def test_segments_that_are_lost_are_made_again(fulltext: Fulltext, folder: Path) -> None:
    fulltext.update()
    for path in folder.glob("*.seg"):
        path.unlink()
    assert fulltext.difference().startswith("damaged")
    assert fulltext.suggest("sesion") == "session"


def test_a_large_damaged_index_is_left_to_the_follower(shelf: Shelf, folder: Path) -> None:
    for number in range(150):
        shelf.note(f"{number}.md", title=f"walrus {number}", id=f"n{number:07}")
    shelf.sync()
    fulltext = Fulltext(folder, shelf.catalogue)
    fulltext.update()
    for path in folder.glob("*.toc"):
        path.write_bytes(b"garbage")
    assert fulltext.suggest("walruss") is None
    assert not stamp.in_step(shelf.catalogue, folder)
    with pytest.raises(Unavailable):
        fulltext.related("n0000001")
    with follower(shelf, folder) as one:
        one.communicate(timeout=PATIENCE)
    assert fulltext.suggest("walruss") == "walrus"


def test_the_folder_is_for_its_owner_alone(fulltext: Fulltext, folder: Path) -> None:
    fulltext.update()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    assert fulltext.suggest("sesion") == "session"
    assert folder.stat().st_mode & 0o777 == 0o700


def _writable_file(folder: Path) -> None:
    next(folder.glob("*.toc")).chmod(0o666)


def _writable_folder(folder: Path) -> None:
    folder.chmod(0o777)


def _link(folder: Path) -> None:
    real = folder.with_name("elsewhere")
    folder.rename(real)
    folder.symlink_to(real)


def _linked_file(folder: Path) -> None:
    toc = next(folder.glob("*.toc"))
    toc.rename(folder.parent / "toc")
    toc.symlink_to(folder.parent / "toc")


@pytest.mark.parametrize("spoil", [_writable_file, _writable_folder, _link, _linked_file])
def test_an_index_that_others_may_have_written_is_never_opened(
    fulltext: Fulltext, folder: Path, spoil: Callable[[Path], None]
) -> None:
    fulltext.update()
    spoil(folder)
    before = {path.name: path.lstat().st_mtime_ns for path in folder.iterdir()}
    assert fulltext.suggest("sesion") is None
    assert fulltext.fuzzy("sesion") == []
    assert "not yours alone" in fulltext.difference()
    with pytest.raises(Refused, match="not yours alone"):
        fulltext.update(rebuild=True)
    assert {path.name: path.lstat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_an_index_of_another_user_is_never_opened(fulltext: Fulltext, folder: Path) -> None:
    fulltext.update()
    os.chown(next(folder.glob("*.toc")), 12345, -1)
    assert fulltext.suggest("sesion") is None
    with pytest.raises(Refused):
        fulltext.update()


def test_where_no_folder_can_be_made_everything_else_works(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    shelf.note("a.md", title="walrus")
    shelf.sync()
    fulltext = Fulltext(tmp_path / "file" / "whoosh", shelf.catalogue)
    assert fulltext.suggest("walruss") is None
    with pytest.raises(Unavailable):
        fulltext.update()
    following.follow(shelf.catalogue, tmp_path / "file" / "whoosh")


def test_notes_of_another_worktree_are_not_found(shelves: Callable[[str], Shelf], tmp_path: Path, folder: Path) -> None:
    main, other = shelves(""), shelves(str(tmp_path / "other"))
    main.note("a.md", title="walrus here", id="aaaa1111")
    other.note("b.md", title="walrus there", id="bbbb1111")
    main.sync()
    other.sync()
    assert Fulltext(folder, main.catalogue).fuzzy("walruss") == ["aaaa1111"]
    assert Fulltext(folder, other.catalogue).fuzzy("walruss") == ["bbbb1111"]


def test_an_answer_does_not_wait_for_a_long_update(shelf: Shelf, folder: Path) -> None:
    for number in range(150):
        shelf.note(f"{number}.md", title=f"walrus {number}")
    shelf.sync()
    fulltext = Fulltext(folder, shelf.catalogue)
    assert fulltext.suggest("walruss") is None
    fulltext.update()
    assert fulltext.suggest("walruss") == "walrus"


def test_few_notes_wait_for_an_answer_that_needs_them(shelf: Shelf, fulltext: Fulltext, folder: Path) -> None:
    following.follow(shelf.catalogue, folder)
    assert not folder.exists()
    fulltext.update()
    for number in range(following.LATE):
        following.follow(shelf.catalogue, folder)
        assert not fulltext.index.busy()
        shelf.note(f"late{number}.md", title=f"walrus {number}")
        shelf.sync()
    following.follow(shelf.catalogue, folder)
    until(lambda: stamp.in_step(shelf.catalogue, folder))


def test_a_process_of_its_own_follows_and_ends(shelf: Shelf, fulltext: Fulltext, folder: Path) -> None:
    following.follow(shelf.catalogue, folder, late=1)
    until(lambda: stamp.in_step(shelf.catalogue, folder))
    assert fulltext.difference() == ""
    until(lambda: not fulltext.index.busy())
    written = (folder / stamp.NAME).stat().st_mtime_ns
    following.follow(shelf.catalogue, folder, late=1)
    assert not fulltext.index.busy()
    assert (folder / stamp.NAME).stat().st_mtime_ns == written


@contextlib.contextmanager
def follower(shelf: Shelf, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    argv = [sys.executable, "-m", "scoutkit.search.following", str(shelf.catalogue.path), str(folder)]
    with subprocess.Popen(argv, stderr=subprocess.PIPE) as one:
        yield one
        one.kill()


def test_a_follower_that_is_killed_leaves_an_index_that_the_next_completes(shelf: Shelf, folder: Path) -> None:
    for number in range(600):
        shelf.note(f"{number}.md", title=f"walrus {number}", id=f"n{number:07}")
    shelf.sync()
    fulltext = Fulltext(folder, shelf.catalogue)
    for wait in (0.5, 0.9):
        with follower(shelf, folder) as one:
            time.sleep(wait)
            one.send_signal(signal.SIGKILL)
    fulltext.update()
    assert fulltext.difference() == ""
    assert len(fulltext.fuzzy("walruss", limit=1000)) == 600


def test_of_several_followers_one_works_and_none_fails(shelf: Shelf, fulltext: Fulltext, folder: Path) -> None:
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(follower(shelf, folder)) for _ in range(4)]
        for one in running:
            _, err = one.communicate(timeout=PATIENCE)
            assert (one.returncode, err) == (0, b"")
    assert fulltext.difference() == ""


def test_a_follower_makes_nothing_where_the_catalogue_is_gone(shelf: Shelf, folder: Path) -> None:
    with follower(shelf, folder) as one:
        one.communicate(timeout=PATIENCE)
    assert not shelf.catalogue.path.exists()
    assert not folder.exists()
