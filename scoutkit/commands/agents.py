"""Who can do the work: agents, agents show, agents test."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoutkit.commands import say
from scoutkit.commands.sending import Sending, mission_options
from scoutkit.commands.session import complete_agents, current_folder, json_option
from scoutkit.errors import AgentFailed, Interrupted
from scoutkit.model.missions import Result

if TYPE_CHECKING:
    from scoutkit.config import Settings
    from scoutkit.model.agents import Availability
    from scoutkit.stories.story import Answer


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def agents(ctx: click.Context, *, as_json: bool) -> None:
    """List the agents there are, whether they can be used here, and how they are logged in.

    Starts no model and spends nothing. The star marks the one that is used without --agent.
    """
    if ctx.invoked_subcommand:
        return
    from scoutkit.agents import registry

    settings = _settings()
    found = [(name, registry.describe(name, settings)) for name in registry.names(settings)]
    if as_json:
        say.as_json(
            "agents", agents=[_json(name, one) for name, one in found], default=settings.agent or registry.DEFAULT
        )
        return
    default = settings.agent or registry.DEFAULT
    rows = [
        (f"{'*' if name == default else ' '} {name}", one.version or "-", _state(one), _short(one.path) or "-")
        for name, one in found
    ]
    say.table(("  AGENT", "VERSION", "STATE", "WHERE"), rows)
    for name, one in found:
        if one.hint:
            say.tell(f"{name}: {one.hint}")


@agents.command()
@click.argument("name", shell_complete=complete_agents)
@json_option
def show(name: str, *, as_json: bool) -> None:
    """What is known of one agent, with the flags of the program that scoutkit uses."""
    from scoutkit.agents import registry

    settings = _settings()
    registry.load(name, settings)  # a name that nobody knows is an error
    one = registry.describe(name, settings)
    if as_json:
        say.as_json("agents", agents=[_json(name, one)], default=settings.agent or registry.DEFAULT)
        return
    facts = {
        "agent": name,
        "state": _state(one),
        "version": one.version,
        "program": one.path,
        "flags": " ".join(one.flags),
        "hint": one.hint,
    }
    for fact, value in facts.items():
        if value:
            say.answer(f"{fact + ':':<9}{value}")


@agents.command()
@click.argument("name", shell_complete=complete_agents)
@mission_options()
def test(name: str, *, how: Sending, as_json: bool) -> int:
    """Send an agent on the smallest possible mission and tell what happened.

    It is asked one question about a repository of one file, made for this and removed again. With a paid model this
    costs a few thousand tokens.
    """
    from scoutkit.agents import registry
    from scoutkit.commands.progress import Progress
    from scoutkit.stories import trial

    agent = registry.find(name, _settings())
    here = agent.availability()
    said = " ".join(part for part in (agent.name, here.version) if part)
    say.tell(f"{said}{f', {here.login}' if here.login else ''}")
    began = time.monotonic()
    with Progress(agent.name) as progress:
        answer = trial.send(agent, how.terms, tell=progress.tell, watch=progress.watch)
    run, outcome = answer.run, answer.outcome
    if as_json:
        say.as_json(
            "ask",
            note=say.note_json(answer.note),
            run={**say.run_json(run), "exit": run.exit},
            report=outcome.report,
        )
    else:
        _tell(answer, time.monotonic() - began)
    if outcome.result is Result.INTERRUPTED:
        raise Interrupted("interrupted", "nothing is kept of a test")
    if outcome.result is not Result.DONE:
        hint = outcome.hint
        if "scoutkit run logs" in hint:
            hint = f"nothing is kept of a test; to see what it says: scoutkit ask QUESTION --agent {name}"
        raise AgentFailed(f"agent {run.agent}: {outcome.reason or outcome.result}", hint)
    return 0


def _tell(answer: Answer, seconds: float) -> None:
    run, outcome = answer.run, answer.outcome
    usage = outcome.usage
    spent = [
        f"{seconds:.1f} s",
        f"{usage.input_tokens:,} tokens in" if usage.input_tokens is not None else "",
        f"{usage.output_tokens:,} out" if usage.output_tokens is not None else "",
        f"${usage.cost_usd:.4f}" if usage.cost_usd is not None else "",
    ]
    facts = {
        "result": str(outcome.result),
        "model": outcome.model,
        "version": outcome.version,
        "spent": ", ".join(filter(None, spent)),
        "isolation": run.isolation,
        "cited": ", ".join(f"{one.at} {one.verdict}" for one in answer.note.citations) or "nothing",
        "report": " ".join(outcome.report.split())[:300],
    }
    for fact, value in facts.items():
        if value:
            say.answer(f"{fact + ':':<11}{value}")


def _settings() -> Settings:
    from scoutkit import config, git
    from scoutkit.errors import RepositoryError

    try:
        return config.load(git.discover(current_folder()))
    except RepositoryError:
        return config.load(None)


def _state(one: Availability) -> str:
    missing = "not installed" if "is not on PATH" in one.hint else "not usable"
    return (one.login or "ready") if one.ok else missing


def _short(path: str) -> str:
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path


def _json(name: str, one: Availability) -> dict[str, Any]:
    return {
        "name": name,
        "ok": one.ok,
        "version": one.version or None,
        "path": one.path or None,
        "login": one.login or None,
        "flags": list(one.flags),
        "hint": one.hint,
    }
