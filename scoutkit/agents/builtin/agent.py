"""The built-in agent as any other: how it is started, and what it can do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit import __version__
from scoutkit.model.missions import Kind, Mission

if TYPE_CHECKING:  # an answer from memory needs to know who would be asked, and no more
    from scoutkit.model.agents import Availability, Invocation


class Builtin:
    """Answers from the code alone. Reads the commit from git's objects, so its worktree needs no files."""

    name = "builtin"
    kinds = frozenset({Kind.ASK})
    needs_checkout = False

    def availability(self) -> Availability:
        """It ships with scoutkit."""
        from scoutkit.model.agents import Availability

        return Availability(ok=True, version=__version__)

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:  # noqa: ARG002
        """A child of its own, which reads the question on stdin; it needs no prompt."""
        import json

        from scoutkit.agents import lines
        from scoutkit.model.agents import Invocation

        return Invocation(
            argv=lines.python("scoutkit.agents.builtin"),
            reader=lines.LinesReader(version=__version__),
            stdin=json.dumps({"question": mission.text, "commit": mission.base}),
            contained=False,
        )
