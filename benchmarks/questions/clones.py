"""A clone at its HEAD, indexed as the built-in agent does it, for benchmarks that draw their questions from code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scoutkit import git
from scoutkit.agents.builtin.indexing.index import Index, open_index
from scoutkit.agents.builtin.indexing.store import Store
from scoutkit.snapshot import Snapshot


@contextmanager
def indexed(clone: Path) -> Iterator[tuple[Snapshot, Index]]:
    """Its files at HEAD, and the index of them."""
    commit = git.output(clone, "rev-parse", "HEAD").strip()
    with (
        Store() as store,
        Snapshot(clone, commit) as snapshot,
        open_index(store, clone, commit, lambda _: None) as index,
    ):
        yield snapshot, index
