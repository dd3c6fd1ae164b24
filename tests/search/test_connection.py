"""How many notes match is remembered as long as nobody changes anything: neither this process nor another."""

from __future__ import annotations

from scoutkit.search.catalogue import Catalogue

from .conftest import Shelf


def test_what_was_counted_is_counted_anew_after_any_change(shelf: Shelf) -> None:
    shelf.note("a.md", "about a walrus", id="aaaa1111")
    shelf.sync()
    connection = shelf.catalogue.connection
    asked: list[str] = []
    connection.set_trace_callback(lambda sql: asked.append(sql) if sql.startswith("SELECT count") else None)
    assert [connection.matching("walrus", 9), connection.matching("walrus", 9)] == [1, 1]
    assert len(asked) == 1
    shelf.note("b.md", "another walrus", id="bbbb1111")
    shelf.sync()
    assert connection.matching("walrus", 9) == 2
    assert connection.matching("walrus", 1) == 1, "no further than so many"
    shelf.note("c.md", "a third walrus", id="cccc1111")
    other = Catalogue(shelf.catalogue.path)
    other.sync(shelf)
    other.close()
    assert connection.matching("walrus", 9) == 3
