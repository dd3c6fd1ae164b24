"""browse: the catalogue in a browser."""

from __future__ import annotations

import click

from scoutkit.commands import say
from scoutkit.commands.session import current_folder, open_desk
from scoutkit.errors import UsageError


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="Listen there; 0: any free one. Otherwise from 8765 on.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Listen there; anything but loopback needs --token."
)
@click.option("--token", metavar="TEXT", help="Whoever asks has to know this; `-` makes one.")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.pass_context
def browse(ctx: click.Context, *, port: int | None, host: str, token: str | None, no_open: bool) -> None:
    """Look through notes, citations and runs in a browser, served by Datasette from this machine.

    Read-only. Ctrl-C ends it.
    """
    from scoutkit.browse import library, serving

    token = _token(token, host)
    desk = open_desk(ctx)
    options = ctx.find_root().obj
    own = library.Library(current_folder() / options["folder"], here=options["here"])
    catalogue = desk.places.catalogue
    desk.catalogue.close()
    listening = serving.listen(host, port)
    name = "127.0.0.1" if host in ("0.0.0.0", "::", "127.0.0.1") else f"[{host}]" if ":" in host else host  # noqa: S104
    address = f"http://{name}:{listening.getsockname()[1]}/"
    whole = f"{address}?token={token}" if token else address

    def ready() -> None:
        say.answer(whole)
        if not no_open and not _opened(whole):
            port = listening.getsockname()[1]
            say.tell(
                f"no desktop here: open it in a browser; of another machine, after ssh -L {port}:127.0.0.1:{port} HOST"
            )
        say.tell("Ctrl-C ends it")

    serving.serve(serving.datasette(catalogue, own, hosts=_names(host), token=token), listening, ready=ready)


def _opened(address: str) -> bool:
    """Have the desktop open it; False where there is none, as over ssh."""
    import os
    import shutil
    import sys

    from scoutkit import process

    program = shutil.which("open" if sys.platform == "darwin" else "xdg-open")
    desktop = sys.platform == "darwin" or any(os.environ.get(one) for one in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    if not program or not desktop:
        return False
    process.detach([program, address])
    return True


def _token(token: str | None, host: str) -> str:
    if token == "-":  # noqa: S105 - a wish for one
        import secrets

        return secrets.token_urlsafe(24)
    if token is not None and len(token) < 16:
        raise UsageError("a token of fewer than 16 characters can be guessed", "--token - makes one")
    if token is None and host not in ("127.0.0.1", "localhost", "::1"):
        raise UsageError(f"--host {host} lets others ask: --token is needed", "--token - makes one")
    return token or ""


def _names(host: str) -> tuple[str, ...]:
    """Names of this machine by which others may ask, where they may."""
    import socket

    if host in ("127.0.0.1", "localhost", "::1"):
        return ()
    if host in ("0.0.0.0", "::"):  # noqa: S104 - with a token
        name = socket.gethostname()
        try:
            found = {str(one[4][0]) for one in socket.getaddrinfo(name, None)}
        except OSError:
            found = set()
        return tuple({name.lower(), socket.getfqdn().lower(), *(f"[{one}]" if ":" in one else one for one in found)})
    return (f"[{host}]" if ":" in host else host.lower(),)
