"""Both lines of Datasette, as plain `datasette` is started over a catalogue: with our plugin, and without."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import PATIENCE

from scoutkit import config
from scoutkit.browse.queries import QUERIES
from scoutkit.desk import Desk

from . import alpha


@pytest.fixture(params=["0.65", "1.0"])
def line(request: pytest.FixtureRequest) -> dict[str, str]:
    """The environment of one line of Datasette."""
    if request.param == "0.65":
        return {}
    return {"PYTHONPATH": os.pathsep.join([str(alpha.install()), str(Path(config.__file__).parent.parent)])}


@contextlib.contextmanager
def plain(catalogue: Path, env: dict[str, str], *, plugin: bool) -> Iterator[str]:
    """Plain `datasette`, started as the manual says; gives its address."""
    templates = config.resources("templates") / "datasette"
    command = [sys.executable, "-m", "datasette", str(catalogue), "-m", str(config.resources("metadata.yml"))]
    command += ["--template-dir", str(templates), "--port", "0"]
    command += ["--plugins-dir", str(templates / "plugins")] if plugin else []
    with subprocess.Popen(
        command, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout
        try:
            said = (re.search(r"running on (http://127\.0\.0\.1:\d+)", line) for line in server.stdout)
            yield next(found[1] for found in said if found)
        finally:
            server.kill()


def get(address: str) -> str:
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        pytest.fail(f"{address}: {error.code} {error.read()[:500]!r}")


def test_pages_tables_and_queries_are_there_on_each_line(line, repo, note):
    note("aaaa1111")
    Desk.open(repo).sync()
    with plain(Desk.open(repo).places.catalogue, line, plugin=True) as address:
        assert "What <em>repo</em> knows" in get(f"{address}/")
        assert "src/auth/signing.py:12-14" in get(f"{address}/note/aaaa1111")
        assert "As it is now" in get(f"{address}/note/aaaa1111/citation/0")
        assert "aaaa1111" in get(f"{address}/find?q=cookies")
        notes = get(f"{address}/scoutkit/notes")
        assert "Cookies are signed by SessionSigner" in notes
        assert "stable, draft (no finished answer)" in notes  # a column's description
        assert '<html lang="en">' in notes
        assert 'aria-label="Column to filter by"' in notes
        assert 'href="/find"' in notes  # the way back
        assert "/-/scoutkit/static/tables.css" in notes
        assert "<details><summary>What the columns say" in notes
        assert "/scoutkit/most_cited_files" in get(f"{address}/scoutkit")
        for name in QUERIES:
            assert '"ok": true' in get(f"{address}/scoutkit/{name}.json")


def test_without_the_plugin_datasettes_own_pages_are_there(line, repo, note):
    note("aaaa1111")
    Desk.open(repo).sync()
    with plain(Desk.open(repo).places.catalogue, line, plugin=False) as address:
        assert "What this codebase knows" in get(f"{address}/")
        assert "Cookies are signed by SessionSigner" in get(f"{address}/scoutkit/notes")
        key = re.search(r'/scoutkit/notes/(\d+)"', get(f"{address}/scoutkit/notes"))
        assert key
        assert "SessionSigner.sign" in get(f"{address}/scoutkit/notes/{key[1]}")
