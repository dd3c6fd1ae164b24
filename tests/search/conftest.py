"""A folder of notes and the catalogue over it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scoutkit.model.found import Hit, Problem
from scoutkit.search.catalogue import Catalogue
from scoutkit.search.sync import Sync


class Shelf:
    """Notes in a folder, as a catalogue takes them; files are written as if long ago, so that they are settled."""

    def __init__(self, root: Path, worktree: str = "") -> None:
        self.root = root / "notes"
        self.root.mkdir(parents=True, exist_ok=True)
        self.unreadable: dict[str, str] = {}
        self.catalogue = Catalogue(root / "state" / "scoutkit.db", worktree)

    def files(self) -> tuple[list[tuple[str, int, int]], Sequence[Problem]]:
        found = []
        for path in sorted(self.root.rglob("*.md")):
            name = path.relative_to(self.root).as_posix()
            if not any(name == one or name.startswith(f"{one}/") for one in self.unreadable):
                about = path.stat()
                found.append((name, about.st_mtime_ns, about.st_size))
        return found, [Problem(name, 1, f"unreadable: {why}", "mend it") for name, why in self.unreadable.items()]

    def bytes_of(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def write(self, name: str, text: str | bytes, *, age: float = 60.0) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        when = time.time() - age
        os.utime(path, (when, when))
        return path

    def note(self, name: str, body: str = "", **keys: object) -> Path:
        """A note with front matter: `note("a.md", "text", id="aaaa1111", tags=["x"])`."""
        front = "".join(f"{key}: {value}\n" for key, value in keys.items())
        return self.write(name, f"---\n{front}---\n\n{body}\n")

    def sync(self) -> Sync:
        return self.catalogue.sync(self)

    def find(self, text: str, **narrow: object) -> list[str]:
        """Names of the files found, best first, after bringing the catalogue in step."""
        self.sync()
        return [hit.path for hit in self.hits(text, **narrow)]

    def hits(self, text: str, **narrow: object) -> list[Hit]:
        return self.catalogue.search(text, **narrow)  # type: ignore[arg-type]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "shelf")


@pytest.fixture
def shelves(tmp_path: Path) -> Callable[[str], Shelf]:
    """Shelves of several worktrees over one catalogue."""

    def make(worktree: str) -> Shelf:
        made = Shelf(tmp_path / "shelf", worktree)
        made.root = (Path(worktree) if worktree else tmp_path / "shelf") / "notes"
        made.root.mkdir(parents=True, exist_ok=True)
        return made

    return make
