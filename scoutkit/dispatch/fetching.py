"""Fetching a source into its mirror: by git's transport, its progress told, its complaints made readable."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from scoutkit import complaints, git
from scoutkit.errors import RepositoryError
from scoutkit.model.agents import Narrator

FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_EVERY = 2.0  # seconds between two lines of progress
_SETTINGS = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[fetch]\n\tunpackLimit = 1\n"
_REFS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_HEAD = "refs/source/HEAD"


class Source:
    """One source as it is fetched: what git says of it, said with its origin."""

    def __init__(self, origin: str, address: str, name: str, tell: Narrator) -> None:
        self.origin, self._address, self.name, self._tell = origin, address, name, tell

    def init(self, path: Path, form: str) -> None:
        """An empty mirror, whose objects are named by `form`."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        git.output(path, "init", "--quiet", "--bare", "--template=", f"--object-format={form}", path / ".git")
        with (path / ".git/config").open("a", encoding="ascii") as settings:
            settings.write(_SETTINGS)

    def fill(self, path: Path) -> bool:
        """All branches and tags, and HEAD; False where the source names its objects by another form."""
        done = self._fetch(path, *_REFS, f"+HEAD:{_HEAD}")
        if done and "mismatched algorithms" in done:
            return False
        if done and "couldn't find remote ref HEAD" in done:
            done = self._fetch(path, *_REFS)
        if done:
            raise RepositoryError(f"cannot fetch {self.origin}: {self._complaint(done)}", self._hint(done))
        head = git.git(path, "rev-parse", "--verify", "--quiet", f"{_HEAD}^{{commit}}").text.strip()
        if head:
            git.output(path, "update-ref", "--no-deref", "HEAD", head)
        return True

    def _fetch(self, path: Path, *refs: str) -> str:
        """What git said where it failed; "" where it did not."""
        args = ("fetch", "--progress", "--prune", "--no-tags", "--no-write-fetch-head", "--update-shallow", "--force")
        done = git.heard(
            path, *args, "--no-recurse-submodules", "--", self._address, *refs, hear=_progress(self.name, self._tell)
        )
        return (done.error or "git failed") if done.code else ""

    def resolve(self, path: Path, revision: str) -> str:
        """A revision in the mirror; one that no branch or tag leads to is asked for by itself."""
        mirror = git.discover(path)
        try:
            return git.resolve(mirror, revision)
        except RepositoryError as error:
            if FULL.fullmatch(revision) or revision.startswith("refs/"):
                into = "refs/source/asked"
                if not self._fetch(path, f"+{revision}:{into}"):
                    return git.resolve(mirror, into if revision.startswith("refs/") else revision)
            raise RepositoryError(
                f"{self.origin}: {error.message}", f"name a branch, tag or commit of it: --repo {self.origin}@REV"
            ) from error

    def _complaint(self, said: str) -> str:
        said = "\n".join(line for line in said.split("\n") if not line.startswith("remote: "))
        said = complaints.complaint(said).replace(self._address, self.origin)
        return "".join(one if one.isprintable() else "?" for one in said)

    def _hint(self, said: str) -> str:
        if "not appear to be a git repository" in said or "not found" in said:
            return "is that the address of a git repository? git ls-remote tells"
        return f"see what git says to: git ls-remote {self.origin}"


def _progress(name: str, tell: Narrator) -> Callable[[str], None]:
    """What hears git's progress and tells it now and then: `lib: receiving objects 45 %, 12.10 MiB`."""
    import git as gitpython

    names = {
        gitpython.RemoteProgress.COUNTING: "counting objects",
        gitpython.RemoteProgress.COMPRESSING: "compressing objects",
        gitpython.RemoteProgress.RECEIVING: "receiving objects",
        gitpython.RemoteProgress.RESOLVING: "resolving deltas",
    }
    due = time.monotonic() + _EVERY

    class Progress(gitpython.RemoteProgress):
        def update(
            self, op_code: int, cur_count: str | float, max_count: str | float | None = None, message: str = ""
        ) -> None:
            nonlocal due
            what = names.get(op_code & self.OP_MASK)
            if what is None or time.monotonic() < due:
                return
            due = time.monotonic() + _EVERY
            part = f" {100 * float(cur_count) / float(max_count):.0f} %" if max_count else ""
            size = message.partition("|")[0].strip(" ,")
            tell(f"{name}: {what}{part}" + (f", {size}" if re.fullmatch(r"[0-9.]+ [A-Za-z]+", size) else ""))

    return Progress().new_message_handler()
