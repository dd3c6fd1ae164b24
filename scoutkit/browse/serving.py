"""The server: Datasette over one catalogue, on a socket of this machine. Blocks until it is told to end."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoutkit import config
from scoutkit.browse import library, plugin
from scoutkit.errors import Unavailable

PORT = 8765
_TRIES = 20  # ports after the first that are tried, where a person named none


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket; without a port the first free one from PORT on. Unavailable where there is none."""
    ports = range(PORT, PORT + _TRIES) if port is None else (port,)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    why = ""
    for one in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, one))
            listening.listen(128)
        except OSError as error:
            listening.close()
            why = error.strerror or str(error)
            continue
        return listening
    tried = f"port {port}" if port is not None else f"a port from {PORT} to {PORT + _TRIES - 1}"
    raise Unavailable(f"cannot listen on {host}, {tried}: {why}", "name another one: scoutkit browse --port 0")


def datasette(catalogue: Path, own: library.Library, *, hosts: tuple[str, ...] = (), token: str = "") -> Any:
    """Datasette over a catalogue that is there, with our pages and the guard around all."""
    from datasette.app import Datasette
    from datasette.utils import parse_metadata

    folder = config.resources("templates") / "datasette"
    made = Datasette(
        [str(catalogue)],
        metadata=parse_metadata(config.resources("metadata.yml").read_text("utf-8")),
        template_dir=str(folder),
        plugins_dir=str(folder / "plugins"),
        settings={
            "default_cache_ttl": 0,  # what changed on disk is there on the next request
            "truncate_cells_html": 400,
            "suggest_facets": False,  # metadata.yml names those that are worth it; looking for others takes longer
        },
    )
    _quiet()
    plugin.attach(made, own, hosts=hosts, token=token)
    return made


def _quiet() -> None:
    """With rich, Datasette prints 200 lines and the values of variables for each address that is not there."""
    from datasette import handle_exception  # only now: its plugins import it, and must be the first to

    if hasattr(handle_exception, "rich"):
        handle_exception.rich = None


def serve(app: Any, listening: socket.socket, *, ready: Callable[[], None]) -> None:
    """Serve a Datasette until SIGINT or SIGTERM. `ready` is called once requests are answered."""
    import uvicorn

    chosen = uvicorn.Config(app.app(), log_level="warning", lifespan="on", timeout_graceful_shutdown=2)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    with contextlib.suppress(KeyboardInterrupt):  # how people end it
        Server(chosen).run([listening])
