from __future__ import annotations

from pathlib import Path

import pytest

from scoutkit.search.finding import find
from scoutkit.search.fulltext import Fulltext
from scoutkit.search.likeness import SAME

from .conftest import Shelf

SIGNED = (
    "Session cookies are signed by the session signer with a key that the settings give. The middleware verifies each"
    " cookie before the request reaches a handler, and drops what does not verify. Old keys are kept for a week."
)
LIMITS = (
    "The rate limiter counts requests of a client in a window of one minute. Counters live in memory, and a client that"
    " is over the limit gets status 429 with the seconds that it has to wait."
)


@pytest.fixture
def fulltext(shelf: Shelf, tmp_path: Path) -> Fulltext:
    shelf.note("signed.md", SIGNED, id="aaaa1111", title="How session cookies are signed", tags="[auth]")
    shelf.note("limits.md", LIMITS, id="bbbb1111", title="How requests are limited", tags="[limits]")
    shelf.sync()
    return Fulltext(tmp_path / "whoosh", shelf.catalogue)


def paths(shelf: Shelf, fulltext: Fulltext, text: str) -> tuple[list[str], str | None, bool]:
    found = find(shelf.catalogue, fulltext, text)
    return [hit.path for hit in found.hits], found.meant, found.alike


def test_what_is_found_is_found_without_another_index(shelf: Shelf, fulltext: Fulltext) -> None:
    assert paths(shelf, fulltext, "session cookies") == (["signed.md"], None, False)
    assert not fulltext.index.folder.exists()


def test_a_typing_error_is_mended_where_nothing_is_found(shelf: Shelf, fulltext: Fulltext) -> None:
    assert paths(shelf, fulltext, "sesion cokies") == (["signed.md"], "session cookies", True)


def test_a_typing_error_is_pointed_out_where_little_is_found(shelf: Shelf, fulltext: Fulltext) -> None:
    assert paths(shelf, fulltext, "requests lmited") == (["limits.md", "signed.md"], "requests limited", False)


def test_typing_errors_in_most_words_are_pointed_out_however_much_is_found(shelf: Shelf, fulltext: Fulltext) -> None:
    for number in range(4):
        shelf.note(f"{number}.md", "About files and nothing else.", id=f"cccc111{number}", title=f"Files {number}")
    shelf.sync()
    assert paths(shelf, fulltext, "files")[1] is None
    assert paths(shelf, fulltext, "files lmited")[1] is None
    found, meant, alike = paths(shelf, fulltext, "sesion cokies files")
    assert (len(found), meant, alike) == (4, "session cookies files", False)


def test_operators_hold_for_what_looks_like_it_too(shelf: Shelf, fulltext: Fulltext) -> None:
    assert paths(shelf, fulltext, "sesion cokies tag:limits") == ([], "session cookies tag:limits", False)
    assert paths(shelf, fulltext, "sesion cokies tag:auth")[0] == ["signed.md"]


def test_an_operator_that_no_note_fits_is_told_and_is_no_typing_error(shelf: Shelf, fulltext: Fulltext) -> None:
    for text in ("agent:signer", "tag:cokies sesion", "path:nowhere is:lmited cookies", "type:request"):
        found = find(shelf.catalogue, fulltext, text)
        assert list(found.untaken) == [one for one in text.split() if ":" in one]
    assert find(shelf.catalogue, fulltext, "agent:signer").meant is None
    assert find(shelf.catalogue, fulltext, "tag:cokies sesion").meant == "tag:cokies session"
    for text in ("cookies tag:auth", "std::sort", "foo:bar", "is:stable", "http://limited"):
        assert not find(shelf.catalogue, fulltext, text).untaken


def test_notes_like_a_paragraph_are_found(shelf: Shelf, fulltext: Fulltext) -> None:
    text = "Where does the middleware check that a session cookie was signed with the right key?"
    assert [hit.path for hit in shelf.catalogue.like(text)] == ["signed.md"]
    assert shelf.catalogue.like("Unrelated prose about gardens") == []
    assert shelf.catalogue.like(" \0 ") == []


def test_what_scoutkit_writes_below_each_note_makes_no_two_alike(shelf: Shelf, fulltext: Fulltext) -> None:
    below = """

## Citation check

Citations: 1 unsupported. Supported means that the lines match what is said of them, not that the claim is true.

- unsupported: `src/views/render.py:8-9`, the sentence names nothing to look for
"""
    shelf.note("short.md", f"The user name comes from the cookie.{below}", id="cccc1111", title="User name")
    shelf.sync()
    assert shelf.catalogue.much_like(f"Templates\nAutoescape is on for every template.{below}") == []
    assert [hit.path for hit in shelf.catalogue.much_like("User name\nThe user name comes from the cookie.")] == [
        "short.md"
    ]


def test_a_note_that_says_the_same_is_told_from_one_on_the_same_subject(shelf: Shelf, fulltext: Fulltext) -> None:
    same = SIGNED.replace("are kept for a week", "stay for seven days")
    found = shelf.catalogue.much_like(f"How session cookies are signed\n{same}")
    assert [hit.path for hit in found] == ["signed.md"]
    assert SAME <= found[0].score <= 1
    assert shelf.catalogue.much_like(same, without={"signed.md"}) == []
    assert shelf.catalogue.much_like("Session cookies are signed. " + LIMITS.replace("client", "visitor")) != found
    assert shelf.catalogue.much_like("The session cookie is signed in another way, by hand.") == []


def test_both_engines_find_the_same_notes(shelf: Shelf, fulltext: Fulltext) -> None:
    fulltext.update()
    assert fulltext.difference() == ""
    key = shelf.catalogue.connection.execute("SELECT key FROM notes WHERE path = 'limits.md'").fetchone()[0]
    text = "SELECT key, title, question, description, headings, cited, tags, body, hidden FROM note_texts WHERE key = ?"
    columns = "rowid, title, question, description, headings, cited, tags, body, hidden"
    shelf.catalogue.connection.execute(
        f"INSERT INTO notes_fts (notes_fts, {columns}) SELECT 'delete', * FROM ({text})", [key]
    )
    assert fulltext.difference().startswith("SQLite does not find limits.md by requests")
