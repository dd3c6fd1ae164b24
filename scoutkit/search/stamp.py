"""How far the full-text index is behind the catalogue, by what it wrote down when it was last brought in step."""

from __future__ import annotations

from pathlib import Path

from scoutkit.search.catalogue import Catalogue

NAME = "followed"
"""The file in the index's folder that holds the catalogue's generation that the index has."""


def in_step(catalogue: Catalogue, folder: Path) -> bool:
    """Has the index in this folder what the catalogue has?"""
    return _read(folder)[0] == catalogue.generation


def text(catalogue: Catalogue, generation: str) -> str:
    """What is written down once the index has what the catalogue had: its generation, and how many notes that were."""
    return f"{generation}\n{catalogue.count()}"


def _read(folder: Path) -> tuple[str, int]:
    try:
        generation, _, notes = (folder / NAME).read_text().partition("\n")
        return generation, int(notes)
    except (OSError, ValueError):
        return "", 0


def behind(catalogue: Catalogue, folder: Path) -> int:
    """About how many notes the index does not have as they are."""
    (had, notes), now = _read(folder), catalogue.generation
    if had == now:
        return 0
    count = catalogue.count()
    if had.split(" ")[0] != now.split(" ")[0]:
        return count
    return max(int(now.split(" ")[1]) - int(had.split(" ")[1]), abs(count - notes))
