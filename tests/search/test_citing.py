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


def test_notes_that_cite_the_places_of_another_are_found_those_that_share_most_first(shelf: Shelf) -> None:
    def put(name: str, *places: str) -> None:
        rows = ", ".join(
            f"{{at: '{at}', verdict: supported{f', symbol: {of}' if of else ''}}}"
            for at, _, of in (place.partition(" ") for place in places)
        )
        shelf.note(f"{name}.md", "Text.", id=f"{name}1111", citations=f"[{rows}]")

    put("asks", "a.py:10-20 Push.go", "b.py:1-9", "c.py:5")
    put("same", "a.py:10-20 Push.go", "b.py:1-9")
    put("most", "a.py:12-21", "c.py:50-60")
    put("name", "a.py:90-99 Push.go", "d.py:1")
    put("less", "a.py:17-40", "b.py:10-20")
    put("file", "a.py", "b.py")
    put("else", "a2.py:10-20 Push.go")
    put("many", "c.py:5", *(f"e.py:{line}" for line in range(1, 9)))
    put("none")
    shelf.sync()
    assert next(iter(shelf.catalogue.sharing("asks1111"))) == "same1111"
    assert set(shelf.catalogue.sharing("asks1111")) == {"same1111", "most1111", "name1111", "many1111"}
    assert "asks1111" in shelf.catalogue.sharing("many1111")
    for nothing in ("none1111", "nosuch", "", "a\ud800"):
        assert list(shelf.catalogue.sharing(nothing)) == []


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
