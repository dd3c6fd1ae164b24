from __future__ import annotations

import pytest

from .conftest import Shelf


def cite(shelf: Shelf, name: str, *places: str, body: str = "") -> None:
    rows = ", ".join(f"{{at: '{place}', verdict: supported}}" for place in places)
    shelf.note(name, body or f"See {' and '.join(places)}.", citations=f"[{rows}]")


@pytest.fixture
def notes(shelf: Shelf) -> Shelf:
    cite(shelf, "exact.md", "src/auth/signing.py:41-63")
    cite(shelf, "wide.md", "src/auth/signing.py:1-400")
    cite(shelf, "line.md", "src/auth/signing.py:63", "src/auth/signing.py:200")
    cite(shelf, "file.md", "src/auth/signing.py")
    cite(shelf, "other.md", "src/auth/middleware.py:5-6", body="cites it without naming it")
    cite(shelf, "near.md", "src/auth2/signing.py:41-63")
    shelf.write("plain.md", "Only mentions `src/auth/signing.py` in its text.")
    shelf.sync()
    return shelf


def names(shelf: Shelf, *paths: str) -> list[str]:
    return [f"{row.note} {row.number}" for row in shelf.catalogue.citing(paths)]


def test_a_file_is_cited_by_these_places_of_these_notes(notes: Shelf) -> None:
    assert sorted(names(notes, "src/auth/signing.py")) == [
        "exact.md 0",
        "file.md 0",
        "line.md 0",
        "line.md 1",
        "wide.md 0",
    ]
    (row,) = notes.catalogue.citing(["src/auth/middleware.py"])
    assert (row.path, row.start, row.end, row.symbol) == ("src/auth/middleware.py", 5, 6, "")


@pytest.mark.parametrize("folder", ["src/auth", "src/auth/", "./src/auth"])
def test_a_folder_is_cited_by_what_cites_files_in_it(notes: Shelf, folder: str) -> None:
    found = names(notes, folder)
    assert len(found) == 6
    assert "near.md 0" not in found


def test_several_places_are_asked_for_at_once(notes: Shelf) -> None:
    many = [f"src/{number}.py" for number in range(500)]
    assert names(notes, *many, "src/auth2", "src/auth/middleware.py") == names(
        notes, "src/auth/middleware.py", "src/auth2"
    )
    assert len(names(notes, ".")) == 7


@pytest.mark.parametrize("path", ["src/nosuch.py", "src/aut", "%", "'", "🔥", "\0", "a\ud800"])
def test_what_nobody_cites_is_unknown(notes: Shelf, path: str) -> None:
    assert names(notes, path) == []
    assert notes.catalogue.naming(path) == []


def test_a_note_that_only_mentions_a_path_names_it(notes: Shelf) -> None:
    assert "plain.md" in [path for _, path in notes.catalogue.naming("src/auth/signing.py")]


def test_a_path_is_found_however_its_accents_are_composed(shelf: Shelf) -> None:
    cite(shelf, "a.md", "src/caf\u00e9.py:1-2")
    shelf.sync()
    assert names(shelf, "src/cafe\u0301.py") == ["a.md 0"]


def test_places_are_found_by_the_symbol_they_were_in(shelf: Shelf) -> None:
    shelf.note("a.md", "x", citations="[{at: 'src/a.py:1-2', symbol: Signer.sign}, {at: 'src/b.py:1'}]")
    shelf.sync()
    assert shelf.catalogue.cited_places() == (["src/a.py", "src/b.py"], {"Signer.sign"})
    assert [row.path for row in shelf.catalogue.defining(["Signer.sign", "nobody"])] == ["src/a.py"]
