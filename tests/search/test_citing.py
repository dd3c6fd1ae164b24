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


def about(shelf: Shelf, path: str, start: int = 0, end: int = 0) -> list[str]:
    return [hit.path for hit in shelf.catalogue.about(path, start, end)]


def test_lines_are_known_by_the_notes_that_cite_them_nearest_first(notes: Shelf) -> None:
    assert about(notes, "src/auth/signing.py", 41, 63) == ["exact.md", "file.md", "wide.md", "line.md"]
    assert about(notes, "src/auth/signing.py", 63) == ["line.md", "file.md", "exact.md", "wide.md"]
    assert about(notes, "src/auth/signing.py", 500) == ["file.md"]


def test_a_file_is_known_by_all_that_cite_it_then_by_those_that_mention_it(notes: Shelf) -> None:
    found = about(notes, "src/auth/signing.py")
    assert sorted(found[:4]) == ["exact.md", "file.md", "line.md", "wide.md"]
    assert found[4:] == ["plain.md"]


@pytest.mark.parametrize("folder", ["src/auth", "src/auth/", "./src/auth"])
def test_a_folder_is_known_by_what_cites_files_in_it(notes: Shelf, folder: str) -> None:
    found = about(notes, folder)
    assert {"exact.md", "wide.md", "line.md", "file.md", "other.md"} <= set(found)
    assert "near.md" not in found


def test_the_whole_repository_is_every_citing_note(notes: Shelf) -> None:
    assert len(about(notes, ".")) == 6


@pytest.mark.parametrize("path", ["src/nosuch.py", "src/aut", "%", "'", "🔥", "\0", "a\ud800"])
def test_what_nobody_cites_is_unknown(notes: Shelf, path: str) -> None:
    assert about(notes, path) == []


def test_the_passage_that_cites_is_shown_with_the_place_marked(notes: Shelf) -> None:
    hit = notes.catalogue.about("src/auth/signing.py", 41, 63)[0]
    assert hit.snippet == "See src/auth/signing.py:41-63."
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["src/auth/signing.py:41-63"]
    assert notes.catalogue.about("src/auth/middleware.py")[0].snippet == "src/auth/middleware.py:5-6"


def test_the_number_of_notes_can_be_limited(notes: Shelf) -> None:
    assert len(notes.catalogue.about("src/auth", limit=2)) == 2


def test_a_path_is_found_however_its_accents_are_composed(shelf: Shelf) -> None:
    cite(shelf, "a.md", "src/caf\u00e9.py:1-2")
    shelf.sync()
    assert about(shelf, "src/cafe\u0301.py") == ["a.md"]
