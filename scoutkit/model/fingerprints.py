"""What a repository was like at a moment, and how two such moments differ.

Paths are decoded so that any bytes survive (`os.fsdecode`). What is absent from a mapping was not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Seen:
    """A file, link or folder. `digest` is of a file's bytes, or a link's target; "" where they were not read."""

    kind: str  # file, link, folder, other
    mode: int
    size: int
    digest: str = ""
    stamp: tuple[int, int, int] = (0, 0, 0)  # inode, mtime and ctime in nanoseconds


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a checkout that is not simply what its commit has.

    `status`: git's two letters, `??` untracked, `!!` ignored, "" for what git does not list (any more). `blob` and
    `mode`: the file in the commit that was checked out at first, if it has one. `seen` is None for one that is not
    there.
    """

    status: str
    seen: Seen | None
    blob: str = ""
    mode: str = ""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A working tree. `head` is a commit, "" before the first; `index` tells index files apart, `staged` what they say
    against HEAD."""

    git_dir: str
    head: str
    index: str
    staged: str
    entries: Mapping[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A repository at a moment. `own`: git's own small files by their path in the common directory; `outside`: those
    elsewhere that git obeys, by absolute path; `refs`: an object's id, or `ref: NAME`."""

    at: int  # when, by the file system's clock, in nanoseconds
    refs: Mapping[str, str]
    own: Mapping[str, Seen]
    outside: Mapping[str, Seen]
    packs: tuple[str, ...]
    loose: int  # objects outside packs
    checkouts: Mapping[str, Checkout]  # by their folder
    unseen: tuple[str, ...] = ()  # what could not be looked at, and why


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was.

    `what`: HEAD, ref, stash, config, hook, worktree, reflog, git file, objects, index, file. `where`: its name, or its
    path from the folder `root`. `was` and `now` are for a person. `why_not`: why it cannot be restored, "" where it
    can. The rest is what restoring takes: what was there (`before`, or for a clean file `blob` and `mode` in the
    commit), and what the run left.
    """

    what: str
    where: str
    was: str
    now: str
    root: str = ""
    why_not: str = ""
    before: Seen | None = None
    after: Seen | None = None
    old: str = ""  # of a ref: its value; of an index: the name of its copy
    new: str = ""  # of a ref: its value; of an index: what it lists, as one word
    blob: str = ""
    mode: str = ""

    @property
    def restorable(self) -> bool:
        """It can be restored, as far as was known when the run ended."""
        return not self.why_not
