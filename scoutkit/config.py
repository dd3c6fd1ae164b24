"""Where things live, and what the user chose. Reads settings; writes only the user's own settings file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from scoutkit.errors import Refused, UsageError
from scoutkit.model.places import Repository

NOTES = ".claude/notes"
SETTINGS = ".claude/scoutkit/config.toml"
PROMPTS = ".claude/scoutkit/prompts"


def _xdg(name: str, fallback: str) -> Path:
    value = os.environ.get(name, "")
    base = (
        Path(value) if Path(value).is_absolute() else Path.home() / fallback
    )  # the XDG rules: a relative one is ignored
    return base / "scoutkit"


def user_config() -> Path:
    """The user's settings folder."""
    return _xdg("XDG_CONFIG_HOME", ".config")


def user_state() -> Path:
    """Holds runs in progress (shadow repository, worktree) and their trash."""
    return _xdg("XDG_STATE_HOME", ".local/state")


def user_cache() -> Path:
    """Holds what can be made again: Whoosh indexes, the built-in agent's symbols."""
    return _xdg("XDG_CACHE_HOME", ".cache")


def resources(kind: str) -> Path:
    """A folder or file that ships with scoutkit: `templates`, `metadata.yml`. In the wheel inside the package, in a
    checkout beside it."""
    inside = Path(__file__).parent / kind
    return inside if inside.exists() else Path(__file__).parent.parent / kind


class Places(NamedTuple):
    """Where scoutkit keeps what belongs to one repository. Absolute paths."""

    repository: Repository
    root: Path  # note paths are relative to this
    notes: Path

    @property
    def state(self) -> Path:
        """scoutkit's own folder inside the shared git directory: never in the tree, shared by all worktrees."""
        return self.repository.common_dir / "scoutkit"

    @property
    def catalogue(self) -> Path:
        """Notes, citations, tags, runs: derived, can be deleted."""
        return self.state / "scoutkit.db"

    @property
    def journal(self) -> Path:
        """What runs did: the truth about them."""
        return self.state / "journal.db"

    def records(self, run_id: str) -> Path:
        """A run's durable files: `prompt.md`, `events.jsonl`, `transcript.txt`, `stderr.txt`, `report.md`."""
        return self.state / "runs" / run_id

    @property
    def fulltext(self) -> Path:
        """The Whoosh index: in the user's cache, since Whoosh unpickles what it opens."""
        import zlib

        path = os.fsencode(self.repository.common_dir)  # two that fall together only rebuild each other's
        return user_cache() / "whoosh" / f"{zlib.crc32(path):08x}{zlib.adler32(path):08x}"


class Settings(NamedTuple):
    """What the user's `config.toml` says, then the repository's `.claude/scoutkit/config.toml` (which may not define
    commands: those come only from the user)."""

    agent: str = ""
    notes: str = NOTES
    agents: Mapping[str, dict[str, Any]] = MappingProxyType({})
    pass_env: tuple[str, ...] = ()
    prices: Mapping[str, Any] = MappingProxyType({})  # of models, USD per million tokens; the user's alone
    notify: str | bool = False  # a command that is run when a batch is over, or True for the desktop; the user's alone
    trusted: tuple[str, ...] = ()  # repositories whose own hooks and servers agent programs may run; the user's alone
    hints: bool = True  # agents are told of places that the built-in scout would look at
    setup: tuple[str, ...] = ()  # commands that make a worktree ready for an agent that changes it
    setup_from: Path | None = (
        None  # the file that they are from: the user's, or the repository's, which has to be trusted
    )


def places(repository: Repository, settings: Settings, *, here: bool = False) -> Places:
    """Where this repository's notes and state are.

    `here` keeps notes in the current worktree instead of the main one. Where there is no main worktree the current
    one stands in; inside a bare repository the state folder does. Raises Refused for a notes folder that leads out.
    """
    root = repository.toplevel if here and repository.toplevel else repository.main or repository.toplevel
    if root is None:
        state = repository.common_dir / "scoutkit"
        return Places(repository, state, state / "notes")
    notes = root / settings.notes
    if not Path(os.path.realpath(notes)).is_relative_to(os.path.realpath(root)):
        raise Refused(
            f"the notes folder leads out of the repository: {settings.notes}",
            f"set `notes` in {SETTINGS} to a folder inside it, and check for symbolic links",
        )
    return Places(repository, root, notes)


