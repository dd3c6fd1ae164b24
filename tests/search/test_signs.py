from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoutkit.search import signs
from scoutkit.search.ranking import Filters

from .conftest import Shelf

ODD = st.text("ab1 _-=>*é会ก☃\n\u00a0", max_size=12)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(bodies=st.lists(ODD, min_size=3, max_size=3), asked=ODD)
def test_what_is_kept_beside_a_note_hides_no_text_that_it_holds(shelf: Shelf, bodies: list[str], asked: str) -> None:
    shelf.sync()
    connection = shelf.catalogue.connection
    connection.execute("DELETE FROM signs")
    connection.execute("DELETE FROM notes")
    connection.execute("DELETE FROM files")
    for key, body in enumerate(bodies):
        connection.execute("INSERT INTO signs VALUES (?, ?)", (key, signs.of(body)))
        connection.execute("INSERT INTO files (key, worktree, at) VALUES (?, '', '')", (key,))
        connection.execute(
            "INSERT INTO notes (key, title, description, question, body) VALUES (?, '', '', '', ?)", (key, body)
        )
    if wanted := asked.strip():
        found = signs.holding(connection, asked, *Filters("").where(), 10)
        assert found == [key for key, body in enumerate(bodies) if wanted in body]


@pytest.mark.parametrize("asked", ["☃", "→⇒", "⇒ ☃"])
def test_a_note_with_very_many_signs_is_looked_through(shelf: Shelf, asked: str) -> None:
    shelf.write("a.md", " ".join(chr(0x4E00 + at) for at in range(5000)) + " →⇒ ☃")
    shelf.write("b.md", "→ ⇒")
    assert signs.of("".join(chr(0x4E00 + at) for at in range(5000))) is None
    assert shelf.find(asked) == ["a.md"]


def test_signs_go_with_their_note(shelf: Shelf) -> None:
    path = shelf.write("a.md", "it is ☃")
    assert shelf.find("☃") == ["a.md"]
    shelf.write("a.md", "it is 🔥 now")
    assert shelf.find("☃") == []
    path.unlink()
    shelf.sync()
    assert shelf.catalogue.connection.execute("SELECT count(*) FROM signs").fetchone() == (0,)
