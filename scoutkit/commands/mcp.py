"""Notes for agent programs: mcp."""

from __future__ import annotations

import gc
import os
from typing import Any

import click

from scoutkit.commands import say
from scoutkit.commands.sending import Duration
from scoutkit.commands.session import complete_agents, current_folder
from scoutkit.errors import Unavailable, UsageError
from scoutkit.reuse import tokens
from scoutkit.serving.budget import USUAL
from scoutkit.serving.tools import LEAST


@click.command()
@click.option(
    "--budget",
    type=click.IntRange(min=LEAST),
    metavar="TOKENS",
    default=USUAL,
    show_default=True,
    help="No answer takes more.",
)
@click.option("--allow-ask", is_flag=True, help="Offer a tool that sends agents. Without it all tools only read.")
@click.option("--agent", metavar="NAME", shell_complete=complete_agents, help="With --allow-ask: who is sent.")
@click.option(
    "--timeout",
    type=Duration(),
    default="15m",
    show_default=True,
    help="With --allow-ask: stop an agent after this time.",
)
@click.pass_context
def mcp(ctx: click.Context, /, **given: Any) -> None:
    """Serve the notes to an agent program over the Model Context Protocol, on stdin and stdout.

    The program starts it; it ends when the program does. It answers for the repository of the folder it is started in,
    or of -C FOLDER. Nothing but the protocol goes to stdout; stderr is the log.
    """
    import shlex
    import sys

    from scoutkit import process

    if given["agent"] and not given["allow_ask"]:
        raise UsageError(f"--agent {given['agent']} is for --allow-ask", "add --allow-ask")
    tokens.prepare()
    gc.disable()  # a third of the time that the imports take, and agent programs wait for a server to be there
    try:
        from scoutkit.serving import server
    except ImportError as error:
        raise Unavailable(
            f"the MCP server needs a package that is not installed ({error})",
            f'{shlex.quote(sys.executable)} -m pip install "scoutkit[mcp]"',
        ) from error
    gc.freeze()
    gc.enable()
    from scoutkit.serving.asking import Asking
    from scoutkit.serving.budget import Budget
    from scoutkit.serving.library import Library

    options = ctx.find_root().obj
    folder = current_folder() / options["folder"]
    asking = None
    if given["allow_ask"] and process.RUN_MARK in os.environ:
        say.tell("in a run of scoutkit itself no agents are sent: ask is not offered")
    elif given["allow_ask"]:
        asking = Asking(folder, options["here"], given["agent"] or "", given["timeout"])
    library = Library(folder, options["here"], say.tell)
    server.serve(lambda: server.Serving(library, Budget(given["budget"]), asking))
