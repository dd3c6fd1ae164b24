"""One repository's notes as the server sees them: opened when there is one, and in step with the disk when asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from scoutkit.desk import Desk
from scoutkit.errors import RepositoryError
from scoutkit.knowledge.watching import Watch, identity


@dataclass
class Library:
    """To be used in one thread, that of its database connection. `tell` takes a line for the server's log.

    A server is started once for many questions, where an agent's program finds it: that there is no repository yet, or
    none any more, is an answer to each question and not an end of the server.
    """

    folder: Path
    here: bool
    tell: Callable[[str], None]
    _desk: Desk | None = None
    _watch: Watch | None = field(default=None, repr=False)
    _file: tuple[int, int] = (0, 0)  # the catalogue that is open
    _ahead: bool = False  # of the full-text index

    def desk(self) -> Desk:
        """The desk, its catalogue in step with the notes. RepositoryError where there is no repository."""
        if self._desk is not None and not self._desk.places.state.parent.is_dir():
            self.close()
        desk = self._desk or self._opened()
        assert self._watch is not None
        if self._file != (file := identity(desk.places.catalogue)):  # made anew, or deleted
            desk.catalogue.close()
            self._watch.close()
        if self._watch.changed() or not desk.catalogue.knows_runs(_stamp(desk)):
            self._sync(desk, self._watch)
            file = identity(desk.places.catalogue)
        self._file = file
        return desk

    def _sync(self, desk: Desk, watch: Watch) -> None:
        """Where not all could be taken in, the next question tries again."""
        try:
            step = desk.sync()
        except BaseException:
            watch.close()
            raise
        if step.behind:
            watch.close()
        if step.rebuilt:
            self.tell(f"the catalogue is made anew from the notes: {step.rebuilt}")
        if step.memory or step.behind:
            self.tell(f"the catalogue is {'not kept' if step.memory else 'behind'}: {step.memory or step.behind}")
        self._ahead = self._ahead or bool(step.changed or step.removed)

    def follow(self) -> None:
        """Let the full-text index follow what changed, once nobody waits for an answer."""
        if self._ahead and self._desk is not None:
            self._ahead = False
            self._desk.follow()

    def close(self) -> None:
        """Let go of everything; the next question opens it again."""
        if self._desk is not None:
            self._desk.catalogue.close()
            self._desk = None
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _opened(self) -> Desk:
        from scoutkit.dispatch import pulse

        try:
            desk = Desk.open(self.folder, here=self.here)
        except RepositoryError as error:
            raise RepositoryError(
                error.message, f"{error.hint}; scoutkit mcp answers for the folder it is started in, or -C FOLDER"
            ) from error
        if pulse.unfinished(desk.places.journal):
            from scoutkit.stories import leftovers

            leftovers.recover(desk, self.tell)
        self._desk, self._watch = desk, Watch(desk.places.notes)
        return desk


def _stamp(desk: Desk) -> str:
    from scoutkit.dispatch import pulse

    return pulse.stamp(desk.places.journal)