def load(repository: Repository | None) -> Settings:
    """The user's settings with the repository's on top. Raises UsageError naming the file for what cannot be read."""
    user = _read(user_config() / "config.toml")
    root = repository and (repository.main or repository.toplevel)
    repo = _read(root / SETTINGS) if root else {}
    if "agents" in repo:
        raise Refused(
            f"{SETTINGS} defines agents, and a repository's commands are not run",
            f"copy its [agents] table to {user_config() / 'config.toml'} if you trust it, and delete it there",
        )
    mine = _of(user, root) if root else {}
    return Settings(
        setup=_texts(mine if "setup" in mine else repo, "setup"),
        setup_from=user_config() / "config.toml" if "setup" in mine else root / SETTINGS if root else None,
        agent=_text(repo, "agent") or _text(user, "agent"),
        notes=_text(repo, "notes") or _text(user, "notes") or NOTES,
        agents=_table(user, "agents"),
        pass_env=_texts(user, "pass_env"),
        prices=_table(user, "prices"),
        trusted=_texts(user, "trusted"),
        notify=_notify(user),
        hints=_flag(repo if "hints" in repo else user, "hints"),
    )


def _of(user: dict[str, Any], root: Path) -> dict[str, Any]:
    """What the user's settings say of one repository: `[repositories."~/src/app"]`."""
    if "setup" in user:
        raise UsageError(
            f"`setup` at the top of {user_config() / 'config.toml'} is for no repository",
            f'write it under [repositories."{root}"]',
        )
    found: dict[str, Any] = {}
    for path, table in _table(user, "repositories").items():
        if not isinstance(table, dict) or (unknown := sorted(table.keys() - {"setup"})):
            said = f"knows no `{unknown[0]}`" if isinstance(table, dict) else "must be a table"
            raise UsageError(f'[repositories."{path}"] {said}', 'it takes setup = ["…"]')
        if Path(path).expanduser().resolve() == root.resolve():
            found |= table
    return found


def remember_agent(name: str) -> None:
    """Store the user's choice of agent, leaving the rest of the file as it is."""
    path = user_config() / "config.toml"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    table = next((number for number, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    top = [line for line in lines[:table] if line.split("=")[0].strip() != "agent"]
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text("\n".join([f'agent = "{name}"', *top, *lines[table:]]) + "\n", "utf-8")
    fresh.replace(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "check its permissions") from error
    import tomllib

    try:
        return _known(tomllib.loads(raw.decode("utf-8-sig")), path)
    except ValueError as error:
        raise UsageError(f"{path} is not valid TOML: {error}", "mend or delete it") from error


def _known(table: dict[str, Any], path: Path) -> dict[str, Any]:
    """The settings of a file; UsageError naming one that nobody knows."""
    names = ("agent", "notes", "agents", "pass_env", "prices", "trusted", "setup", "repositories", "notify", "hints")
    for name in table:
        if name not in names:
            import difflib

            near = difflib.get_close_matches(name, names, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise UsageError(f"unknown setting `{name}` in {path}", hint)
    return table


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise UsageError(f"setting `{key}` must be text, not {value!r}", f'write {key} = "…"')
    if "\0" in value:
        raise UsageError(f"setting `{key}` holds a NUL character: {value!r}", "take it out")
    return value


def _flag(table: dict[str, Any], key: str) -> bool:
    value = table.get(key, True)
    if not isinstance(value, bool):
        raise UsageError(f"setting `{key}` must be true or false, not {value!r}", f"write {key} = false")
    return value


def _notify(table: dict[str, Any]) -> str | bool:
    if isinstance(value := table.get("notify", False), bool):
        return value
    if not isinstance(value, str):
        raise UsageError(
            f"setting `notify` must be a command or true, not {value!r}", 'notify = "notify-send scoutkit"'
        )
    return _text(table, "notify").strip()


def _table(table: dict[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise UsageError(f"setting `{key}` must be a table, not {value!r}", f"write it as [{key}.NAME]")
    return value


def _texts(table: dict[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f"setting `{key}` must be a list of texts, not {value!r}", f'write {key} = ["…"]')
    return tuple(value)
