"""Who may ask, and what a page may do: Host, Origin, token and Content-Security-Policy. One ASGI layer around all.

A page elsewhere can have a browser ask loopback under a name of its own (DNS rebinding): only names that stand for this
machine are answered.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_NOWHERE = "base-uri 'none'; frame-ancestors 'none'"
OURS = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    f"form-action 'self'; {_NOWHERE}"
)
"""For our own pages: nothing inline, nothing from elsewhere."""
STYLED = OURS.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""The same for pages with plots, which bring their styles with them."""
THEIRS = f"default-src 'self' 'unsafe-inline'; img-src 'self' data:; {_NOWHERE}"
"""For Datasette's own pages, which have scripts and styles inline."""
_COOKIE = "scoutkit_token"


class Guard:
    """An ASGI app around another. `hosts` are the names it answers to, without a port, besides those of loopback.

    `token`, where there is one, has to come with every request: as `?token=`, which is kept in a cookie, or as
    `Authorization: Bearer`.
    """

    def __init__(self, app: App, *, hosts: tuple[str, ...] = (), token: str = "") -> None:
        self.app = app
        self.hosts = (*LOOPBACK, *hosts)
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 with one line, or pass on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if why := self._refused(headers):
            await _say(send, 403, why)
            return
        if self.token and not self._known(headers):
            await self._ask(scope, send)
            return
        await self.app(scope, receive, _hardened(send))

    def _refused(self, headers: dict[str, str]) -> str:
        if _name(headers.get("host", "")) not in self.hosts:
            return "this server answers to the names of this machine only\nhint: open it as http://127.0.0.1:PORT/"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers["host"]:
            return "this server answers its own pages only"
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return "this server answers its own pages only"
        return ""

    def _known(self, headers: dict[str, str]) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(_COOKIE)
        except CookieError:
            cookie = None
        shown = (headers.get("authorization", "").removeprefix("Bearer "), cookie.value if cookie else "")
        return any(self._is_token(one) for one in shown)

    def _is_token(self, shown: str) -> bool:
        return hmac.compare_digest(shown.encode(), self.token.encode())

    async def _ask(self, scope: Scope, send: Send) -> None:
        """The token in the address becomes a cookie: it stays in no history and no referrer."""
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if any(name == "token" and self._is_token(value) for name, value in pairs):
            rest = urlencode([(name, value) for name, value in pairs if name != "token"])
            to = "/" + quote(scope["path"].lstrip("/\\")) + (f"?{rest}" if rest else "")
            cookie = f"{_COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            where = [(b"location", to.encode()), (b"set-cookie", cookie.encode())]
            await _say(send, 303, "", where)
            return
        await _say(send, 403, "a token is needed\nhint: open the address that `scoutkit browse` printed")


def _name(host: str) -> str:
    """A Host header without its port."""
    return (host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and ":" in host else host).lower()


def _hardened(send: Send) -> Send:
    """Adds what every answer says. A page that set a policy of its own keeps it."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            said = {name.lower() for name, _ in headers}
            more = {
                b"content-security-policy": THEIRS.encode(),
                b"x-content-type-options": b"nosniff",
                b"referrer-policy": b"same-origin",
                b"cross-origin-resource-policy": b"same-origin",
            }
            headers += [(name, value) for name, value in more.items() if name not in said]
            message = {**message, "headers": headers}
        await send(message)

    return sending


async def _say(send: Send, status: int, text: str, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    plain = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")]
    await send({"type": "http.response.start", "status": status, "headers": [*plain, *(headers or [])]})
    await send({"type": "http.response.body", "body": text.encode()})
