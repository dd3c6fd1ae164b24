"""The shadow repository: a throw-away bare one with the user's objects, so that no git in a run writes to the user's.

Made by hand: `git init` would cost a process and copy template hooks. The layout is the one that every git reads: HEAD,
config, packed-refs, objects/info/alternates (gitrepository-layout(5)). The user's repository is only read.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scoutkit import complaints, git
from scoutkit.model.places import Repository

_PRIVATE_REFS = (b"refs/stash", b"refs/scoutkit/", b"refs/bisect/", b"refs/worktree/", b"refs/rewritten/")
_LENT = re.compile(r"http\.|credential\.|url\.|protocol\.|ssh\.|core\.(sshcommand|gitproxy)$")
_REMOTE = re.compile(r"remote\.(?P<name>.*)\.(promisor|partialclonefilter|url|uploadpack|proxy|vcs)", re.DOTALL)
_FILTER = re.compile(r"filter\.(?P<name>.*)\.(clean|smudge|process|required)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of git's configuration, lowest precedence first. `scope`: system, global, local, worktree."""

    scope: str
    key: str  # section and variable in lower case, as git lists them
    value: str

    @property
    def own(self) -> bool:
        """The repository's own, so the shadow does not have it by itself."""
        return self.scope in ("local", "worktree")

    @property
    def is_text(self) -> bool:
        """It is no boolean."""
        return self.value.lower() not in ("true", "yes", "on", "1", "false", "no", "off", "0", "")

    @property
    def on(self) -> bool:
        """The value as git reads a boolean."""
        return self.value.lower() not in ("false", "no", "off", "0", "")


@dataclass(frozen=True, slots=True)
class Shadow:
    """A shadow repository and what its checkout needs to know. `settings` are the user's."""

    path: Path
    partial: bool  # objects may be missing, and come from a remote when git asks for them
    sparse: bytes | None  # the patterns of the worktree the user stands in
    lent: Mapping[str, str]  # environment for the checkout alone: credentials, which are not written down
    public: tuple[tuple[str, str], ...]  # settings for after the checkout: remotes' addresses without the password
    settings: tuple[Setting, ...]

    def settle(self) -> None:
        """After the checkout: give remotes whose address holds a password one without, for the agent's git."""
        with (self.path / "config").open("ab") as config:
            config.write(written(self.public))

    def drivers(self) -> set[str]:
        """Names of the filters that the user's configuration would run on checkout."""
        found = (_FILTER.fullmatch(item.key) for item in self.settings if item.value)
        return {match["name"] for match in found if match and match[2] in ("smudge", "process")}


def make(repository: Repository, path: Path, base: str, env: Mapping[str, str]) -> Shadow:
    """Write a shadow of `repository` to `path`, its HEAD detached at `base`. `env` goes to every git process.

    Raises RepositoryError when git cannot read the repository, OSError when the shadow cannot be written.
    """
    config, listing = _read(repository, env)
    settings = list(_settings(config))
    partial = _promisors(settings)
    sparse = _sparse(repository, settings)
    remotes = [(item.key, _remote(repository, item)) for item in settings if item.own and _remote_name(item) in partial]
    secret = [(key, value) for key, value in remotes if _without_password(value) != value]
    lent = [(item.key, item.value) for item in settings if partial and item.own and _LENT.match(item.key)]

    for folder in ("objects/info", "refs"):
        (path / folder).mkdir(parents=True)
    (path / "HEAD").write_text(f"{base}\n")
    (path / "objects/info/alternates").write_bytes(_alternate(repository.common_dir / "objects"))
    (path / "packed-refs").write_bytes(_refs(listing))
    if (repository.common_dir / "shallow").exists():
        (path / "shallow").write_bytes((repository.common_dir / "shallow").read_bytes())
    lines = [
        *_basic(repository, settings, path),
        *(remote for remote in remotes if remote not in secret),
        *((item.key, item.value) for item in settings if sparse is not None and _is_sparse(item)),
        *_agents(settings),
        *_neutral(settings),
    ]
    (path / "config").write_bytes(written(lines))
    public = tuple((key, _without_password(value)) for key, value in secret)
    return Shadow(path, bool(partial), sparse, _environment([*lent, *secret]), public, tuple(settings))


def _read(repository: Repository, env: Mapping[str, str]) -> tuple[bytes, bytes]:
    """The configuration and the refs, as git lists them. `--git-dir` holds whatever core.bare and core.worktree say."""
    where, git_dir = repository.common_dir, f"--git-dir={repository.git_dir}"
    refs = git.begin(where, git_dir, "for-each-ref", "--format=%(objectname) %(refname)", env=env)
    config = git.git(where, git_dir, "config", "--list", "-z", "--show-scope", env=env)
    both = config, refs()
    for done in both:
        if done.code:
            raise complaints.failure(repository.git_dir, done.error)
    return both[0].out, both[1].out


