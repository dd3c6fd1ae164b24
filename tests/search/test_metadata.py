"""`metadata.yml` and the catalogue as plain Datasette serves them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoutkit import config
from scoutkit.model.missions import Result, Usage
from scoutkit.search.tables import TABLES

from .conftest import Shelf
from .test_sync import run


@pytest.fixture(scope="module")
def metadata() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(config.resources("metadata.yml").read_text("utf-8"))
    return loaded


@pytest.fixture
def filled(shelf: Shelf) -> Shelf:
    keys = {
        "type": "ask",
        "tags": "[auth, cookies]",
        "question": "Where?",
        "citations": "[{at: 'src/a.py:1-2', verdict: supported}]",
    }
    shelf.note("a.md", "calls getUserName", id="aaaa1111", title="Cookies are signed", **keys)
    shelf.note("b.md", "something else", id="bbbb1111", title="Limits")
    shelf.write("bad.md", b"caf\xe9")
    path = Path(str(shelf.root) + "/x\udce9.md")
    path.write_text("walrus")
    shelf.sync()
    usage = Usage(1200, 345, 0.25)
    shelf.catalogue.runs_from([run("r1", result=Result.DONE, note_id="aaaa1111", seconds=2.5, usage=usage)])
    shelf.catalogue.close()
    return shelf


def get(shelf: Shelf, metadata: dict[str, Any], *paths: str) -> list[Any]:
    """What Datasette answers: JSON as data, pages as text."""
    from datasette.app import Datasette

    async def ask() -> list[Any]:
        datasette = Datasette([str(shelf.catalogue.path)], metadata=metadata)
        await datasette.invoke_startup()
        answers = []
        for path in paths:
            answer = await datasette.client.get(path)
            assert answer.status_code == 200, (path, answer.text)
            answers.append(answer.json() if ".json" in path else answer.text)
        return answers

    return asyncio.run(ask())


def test_every_column_of_every_table_is_described_and_no_other(shelf: Shelf, metadata: dict[str, Any]) -> None:
    described = {name: set(table["columns"]) for name, table in metadata["databases"]["scoutkit"]["tables"].items()}
    shelf.sync()
    connection = shelf.catalogue.connection
    names = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT GLOB 'notes_fts*'"
    real = {
        name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
        for (name,) in connection.execute(names).fetchall()
    }
    assert described == real
    assert set(TABLES) == real.keys() - {"note_texts"}


def test_what_metadata_refers_to_is_there(metadata: dict[str, Any]) -> None:
    for table in metadata["databases"]["scoutkit"]["tables"].values():
        named = [*table.get("facets", []), *table.get("units", {})]
        named += [table[key] for key in ("sort", "sort_desc", "label_column", "fts_pk") if key in table]
        assert set(named) <= set(table["columns"])
        assert table["title"]
        assert table["description"]


def test_a_person_sees_the_tables_that_matter(filled: Shelf, metadata: dict[str, Any]) -> None:
    (page,) = get(filled, metadata, "/scoutkit.json")
    assert {table["name"] for table in page["tables"] if not table["hidden"]} == {
        *("notes", "citations", "tags", "runs", "problems", "health")
    }


def test_notes_come_with_facets_and_are_searched(filled: Shelf, metadata: dict[str, Any]) -> None:
    listed, found, none = get(
        filled,
        metadata,
        "/scoutkit/notes.json?_shape=objects",
        "/scoutkit/notes.json?_shape=objects&_search=user+name",
        "/scoutkit/notes.json?_shape=objects&_search=a::b",
    )
    assert len(listed["rows"]) == 4
    assert set(listed["facet_results"]) == {"type", "status", "by"}
    assert [row["id"] for row in found["rows"]] == ["aaaa1111"]
    assert none["rows"] == []


def test_rows_lead_to_each_other_by_name(filled: Shelf, metadata: dict[str, Any]) -> None:
    paths = [f"/scoutkit/{name}.json?_shape=objects&_labels=on" for name in ("citations", "tags", "runs")]
    for table in get(filled, metadata, *paths):
        assert table["rows"][0]["note"]["label"] == "Cookies are signed"


def test_runs_have_units(filled: Shelf, metadata: dict[str, Any]) -> None:
    runs, page = get(filled, metadata, "/scoutkit/runs.json?_shape=objects", "/scoutkit/runs")
    assert runs["units"] == {"seconds": "s", "input_tokens": "token", "output_tokens": "token"}
    assert runs["rows"][0]["seconds"] == 2.5
    assert "2.5&nbsp;s" in page
    assert "1.2&nbsp;ktoken" in page


def test_every_page_opens(filled: Shelf, metadata: dict[str, Any]) -> None:
    tables = [f"/scoutkit/{name}" for name in metadata["databases"]["scoutkit"]["tables"]]
    pages = get(filled, metadata, "/", "/scoutkit", "/scoutkit/notes/1", "/scoutkit/runs/r1", *tables)
    assert "What this codebase knows" in pages[0]
    assert "Cookies are signed" in pages[2]


def test_it_is_read_while_it_is_written(filled: Shelf, metadata: dict[str, Any]) -> None:
    filled.catalogue.connection.execute("BEGIN IMMEDIATE")
    filled.catalogue.connection.execute("UPDATE notes SET title = 'half done'")
    (listed,) = get(filled, metadata, "/scoutkit/notes.json?_shape=objects")
    assert {row["title"] for row in listed["rows"]} >= {"Cookies are signed", "Limits"}
    filled.catalogue.connection.execute("ROLLBACK")
