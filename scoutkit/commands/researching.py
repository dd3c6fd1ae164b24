"""Proving something on other people's repositories: research."""

from __future__ import annotations

from pathlib import Path

import click

from scoutkit.commands import say
from scoutkit.commands.missions import choose, deliver, worded
from scoutkit.commands.sending import Sending, mission_options
from scoutkit.commands.session import open_desk


@click.command()
@click.argument("question", nargs=-1, required=True, metavar="QUESTION|-")
@click.option(
    "--repo",
    "repositories",
    multiple=True,
    required=True,
    metavar="SRC[@REV]",
    help="A repository to look at, a path or an address; REV is any revision of it.  [default: HEAD]  Repeatable.",
)
@click.option("--template", default="", metavar="DIR", help="What the scratch folder is filled with.")
@mission_options(force="Send even where a note already answers the same question about the same commits.")
@click.pass_context
def research(
    ctx: click.Context,
    question: tuple[str, ...],
    *,
    repositories: tuple[str, ...],
    template: str,
    how: Sending,
    as_json: bool,
) -> int:
    """Can it be done with these repositories? Send an agent to build the smallest thing that shows it.

    It works in a scratch folder that is thrown away, beside read-only checkouts of the repositories at one commit each.
    The note keeps the code that shows it, and cites them as name@sha:path:lines. --base is the commit of this
    repository that the note is dated with; nothing of it is shown unless it is a --repo too. - reads QUESTION from
    stdin.
    """
    from scoutkit.agents import registry
    from scoutkit.stories import research as researching

    text = worded(question)
    desk = open_desk(ctx)
    chosen = choose(desk, how)
    registry.needed(chosen)  # before anything is fetched
    mission = researching.plan(
        desk,
        text,
        chosen,
        repositories=repositories,
        template=template,
        base=how.base,
        terms=how.terms,
        agent_cmd=how.agent_cmd,
        start=(ctx.find_root().obj or {}).get("folder", Path()),
        tell=say.tell,
    )
    for source in mission.sources:
        say.tell(f"{source.name}: {source.origin} at {source.commit[:12]}")
    return deliver(desk, mission, chosen, how=how, as_json=as_json)
