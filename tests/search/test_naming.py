from __future__ import annotations

import pytest

from scoutkit.errors import NotFound, UsageError

from .conftest import Shelf


@pytest.fixture
def notes(shelf: Shelf) -> Shelf:
    shelf.note(".claude/notes/2026-01-02-cookie-signing.md", id="7k3m9q2d", title="Cookies are signed")
    shelf.note(".claude/notes/2026-01-03-rate-limit.md", id="7kzzzzzz", title="The   limit")
    shelf.note(".claude/notes/sub/2026-01-04-rate-limit.md", id="bbbb2222", title="Another")
    shelf.note(".claude/notes/caf\u00e9.md", id="cccc3333", title="7k3m")
    shelf.sync()
    return shelf


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("7k3m9q2d", "2026-01-02-cookie-signing.md"),
        ("7K3M9Q2D", "2026-01-02-cookie-signing.md"),
        (" 7k3m9q2d ", "2026-01-02-cookie-signing.md"),
        ("7k3m9", "2026-01-02-cookie-signing.md"),
        (".claude/notes/2026-01-02-cookie-signing.md", "2026-01-02-cookie-signing.md"),
        ("./.claude/notes/2026-01-02-cookie-signing.md", "2026-01-02-cookie-signing.md"),
        ("2026-01-02-cookie-signing.md", "2026-01-02-cookie-signing.md"),
        ("2026-01-02-cookie-signing", "2026-01-02-cookie-signing.md"),
        ("cookie-signing", "2026-01-02-cookie-signing.md"),
        ("cookies are signed", "2026-01-02-cookie-signing.md"),
        ("The limit", "2026-01-03-rate-limit.md"),
        ("sub/2026-01-04-rate-limit.md", "sub/2026-01-04-rate-limit.md"),
        ("cafe\u0301", "caf\u00e9.md"),
        ("7k3m", "caf\u00e9.md"),
    ],
)
def test_a_note_is_known_by(notes: Shelf, reference: str, path: str) -> None:
    assert notes.catalogue.resolve(reference).path == f".claude/notes/{path}"


def test_a_name_that_several_notes_have_is_an_error_that_names_them(notes: Shelf) -> None:
    with pytest.raises(UsageError) as caught:
        notes.catalogue.resolve("rate-limit")
    assert "2026-01-03-rate-limit.md" in caught.value.message
    assert "sub/2026-01-04-rate-limit.md" in caught.value.message
    with pytest.raises(UsageError):
        notes.catalogue.resolve("7k")


def test_an_id_that_two_notes_claim_is_an_error_and_their_paths_are_not(shelf: Shelf) -> None:
    shelf.note("a.md", id="aaaa1111", title="One")
    shelf.note("b.md", id="aaaa1111", title="Two")
    shelf.sync()
    with pytest.raises(UsageError, match=r"a\.md, b\.md"):
        shelf.catalogue.resolve("aaaa1111")
    assert shelf.catalogue.resolve("b.md").title == "Two"


def test_a_path_in_other_case_is_meant_only_when_there_is_no_exact_one(shelf: Shelf) -> None:
    shelf.write("Note.md", "# Upper")
    shelf.write("note.md", "# Lower")
    shelf.sync()
    assert shelf.catalogue.resolve("note.md").title == "Lower"
    assert shelf.catalogue.resolve("Note.md").title == "Upper"
    with pytest.raises(UsageError):
        shelf.catalogue.resolve("NOTE.md")


@pytest.mark.parametrize("reference", ["nosuch", "", " ", "x" * 100_000, "\0", "7", "%", "sub", "🦭", "\ud800"])
def test_what_no_note_is_called_is_not_found(notes: Shelf, reference: str) -> None:
    with pytest.raises(NotFound):
        notes.catalogue.resolve(reference)


def test_a_near_miss_is_suggested(notes: Shelf) -> None:
    with pytest.raises(NotFound) as caught:
        notes.catalogue.resolve("cookie-sining")
    assert "did you mean 7k3m9q2d" in caught.value.hint