def _settings(config: bytes) -> Iterator[Setting]:
    fields = os.fsdecode(config).split("\0")
    for scope, entry in zip(fields[0::2], fields[1::2], strict=False):
        key, equals, value = entry.partition("\n")
        if scope != "command":  # ours, to run quietly
            yield Setting(scope, key, value if equals else "true")  # a variable without `=` is true


def _refs(listing: bytes) -> bytes:
    """The user's refs in the form of packed-refs, without the stash, scoutkit's own and those of one worktree."""
    kept = [line for line in listing.splitlines() if not line.partition(b" ")[2].startswith(_PRIVATE_REFS)]
    return b"\n".join([b"# pack-refs with: sorted ", *kept, b""])


def _alternate(objects: Path) -> bytes:
    """A line of objects/info/alternates. Git reads a C-style quoted path, which a newline needs."""
    raw = os.fsencode(objects)
    if b"\n" in raw:
        raw = b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
    return raw + b"\n"


def _promisors(settings: list[Setting]) -> set[str]:
    """The remotes that a partial clone may fetch missing objects from."""
    named = {item.value for item in settings if item.key == "extensions.partialclone"}
    marked = {_remote_name(item) for item in settings if item.key.endswith(".promisor") and item.on}
    return (named | marked) - {""}


def _remote_name(item: Setting) -> str:
    found = _REMOTE.fullmatch(item.key)
    return found["name"] if found else ""


def _remote(repository: Repository, item: Setting) -> str:
    """The value, a relative path made absolute: git reads it from where the user's worktree is."""
    here = repository.toplevel or repository.git_dir
    relative = item.key.endswith(".url") and item.value and (here / item.value).exists()
    return os.path.realpath(here / item.value) if relative else item.value


def _without_password(url: str) -> str:
    return re.sub(r"^(https?://)[^/@]*@", r"\1", url)


def _is_sparse(item: Setting) -> bool:
    return item.own and item.key in ("core.sparsecheckout", "core.sparsecheckoutcone", "index.sparse")


def _sparse(repository: Repository, settings: list[Setting]) -> bytes | None:
    values = [item.on for item in settings if item.key == "core.sparsecheckout"]
    patterns = repository.git_dir / "info" / "sparse-checkout"
    wanted = repository.toplevel and values and values[-1] and patterns.exists()
    return patterns.read_bytes() if wanted else None


def _basic(repository: Repository, settings: list[Setting], path: Path) -> Iterator[tuple[str, str]]:
    """What git needs to read the shadow at all, and no background work in something that soon goes."""
    extensions = [(item.key, item.value) for item in settings if item.key == "extensions.partialclone"]
    if repository.object_format != "sha1":
        extensions.append(("extensions.objectformat", repository.object_format))
    yield "core.repositoryformatversion", "1" if extensions else "0"
    yield from extensions
    yield "core.bare", "true"
    if (path / "head").exists():  # HEAD is there, and this file system does not tell them apart
        yield "core.ignorecase", "true"
    if sys.platform == "darwin":
        yield "core.precomposeunicode", "true"
    yield "gc.auto", "0"
    yield "maintenance.auto", "false"


def _agents(settings: list[Setting]) -> Iterator[tuple[str, str]]:
    """So that an agent can commit: somebody's name, and no signature that would wait for a passphrase."""
    known = {item.key: item.value for item in settings}
    yield "user.name", known.get("user.name") or "scoutkit"
    yield "user.email", known.get("user.email") or "scoutkit@localhost"
    yield "commit.gpgsign", "false"


def _neutral(settings: list[Setting]) -> Iterator[tuple[str, str]]:
    """Filters from the user's and the system's configuration, off: a missing or failing one must not stop a checkout.

    In the shadow's configuration, not on our command lines, so that the agent's git sees the same files unchanged.
    """
    found = (_FILTER.fullmatch(item.key) for item in settings if not item.own)
    for name in sorted({match["name"] for match in found if match}):
        for variable, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")):
            yield f"filter.{name}.{variable}", value


def written(settings: Iterable[tuple[str, str]]) -> bytes:
    """Settings in the syntax of git-config(1)."""
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"'})
    text = ""
    for key, value in settings:
        section, _, rest = key.partition(".")
        subsection, _, variable = rest.rpartition(".")
        head = f'{section} "{subsection.translate(escapes)}"' if subsection else section
        quoted = value.translate(escapes).replace("\n", "\\n").replace("\t", "\\t")
        text += f'[{head}]\n\t{variable} = "{quoted}"\n'
    return os.fsencode(text)


def _environment(settings: list[tuple[str, str]]) -> dict[str, str]:
    """Settings for one git process and its children (git-config(1), GIT_CONFIG_COUNT)."""
    if not settings:
        return {}
    env = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return env
