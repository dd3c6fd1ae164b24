"""Inside half of `--network model`: a script that offers the outside's proxy on loopback, then becomes the command.

`python -I relay.py SOCKET HOST:PORT… -- COMMAND…`. Standard library only. The relay is a process of its own that goes
with the namespace; it ignores TERM, so that an agent that is told to end can still write its report.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence

_HERE = {"127.0.0.1": ("127.0.0.1",), "[::1]": ("::1",), "localhost": ("127.0.0.1", "::1")}


def pipe(one: socket.socket, other: socket.socket) -> None:
    """Both ways until both have said all; closes them."""

    def pour(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(1 << 16):
                target.sendall(chunk)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    back = threading.Thread(target=pour, args=(other, one), daemon=True)
    back.start()
    pour(one, other)
    back.join()
    one.close()
    other.close()


def _carry(client: socket.socket, path: str, target: str) -> None:
    """To the proxy; with a `target`, on through it to there."""
    with contextlib.suppress(OSError), client, socket.socket(socket.AF_UNIX) as proxy:
        proxy.connect(path)
        if target:
            proxy.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):
                byte = proxy.recv(1)
                if not byte:
                    return
                answer += byte
            if b" 200 " not in answer.partition(b"\r\n")[0]:
                return
        pipe(client, proxy)


def _serve(listener: socket.socket, path: str, target: str) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            continue  # it was gone again
        threading.Thread(target=_carry, args=(client, path, target), daemon=True).start()


def _listen(target: str) -> Iterator[socket.socket]:
    """Where a program finds `target` when it is on this machine's loopback."""
    host, _, port = target.rpartition(":")
    for address in _HERE.get(host, ()):
        try:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            yield socket.create_server((address, int(port)), family=family)
        except OSError as error:  # no IPv6, or a port for root alone
            print(f"scoutkit: inside, {target} is only there by the proxy: {error}", file=sys.stderr)  # noqa: T201


def start(path: str, targets: Sequence[str]) -> tuple[int, bool]:
    """Listen, and leave a process that carries; the proxy's port, and whether loopback can do without it."""
    listeners = [(found, target) for target in targets for found in _listen(target)]
    direct = {target for _, target in listeners} >= {target for target in targets if target.rpartition(":")[0] in _HERE}
    proxy = socket.create_server(("127.0.0.1", 0))
    listeners.append((proxy, ""))
    port = int(proxy.getsockname()[1])
    if child := os.fork():
        os.waitpid(
            child, 0
        )  # its child belongs to the namespace's first process: the command has none it did not start
        for listener, _ in listeners:
            listener.close()
        return port, direct
    if os.fork():
        os._exit(0)
    os.setsid()
    os.chdir("/")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for handle in range(3):
        os.dup2(null, handle)
    threads = [threading.Thread(target=_serve, args=(listener, path, target)) for listener, target in listeners]
    for thread in threads:
        thread.start()
    threads[0].join()
    os._exit(0)


def main() -> None:
    """Start the relay, then become the command, which finds it in its environment."""
    at = sys.argv.index("--")
    path, *targets = sys.argv[1:at]
    port, direct = start(path, targets)
    proxy = f"http://127.0.0.1:{port}"
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        os.environ[name] = os.environ[name.lower()] = proxy
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "localhost,127.0.0.1,::1" if direct else ""
    command = sys.argv[at + 1 :]
    try:
        os.execvp(command[0], command)  # noqa: S606 - it becomes the command
    except OSError as error:
        sys.exit(f"bwrap: execvp {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main()
