"""Trying a change to learn where it gets hard: scout."""

from __future__ import annotations

from dataclasses import replace

import click

from scoutkit.commands.missions import choose, deliver, worded
from scoutkit.commands.sending import Sending, mission_options
from scoutkit.commands.session import open_desk
from scoutkit.model.missions import Kind


@click.command()
@click.argument("task", nargs=-1, required=True, metavar="TASK|-")
@click.option(
    "--check", "checks", multiple=True, metavar="CMD", help="Run this before the agent and after; may be repeated."
)
@click.option(
    "--path",
    "paths",
    multiple=True,
    metavar="GLOB",
    help="The part of the repository that it is about; may be repeated.",
)
@click.option(
    "--keep-code",
    "keep_days",
    type=click.FloatRange(min=0, min_open=True, max=3650),
    default=None,
    metavar="DAYS",
    help="Keep the code as a patch for so long.  [default: it goes at once]",
)
@mission_options(force="Send even where a note already tells of the same task.")
@click.pass_context
def scout(
    ctx: click.Context,
    task: tuple[str, ...],
    checks: tuple[str, ...],
    paths: tuple[str, ...],
    keep_days: float | None,
    *,
    how: Sending,
    as_json: bool,
) -> int:
    """Try a change to learn where it gets hard. The code is thrown away; what was learned is kept as a note.

    The agent edits, runs and commits in a disposable worktree with a repository of its own. scoutkit watches what it
    does, so that a note comes of it even where the agent fails or says nothing. - reads TASK from stdin.
    """
    from scoutkit.stories import asking, scope

    text, commands = worded(task, "task"), scope.checks(checks)
    desk = open_desk(ctx)
    chosen = choose(desk, how)
    mission = asking.mission(desk, Kind.SCOUT, text, chosen, base=how.base, agent_cmd=how.agent_cmd)
    about = scope.paths(desk, paths, scope.files(desk, mission.base)) if paths else ()
    mission = replace(mission, checks=commands, paths=about, keep_days=keep_days or 0.0)
    return deliver(desk, mission, chosen, how=how, as_json=as_json)
