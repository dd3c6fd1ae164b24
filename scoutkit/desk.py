"""What a command has on its desk: one repository's settings, journal, notebook and catalogue, opened as needed."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit import config, git
from scoutkit.model.places import Repository
from scoutkit.snapshot import Snapshot

if TYPE_CHECKING:
    from scoutkit.dispatch.journal import Journal
    from scoutkit.knowledge.notebook import Notebook
    from scoutkit.search.catalogue import Catalogue
    from scoutkit.search.fulltext import Fulltext
    from scoutkit.search.ledger import Ledger
    from scoutkit.search.sync import Sync


class Desk:
    """Everything about one repository that a command may need. Opening it reads settings and runs git once."""

    def __init__(self, repository: Repository, settings: config.Settings, places: config.Places) -> None:
        self.repository, self.settings, self.places = repository, settings, places

    @classmethod
    def open(cls, cwd: Path, *, here: bool = False) -> Desk:
        """RepositoryError where there is no repository; UsageError for settings that cannot be read."""
        repository = git.discover(cwd)
        settings = config.load(repository)
        return cls(repository, settings, config.places(repository, settings, here=here))

    @property
    def where(self) -> Path:
        """A folder in which git answers for this repository."""
        return self.repository.toplevel or self.repository.git_dir

    @functools.cached_property
    def journal(self) -> Journal:
        from scoutkit.dispatch.journal import Journal

        return Journal(self.places.journal)

    @functools.cached_property
    def notebook(self) -> Notebook:
        from scoutkit.knowledge.notebook import Notebook

        return Notebook(self.places)

    @functools.cached_property
    def catalogue(self) -> Catalogue:
        from scoutkit.search.catalogue import Catalogue

        main = self.repository.main or self.places.state
        return Catalogue(self.places.catalogue, "" if self.places.root == main else str(self.places.root))

    @functools.cached_property
    def ledger(self) -> Ledger:
        from scoutkit.search.ledger import Ledger

        return Ledger(self.catalogue)

    @functools.cached_property
    def fulltext(self) -> Fulltext:
        from scoutkit.search.fulltext import Fulltext

        return Fulltext(self.places.fulltext, self.catalogue)

    def sync(self) -> Sync:
        """Bring the catalogue in step with the note files and the journal."""
        from scoutkit.dispatch import pulse

        report = self.catalogue.sync(self.notebook)
        stamp = pulse.stamp(self.places.journal)
        if not self.catalogue.knows_runs(stamp):
            self.catalogue.runs_from(self.journal.runs(), stamp)
        return report

    def follow(self) -> None:
        """Let the full-text index follow the catalogue, in a process that nobody waits for."""
        from scoutkit.search import following

        following.follow(self.catalogue, self.places.fulltext)

    def relative(self, typed: str) -> str:
        """A path as a person typed it, as the repository knows it: POSIX, from the root.

        Taken from where they stand if it exists there, else from the root; a folder loses its trailing slash.
        """
        import os

        root = self.repository.toplevel or self.places.root
        here = Path(os.path.normpath(root / self.repository.prefix / typed))
        if here.exists() and here.is_relative_to(root):
            return here.relative_to(root).as_posix()
        return os.path.normpath(typed.replace("\\", "/")).lstrip("/")

    def notes_ignored(self) -> str:
        """The rule by which git ignores new notes (`.gitignore:3:.claude/`), or nothing."""
        if not self.repository.toplevel and not self.repository.main:
            return ""
        found = git.git(self.places.root, "check-ignore", "-v", self.places.notes / "note.md")
        rule = found.text.split("\t")[0]
        unignores = re.search(r":\d+:!", rule)  # told like any other, with exit status 0
        return rule if found.code == 0 and not unignores else ""

    def snapshot(self, commit: str) -> Snapshot:
        """The files of a commit; to be closed."""
        return Snapshot(self.where, commit)

    @functools.cached_property
    def redactor(self) -> Callable[[], Callable[[str], str]]:
        """Makes a redactor for one stream, which knows this environment's secrets."""
        return self.redacting({}, ())

    def redactor_of(self, run_id: str) -> Callable[[], Callable[[str], str]]:
        """The same, which also knows what is secret in the files that a run was handed besides the commit."""
        from scoutkit.dispatch import included

        return self.redacting({}, (), included.remembered(self.places.records(run_id)).files)

    def redacting(
        self, env: Mapping[str, str], logins: Sequence[Path], handed: Sequence[Path] = ()
    ) -> Callable[[], Callable[[str], str]]:
        """The same, which also knows what one agent is given: its environment, the files that hold its login, and
        those that it was handed besides the commit."""
        import os

        from scoutkit.knowledge.named import in_logins
        from scoutkit.knowledge.secrets import Redactor

        known = {**os.environ, **env, **in_logins(logins)}
        if handed:
            from scoutkit.knowledge import handed as files

            known |= files.secrets(handed)
        return Redactor(known).another
