"""Where git says we are."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Repository(NamedTuple):
    """Where git says we are. Absolute paths; `toplevel` and `main` are None where there is no such worktree."""

    git_dir: Path
    common_dir: Path
    toplevel: Path | None
    main: Path | None
    bare: bool
    prefix: str = ""  # from toplevel to where the command was run: "" or "src/auth/"
    object_format: str = "sha1"

    @property
    def name(self) -> str:
        """What the project calls itself, as far as its folder tells."""
        folder = self.main or self.toplevel or self.common_dir
        return (folder.parent if folder.name == ".git" else folder).name.removesuffix(".git")
