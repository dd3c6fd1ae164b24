"""Sending a mission again: run retry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scoutkit.commands import say
from scoutkit.commands.session import json_option, open_desk
from scoutkit.errors import NotFound, Refused, UsageError

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.dispatch.sent import Sent
    from scoutkit.model.missions import Run


@click.command("retry")
@click.argument("id_", metavar="ID")
@json_option
@click.pass_context
def retry(ctx: click.Context, id_: str, *, as_json: bool) -> int:
    """Send a run's mission again: the same text, commit, agent and terms. The new run has an id of its own."""
    from scoutkit import git, process
    from scoutkit.agents import registry
    from scoutkit.commands.missions import deliver
    from scoutkit.commands.sending import Sending
    from scoutkit.model.missions import State, Terms

    desk = open_desk(ctx)
    run = desk.journal.get(id_)
    if run.state is not State.REMOVED and process.alive(run.owner):
        raise Refused(
            f"run {run.id} is going on", f"watch it: scoutkit run logs -f {run.id}; or scoutkit run stop {run.id} first"
        )
    sent = _sent(desk, run)
    mission = sent.mission
    git.resolve(desk.repository, mission.base)
    agent = registry.find("" if mission.agent_cmd else sent.agent, desk.settings, agent_cmd=mission.agent_cmd)
    terms = Terms(mission.limits, mission.isolation, mission.network, mission.model)
    how = Sending(terms=terms, force=True, run_hooks=sent.run_hooks)
    before = {one.id for one in desk.journal.runs()}
    try:
        return deliver(desk, mission, agent, how=how, as_json=as_json)
    finally:
        for one in desk.journal.runs():
            if one.id not in before and (one.kind, one.text, one.agent) == (run.kind, run.text, run.agent):
                say.tell(f"run: {one.id}, for {run.id} again")
                break


def _sent(desk: Desk, run: Run) -> Sent:
    """What is to be sent. NotFound or UsageError, with the way out, where it cannot be."""
    from scoutkit.dispatch import sent

    if run.supersedes:
        raise UsageError(
            f"run {run.id} was to replace note {run.supersedes}", f"ask again: scoutkit refresh {run.supersedes}"
        )
    found = sent.remembered(desk.places.records(run.id))
    if found is None:
        raise NotFound(f"what was sent with run {run.id} was not kept", f"send it anew: scoutkit run show {run.id}")
    if found.blotted:
        raise UsageError(f"what was sent with run {run.id} held a secret, which was not kept", "send it anew")
    return found
