"""How agents are to be sent: the options that every such command takes, and how their values are written."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import click

from scoutkit.commands.session import complete_agents, json_option
from scoutkit.model.missions import Limits, Terms

Command = Callable[..., Any]


class Duration(click.ParamType[float]):
    """Seconds, or `90s`, `10m`, `1h`."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """In seconds."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", str(value).strip().lower())
        if not match or float(match[1]) <= 0:
            self.fail(f"{value!r} is not a time: write 90s, 10m or 1h", param, ctx)
        return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


class Money(click.ParamType[float]):
    """US dollars: `2`, `0.50`, `$1.20`."""

    name = "money"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """In dollars."""
        try:
            amount = float(str(value).strip().removeprefix("$"))
        except ValueError:
            amount = math.nan
        if not 0 < amount < math.inf:
            self.fail(f"{value!r} is no amount of money: write 0.50 or 2", param, ctx)
        return amount


class Size(click.ParamType[int]):
    """Bytes, or `500MB`, `5GB`."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """In bytes."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", str(value).strip().lower())
        if not match or float(match[1]) <= 0:
            self.fail(f"{value!r} is not a size: write 500MB or 5GB", param, ctx)
        return int(float(match[1]) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}[match[2]])


@dataclass(frozen=True, slots=True)
class Sending:
    """What was said of how to send agents, by the options that all such commands take."""

    terms: Terms
    agent: str = ""
    agent_cmd: str = ""
    base: str = "HEAD"
    force: bool = False
    run_hooks: bool = False

    @property
    def quiet(self) -> bool:
        """No isolation is what the person asked for."""
        return self.terms.isolation == "none"


def _not_blank(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """A command that was given and says nothing, as of a variable that is not set, is no wish for another agent."""
    if not value.strip() and ctx.get_parameter_source(str(param.name)) is click.core.ParameterSource.COMMANDLINE:
        raise click.BadParameter("the command is empty", ctx, param)
    return value


def mission_options(force: str = "") -> Callable[[Command], Command]:
    """What every command that sends agents takes, handed to it as `how`.

    `force` is what that option does; without it, the command chooses agent and base itself and never has an answer yet.
    """
    option = click.option
    choice = (
        option("--agent", default="", shell_complete=complete_agents, help="Who does the work: scoutkit agents."),
        option(
            "--agent-cmd",
            default="",
            metavar="CMD",
            callback=_not_blank,
            help="A command as agent: prompt on stdin, report on stdout.",
        ),
        option("--base", default="HEAD", metavar="REV", show_default=True, help="The commit the agent sees."),
        option("--force", is_flag=True, help=force),
        option("--run-hooks", is_flag=True, help="Run the repository's git hooks in the worktree."),
    )
    terms = (
        option("--model", default="", metavar="NAME", help="The model, as the agent names it."),
        option("--timeout", type=Duration(), default="15m", show_default=True, help="Stop the agent after this time."),
        option("--idle", type=Duration(), help="Stop it when it says nothing for so long.  [default: the agent's own]"),
        option("--max-turns", type=click.IntRange(min=1), metavar="N", help="Stop it after so many answers."),
        option(
            "--max-tokens", type=click.IntRange(min=1), metavar="N", help="Stop it after so many tokens, in and out."
        ),
        option("--max-cost", type=Money(), metavar="USD", help="Stop it when it has cost so much."),
        option("--max-disk", type=Size(), default="5GB", show_default=True, help="Stop it when it takes more disk."),
        option("--max-memory", type=Size(), help="Stop it when it uses more.  [default: 3/4 of the machine's]"),
        option(
            "--max-processes",
            type=click.IntRange(min=1),
            metavar="N",
            default=512,
            show_default=True,
            help="Stop it when it has more of them.",
        ),
        option(
            "--isolate",
            type=click.Choice(["auto", "bwrap", "landlock", "docker", "podman", "none"]),
            default="auto",
            show_default=True,
            help="How to contain it; auto is the first of bwrap and landlock that works here.",
        ),
        option(
            "--network",
            type=click.Choice(["full", "model", "none"]),
            default="full",
            show_default=True,
            help="What it may reach: anything, its model alone, nothing.",
        ),
        option(
            "--no-recall", "recall", flag_value=False, default=True, help="Tell it nothing of what notes say already."
        ),
        option(
            "--no-hints", "hints", flag_value=False, default=True, help="Tell it no places that scoutkit where finds."
        ),
        json_option,
    )

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def sending(*args: Any, **given: Any) -> Any:
            limits = Limits(
                timeout=given.pop("timeout"),
                idle=given.pop("idle"),
                turns=given.pop("max_turns"),
                tokens=given.pop("max_tokens"),
                cost_usd=given.pop("max_cost"),
                disk_bytes=given.pop("max_disk"),
                memory_bytes=given.pop("max_memory"),
                processes=given.pop("max_processes"),
            )
            told = (given.pop("network"), given.pop("model"), given.pop("recall"), given.pop("hints"))
            terms = Terms(limits, given.pop("isolate"), *told)
            chosen = {one.name: given.pop(one.name) for one in fields(Sending) if one.name in given}
            return command(*args, how=Sending(terms=terms, **chosen), **given)

        taken = (*choice, *terms) if force else terms
        return functools.reduce(lambda inner, one: one(inner), reversed(taken), sending)

    return decorate
