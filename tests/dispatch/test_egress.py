from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from waiting import until

from scoutkit.dispatch import sandbox
from scoutkit.dispatch.egress import Egress
from scoutkit.dispatch.room import Room
from scoutkit.errors import Unavailable


class Model(BaseHTTPRequestHandler):
    """Says what it was asked, and by which request line."""

    def do_GET(self) -> None:
        body = f"model: {self.requestline}; {self.headers.get('Proxy-Authorization')}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture
def proxy(tmp_path: Path, model: int) -> Iterator[Egress]:
    egress = Egress(tmp_path, [f"127.0.0.1:{model}"], {})
    yield egress
    egress.close()


def connected(egress: Egress) -> socket.socket:
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(80)
    where = Path.cwd()
    os.chdir(egress.path.parent)  # the address of a socket has to be short
    try:
        peer.connect(egress.path.name)
    finally:
        os.chdir(where)
    return peer


def ask(egress: Egress, request: str) -> str:
    with connected(egress) as peer:
        peer.sendall(request.encode())
        peer.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := peer.recv(1 << 16):
            answer += chunk
    return answer.decode()


def test_a_tunnel_to_the_model(proxy: Egress, model: int) -> None:
    answer = ask(proxy, f"CONNECT 127.0.0.1:{model} HTTP/1.1\r\n\r\nGET /v1 HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert answer.startswith("HTTP/1.1 200 Connection established\r\n\r\n")
    assert answer.endswith("model: GET /v1 HTTP/1.1; None\n")
    assert proxy.refused() == ()


def test_a_request_in_full(proxy: Egress, model: int) -> None:
    url = f"http://127.0.0.1:{model}/v1?a=b"
    answer = ask(proxy, f"GET {url} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic KEY\r\n\r\n")
    assert answer.endswith("model: GET /v1?a=b HTTP/1.1; None\n")


def test_a_second_request_on_the_connection_goes_nowhere_else(proxy: Egress, model: int) -> None:
    first = f"GET http://127.0.0.1:{model}/1 HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n"
    answer = ask(proxy, first + "GET http://elsewhere:80/2 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.count("model:") == 1


@pytest.mark.parametrize(
    ("request_", "refused"),
    [
        ("CONNECT example.org:443 HTTP/1.1\r\n\r\n", "example.org:443"),
        ("CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n", "127.0.0.1:1"),
        ("GET http://example.org/ HTTP/1.1\r\n\r\n", "example.org:80"),
        ("GET http://user@EXAMPLE.org:8080/ HTTP/1.1\r\n\r\n", "example.org:8080"),
        ("CONNECT [::1]:443 HTTP/1.1\r\n\r\n", "[::1]:443"),
    ],
)
def test_anything_else_is_refused_and_noted_once(proxy: Egress, request_: str, refused: str) -> None:
    for _ in range(2):
        assert ask(proxy, request_).startswith("HTTP/1.1 403 Forbidden\r\n")
    assert proxy.refused() == (refused,)


@pytest.mark.parametrize(
    "request_", ["", "rubbish\r\n\r\n", "CONNECT h:x HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "\0" * 200_000]
)
def test_what_is_no_request_ends_the_connection(proxy: Egress, request_: str) -> None:
    try:
        answer = ask(proxy, request_)
    except (BrokenPipeError, ConnectionResetError):
        answer = ""
    assert "200" not in answer.partition("\r\n")[0]


def test_a_model_that_is_down(tmp_path: Path) -> None:
    with socket.socket() as deaf:  # holds its port, so that nobody else answers there
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        egress = Egress(tmp_path, [f"127.0.0.1:{port}"], {})
        assert ask(egress, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n").startswith("HTTP/1.1 502 Bad Gateway")
        egress.close()


def test_a_host_without_a_port_is_tls(tmp_path: Path) -> None:
    egress = Egress(tmp_path, ["API.example.org", "[::1]:8080"], {})
    assert egress.targets == ("api.example.org:443", "[::1]:8080")
    egress.close()
    egress.close()
    assert not egress.path.exists()


def test_what_is_no_host(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="'host:x' is no host:port"):
        Egress(tmp_path, ["host:x"], {})


def test_a_long_path(tmp_path: Path, model: int) -> None:
    folder = tmp_path / ("f" * 120)
    folder.mkdir()
    egress = Egress(folder, [f"127.0.0.1:{model}"], {})
    assert "200" in ask(egress, f"GET http://127.0.0.1:{model}/ HTTP/1.1\r\n\r\n")
    egress.close()


def test_closing_cuts_what_is_open(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        target = f"127.0.0.1:{silent.getsockname()[1]}"
        egress = Egress(tmp_path, [target], {})
        with connected(egress) as peer:
            peer.sendall(f"CONNECT {target} HTTP/1.1\r\n\r\n".encode())
            assert peer.recv(1000) == b"HTTP/1.1 200 Connection established\r\n\r\n"
            egress.close()
            assert peer.recv(1000) == b""


def test_through_the_proxy_that_this_machine_has(tmp_path: Path, model: int) -> None:
    """The upstream proxy is another of these; only the hosts of the model are asked of it, with its password."""
    seen: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as upstream:

        def serve() -> None:
            peer, _ = upstream.accept()
            with peer:
                seen.append(peer.recv(4096))
                peer.sendall(b"HTTP/1.1 200 OK\r\n\r\nhello from afar")

        thread = threading.Thread(target=serve)
        thread.start()
        address = f"http://me:p%40ss@127.0.0.1:{upstream.getsockname()[1]}"
        egress = Egress(tmp_path, ["api.example.org:443"], {"HTTPS_PROXY": address, "NO_PROXY": ".internal"})
        answer = ask(egress, "CONNECT api.example.org:443 HTTP/1.1\r\n\r\n")
        thread.join(80)
        egress.close()
    assert answer.startswith("HTTP/1.1 200 Connection established\r\n\r\n")
    assert seen[0].startswith(b"CONNECT api.example.org:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in seen[0]


# With the inside half


def isolated(
    tmp_path: Path, model: int, script: str, **how: str
) -> tuple[subprocess.CompletedProcess[str], tuple[str, ...]]:
    if not sandbox.possible()[0].ok:
        pytest.skip(f"NOT TESTED on this machine: isolation by bwrap: {sandbox.possible()[0].why}")
    for name in ("tree", "shadow", "scratch"):
        (tmp_path / name).mkdir(exist_ok=True)
    (tmp_path / "scratch/get.py").write_text(GET)
    env = {"PATH": os.environ["PATH"], "HTTPS_PROXY": "http://secret@nowhere:1", **how}
    room = Room(
        tmp_path / "tree",
        tmp_path / "shadow",
        tmp_path / "scratch",
        env,
        network="model",
        hosts=(f"127.0.0.1:{model}",),
    )
    inside = sandbox.wrap(
        "bwrap", ["/bin/sh", "-c", script.replace("GET", f"{sys.executable} {tmp_path}/scratch/get.py")], room
    )
    done = subprocess.run(
        inside.argv,
        cwd=room.worktree,
        env=inside.env,
        capture_output=True,
        text=True,
        timeout=100,
        start_new_session=True,
    )
    inside.close()
    return done, inside.refused()


GET = """import sys, urllib.request, urllib.error
for url in sys.argv[1:]:
    handlers = [urllib.request.ProxyHandler({})] if url.startswith("direct:") else []
    try:
        answer = urllib.request.build_opener(*handlers).open(url.removeprefix("direct:"), timeout=80)
        print(answer.read().decode(), end="")
    except urllib.error.HTTPError as error:
        print(error.code, error.read().decode(), end="")
    except OSError as error:
        print("no:", error)
"""


def test_only_the_model_is_there(tmp_path: Path, model: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done, refused = isolated(
            tmp_path,
            model,
            f"GET direct:http://127.0.0.1:{model}/a http://example.org/ direct:http://127.0.0.1:{port}/ https://example.org/",
        )
    lines = done.stdout.splitlines()
    assert lines[0] == "model: GET /a HTTP/1.1; None"
    assert lines[1].startswith("403 scoutkit: example.org:80")
    assert lines[2].startswith("no:")
    assert "403" in lines[3]
    assert refused == ("example.org:80", "example.org:443")
    assert done.stderr == ""


def test_a_body_larger_than_a_buffer(tmp_path: Path, model: int) -> None:
    code = f"""import urllib.request
data = bytes(range(256)) * 8192
print(urllib.request.urlopen("http://127.0.0.1:{model}/", data).read() == data)"""
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch/post.py").write_text(code)
    done, _ = isolated(tmp_path, model, f"{sys.executable} {tmp_path}/scratch/post.py")
    assert done.stdout == "True\n", done.stderr


def test_exit_status_and_environment_with_the_relay(tmp_path: Path, model: int) -> None:
    done, _ = isolated(tmp_path, model, "env | grep -i _proxy; ps -o pid=,comm= --ppid $$; exit 9")
    assert done.returncode == 9
    assert "secret" not in done.stdout
    assert re.search(r"^HTTPS_PROXY=http://127\.0\.0\.1:\d+$", done.stdout, re.MULTILINE)
    assert "python" not in done.stdout  # the relay is no child of the agent


def test_the_relay_goes_with_the_run(tmp_path: Path, model: int) -> None:
    isolated(tmp_path, model, "kill -9 $$")
    until(lambda: not relays(tmp_path), "the relay ends")


def relays(folder: Path) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if b"relay.py" in line and os.fsencode(folder) in line:
            found.append(entry.name)
    return found


def test_curl_uses_it_by_itself(tmp_path: Path, model: int) -> None:
    if not shutil.which("curl"):
        pytest.skip("NOT TESTED on this machine: curl is not on PATH")
    done, refused = isolated(tmp_path, model, f"curl -sS http://127.0.0.1:{model}/c; curl -sS https://example.org/")
    assert done.stdout == "model: GET /c HTTP/1.1; None\n"
    assert "403" in done.stderr
    assert refused == ("example.org:443",)


def test_a_port_that_only_root_may_listen_at_is_reached_by_the_proxy(tmp_path: Path) -> None:
    done, _ = isolated(tmp_path, 9, 'echo "[$NO_PROXY]"')
    assert done.stdout == "[]\n"
    assert done.stderr.startswith("scoutkit: inside, 127.0.0.1:9 is only there by the proxy")
