"""Has the full-text index follow the catalogue, in a process that nobody waits for.

Cheap where there is nothing to do: every command ends so.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from scoutkit import process
from scoutkit.errors import ScoutError
from scoutkit.search import stamp
from scoutkit.search.catalogue import Catalogue

LATE = 8
"""How far the index may stay behind: what is missing is added by the answer that needs it, 30 ms a note."""


def follow(catalogue: Catalogue, folder: Path, *, late: int = LATE) -> None:
    """Start the process, where the index is `late` notes behind or more and no other process is at it.

    Never raises: what cannot be done now is done by the next command.
    """
    with contextlib.suppress(ScoutError, OSError):
        if stamp.behind(catalogue, folder) < late or not catalogue.on_disk or not sys.executable:
            return
        from scoutkit.search.index import Index

        if not Index(folder, catalogue).busy():
            process.detach([sys.executable, "-m", "scoutkit.search.following", str(catalogue.path), str(folder)])


def main(arguments: Sequence[str]) -> None:
    """Follow a catalogue until the index has all of it. Quits at once when another process does so already."""
    from scoutkit.search.index import Index

    catalogue = Catalogue(Path(arguments[0]))
    index = Index(Path(arguments[1]), catalogue)
    os.nice(10)
    with contextlib.suppress(ScoutError):
        while catalogue.path.exists() and not index.in_step():
            index.update(wait=0)


if __name__ == "__main__":
    main(sys.argv[1:])
