"""Outside half of `--network model`: an HTTP proxy on a unix socket that connects to the hosts on its list alone.

It runs in threads of this process for one run. `relay.py` is what the agent sees of it. TLS goes through unread.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scoutkit.dispatch.relay import pipe
from scoutkit.errors import Unavailable

_HEAD = 1 << 16  # bytes of a request's head
_numbers = itertools.count()
_PATIENCE = 30.0  # seconds for a head, and for a connection to be made


class Egress:
    """Listens from the start, until `close`, at `path`, a socket in `folder`.

    `hosts` are host:port (443 where none is given); `targets` the same, each with its port. `env` is read for the proxy
    by which this machine reaches them.
    """

    def __init__(self, folder: Path, hosts: Sequence[str], env: Mapping[str, str]) -> None:
        self.targets = tuple(map(_target, hosts))
        self.path = path = folder / f"egress.{next(_numbers)}"
        self._env = {name.lower(): value for name, value in env.items()}
        self._refused: dict[str, None] = {}
        self._open: set[socket.socket] = set()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:  # the address of a socket may have 107 bytes, a path more
            self._listener.bind(f"/proc/self/fd/{handle}/{path.name}")
        finally:
            os.close(handle)
        path.chmod(0o600)
        self._listener.listen(64)
        self._thread = threading.Thread(target=self._serve, name="egress", daemon=True)
        self._thread.start()

    def refused(self) -> tuple[str, ...]:
        """host:port that was asked for and is not on the list, each once."""
        return tuple(self._refused)

    def close(self) -> None:
        """Connections that are open are cut."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._listener.close()
        self._thread.join(5.0)
        for client in tuple(self._open):
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        self.path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._open.add(client)
            threading.Thread(target=self._attend, args=(client,), name="egress", daemon=True).start()

    def _attend(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:  # an end that is gone has been answered
            client.settimeout(_PATIENCE)
            try:
                self._answer(client)
            except ValueError as error:
                _say(client, "400 Bad Request", f"scoutkit: {error}\n")
        self._open.discard(client)

    def _answer(self, client: socket.socket) -> None:
        head, rest = _head(client)
        method, address, version = head.partition("\r\n")[0].split(" ")
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{address}" if tunnel else address)
        target = _join(parts.hostname or "", parts.port or (443 if parts.scheme in ("", "https") else 80))
        if target not in self.targets:
            self._refused[target] = None
            _say(client, "403 Forbidden", f"scoutkit: {target} is not where this agent's model is\n")
            return
        try:
            server = self._connect(target)
        except OSError as error:
            _say(client, "502 Bad Gateway", f"scoutkit: {target}: {error}\n")
            return
        with server:
            if tunnel:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                where = parts._replace(scheme="", netloc="").geturl() or "/"
                server.sendall(_origin(head, f"{method} {where} {version}"))
            server.sendall(rest)
            for end in (client, server):
                end.settimeout(None)
            pipe(client, server)

    def _connect(self, target: str) -> socket.socket:
        """To the host itself, or by the proxy that this machine's environment names for it."""
        upstream = self._upstream(target)
        host, _, port = (upstream[0] if upstream else target).rpartition(":")
        server = socket.create_connection((host.strip("[]"), int(port)), _PATIENCE)
        if upstream:
            server.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{upstream[1]}\r\n".encode())
            answer, _ = _head(server)
            if " 200 " not in answer.partition("\r\n")[0]:
                server.close()
                raise OSError(f"the proxy {upstream[0]} says: {answer.partition(chr(13))[0]}")
        return server

    def _upstream(self, target: str) -> tuple[str, str] | None:
        host = target.rpartition(":")[0].strip("[]")
        direct = [entry.strip().lstrip(".") for entry in self._env.get("no_proxy", "").split(",") if entry.strip()]
        if host in ("localhost", "127.0.0.1", "::1") or any(
            one == "*" or host == one or host.endswith(f".{one}") for one in direct
        ):
            return None
        parts = urlsplit(self._env.get("https_proxy", "") or self._env.get("all_proxy", ""))
        if parts.scheme != "http" or not parts.hostname:
            return None
        secret = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        login = f"Proxy-Authorization: Basic {b64encode(secret.encode()).decode()}\r\n" if parts.username else ""
        return _join(parts.hostname, parts.port or 80), login


def _target(text: str) -> str:
    try:
        parts = urlsplit(f"//{text}")
        return _join(parts.hostname or "", parts.port or 443)
    except ValueError as error:
        raise Unavailable(f"{text!r} is no host:port: {error}", "check the address of the agent's model") from error


def _join(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _head(peer: socket.socket) -> tuple[str, bytes]:
    """A head with its last empty line, and what was read beyond it. ValueError when there is none."""
    read = b""
    while b"\r\n\r\n" not in read:
        chunk = peer.recv(1 << 14)
        if not chunk or len(read) > _HEAD:
            raise ValueError("no request")
        read += chunk
    head, end, rest = read.partition(b"\r\n\r\n")
    return (head + end).decode("latin-1"), rest


def _origin(head: str, first: str) -> bytes:
    """A proxy's request as the server itself takes it. One request a connection: the next may name another host."""
    lines = [line for line in head.split("\r\n")[1:-2] if not line.lower().startswith(("proxy-", "connection:"))]
    return "\r\n".join([first, *lines, "Connection: close", "", ""]).encode("latin-1")


def _say(client: socket.socket, status: str, text: str) -> None:
    body = text.encode()
    client.sendall(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
