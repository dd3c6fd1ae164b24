"""Finds agents by name: those that ship, those the user's settings define as commands, those other packages bring.

An agent that ships is one file and one line in REGISTRY. Another package brings one as an entry point in the group
`scoutkit.agents`. Both are `module:attribute`, something that makes an agent when called; with `--agent NAME:ARGUMENT`
it is called with the argument.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from scoutkit import config
from scoutkit.errors import ScoutError, Unavailable, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from scoutkit.model.agents import Agent, Availability

GROUP = "scoutkit.agents"
REGISTRY = {
    "builtin": "scoutkit.agents.builtin.agent:Builtin",
    "claude": "scoutkit.agents.claude:Claude",
    "codex": "scoutkit.agents.codex:Codex",
    "gemini": "scoutkit.agents.gemini:Gemini",
    "copilot": "scoutkit.agents.copilot:Copilot",
    "llm": "scoutkit.agents.llm:Llm",
    "scripted": "scoutkit.agents.scripted:Scripted",
}
DEFAULT = "builtin"
PROGRAMS = ("claude", "codex", "gemini", "copilot", "llm")  # what an engineer may have on PATH

RECIPES = {
    "opencode": "OPENCODE_DISABLE_PROJECT_CONFIG=1 opencode run --pure --agent plan",
    "qwen": "qwen --approval-mode plan --safe-mode",
    "mini": 'mini -y --exit-immediately -t "$(cat)" -o {report_file}',
}
"""Programs without an adapter, and a command that runs each as a plain command agent; docs/agents.md has more."""

Ask = Callable[[list[str]], str]
"""Shows names of agents to a person; the one they picked."""

_MEMBERS = ("name", "kinds", "needs_checkout", "availability", "invocation")


def names(settings: config.Settings) -> list[str]:
    """Every agent that `--agent` can name, the default first. Whether each can be used is for `describe` to say."""
    return list(dict.fromkeys((*REGISTRY, *settings.agents, *_entry_points())))


def find(name: str, settings: config.Settings, *, agent_cmd: str = "") -> Agent:
    """The agent of that name, ready to be used; `agent_cmd` makes a one-off of a command line.

    Raises UsageError for a name nobody knows and for settings that cannot be understood, Unavailable for an agent
    that cannot be used here.
    """
    agent = load(name, settings, agent_cmd=agent_cmd)
    needed(agent)
    return agent


def needed(agent: Agent) -> None:
    """Unavailable for an agent that cannot be used here."""
    here = agent.availability()
    if not here.ok:
        raise Unavailable(f"agent {agent.name} cannot be used here", here.hint)


def describe(name: str, settings: config.Settings) -> Availability:
    """Whether the agent can be used here, and how to get it when not. What is wrong with it is in the hint."""
    from scoutkit.model.agents import Availability

    try:
        return load(name, settings).availability()
    except ScoutError as error:
        return Availability(ok=False, hint=f"{error.message}; {error.hint}" if error.hint else error.message)


def load(name: str, settings: config.Settings, *, agent_cmd: str = "") -> Agent:
    """As `find`, but an agent that is not installed is returned too."""
    if agent_cmd.strip():
        if name not in ("", "command"):
            raise UsageError(f"--agent {name} and --agent-cmd exclude each other", "leave one of them out")
        from scoutkit.agents.command import Command

        return Command(agent_cmd)
    plain, colon, argument = name.partition(":")
    if plain in settings.agents:
        from scoutkit.agents.command import from_settings, setting

        if plain in (*REGISTRY, "command"):
            raise UsageError(f"{setting(plain)}: this name belongs to an agent that ships", "give yours another name")
        if colon:
            raise UsageError(f"agent {plain} takes no argument: {name}", f"write --agent {plain}")
        return from_settings(plain, settings.agents[plain])
    target: str | EntryPoint | None = REGISTRY.get(plain) or _entry_points().get(plain)
    if target is None:
        raise _unknown(plain, settings)
    return _made(plain, target, argument if colon else None, settings)


def choose(
    asked: str,
    settings: config.Settings,
    *,
    interactive: bool,
    ask: Ask | None = None,
    found: Sequence[str] | None = None,
) -> tuple[str, list[str]]:
    """The agent's name, and lines to tell the user. A name that was asked for is not looked at.

    `found` are agent programs on PATH (looked up when None). The first time that one of them can be used as an agent
    a person at a terminal is asked once, and the answer is remembered whatever it is.
    """
    if asked or settings.agent:
        return asked or settings.agent, []
    found = programs() if found is None else found
    if not found:
        return DEFAULT, []
    known = names(settings)
    usable = [
        name for name in found if name in known
    ]  # whether it is logged in, and not too old, shows when it is sent
    if usable and interactive and ask:
        return _picked([*usable, DEFAULT], ask)
    if usable:
        return DEFAULT, [f"using the built-in agent; {usable[0]} is here too: --agent {usable[0]}"]
    return DEFAULT, []


def programs() -> list[str]:
    """Which of PROGRAMS are on PATH."""
    import shutil

    return [name for name in PROGRAMS if shutil.which(name)]


def _picked(names: list[str], ask: Ask) -> tuple[str, list[str]]:
    name = ask(names)
    if name not in names:
        raise UsageError(f"not one of the agents: {name}", f"choose one of {', '.join(names)}")
    path = config.user_config() / "config.toml"
    try:
        config.remember_agent(name)
    except OSError as error:
        return name, [f"{path} cannot be written ({error.strerror}): you will be asked again"]
    return name, [f"{name} is used from now on: `agent` in {path}"]


def _entry_points() -> dict[str, EntryPoint]:
    """Agents that other packages bring. Ours come first: none of theirs takes the place of one."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def _made(name: str, target: str | EntryPoint, argument: str | None, settings: config.Settings) -> Agent:
    """The agent. One that counts what its model costs takes the user's own `prices`."""
    try:
        if isinstance(target, str):
            module, _, attribute = target.partition(":")
            factory = getattr(importlib.import_module(module), attribute)
        else:
            factory = target.load()
    except Exception as error:  # importing runs anybody's code
        raise _broken(name, f"cannot be loaded: {type(error).__name__}: {error}", target) from error
    import inspect

    given = () if argument is None else (argument,)
    try:
        signature = inspect.signature(factory)
        signature.bind(*given)
    except (TypeError, ValueError) as error:
        if argument is None:
            raise _broken(name, "cannot be made without an argument", target) from error
        raise UsageError(f"agent {name} takes no argument: {name}:{argument}", f"write --agent {name}") from error
    agent = factory(*given, **({"prices": settings.prices} if "prices" in signature.parameters else {}))
    if lacking := [member for member in _MEMBERS if not hasattr(agent, member)]:
        raise _broken(name, f"is no agent: it lacks {', '.join(lacking)}", target)
    return cast("Agent", agent)


def _broken(name: str, what: str, target: str | EntryPoint) -> Unavailable:
    package = "scoutkit" if isinstance(target, str) else target.dist.name if target.dist else target.value
    return Unavailable(f"agent {name} {what}", f"install {package} again, or without it choose another agent")


def _unknown(name: str, settings: config.Settings) -> ScoutError:
    import shutil

    from scoutkit.agents.command import meant

    if name in RECIPES:
        how = f"run it as a plain command: --agent-cmd '{RECIPES[name]}'"
        there = "" if shutil.which(name) else " and is not on PATH"
        return Unavailable(f"{name} has no adapter{there}", how)
    if name == "command":
        return UsageError("agent command needs a command line", "give it with --agent-cmd CMD")
    return UsageError(f"unknown agent: {name}", meant(name, names(settings)))
