"""The streams between client and server, which know what was asked and not answered yet.

So a client that closes stdin right after its questions (a script, a pipe) still gets its answers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

Message = SessionMessage | Exception


@dataclass
class Open:
    """Requests that wait for their answer, by their numbers."""

    _numbers: set[str] = field(default_factory=set)
    _changed: anyio.Event = field(default_factory=anyio.Event)

    def came(self, item: Message) -> None:
        """A message from the client."""
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, JSONRPCRequest):
            self._numbers.add(str(message.id))
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._over((message.params or {}).get("requestId"))  # it is never answered

    def went(self, item: SessionMessage) -> None:
        """A message to the client."""
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._over(item.message.id)

    def _over(self, number: Any) -> None:
        self._numbers.discard(str(number))
        self._changed.set()

    async def none(self) -> None:
        """Wait until all are answered."""
        while self._numbers:
            self._changed = anyio.Event()
            await self._changed.wait()


class _Stream:
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class Incoming(_Stream):
    """What the client says. Ends once `parting`, which begins when the client has said all, is done."""

    def __init__(self, inner: ReadStream[Message], open_: Open, parting: Callable[[], Awaitable[None]]) -> None:
        super().__init__(inner)
        self._open, self._parting = open_, parting

    async def receive(self) -> Message:
        """The next message."""
        try:
            item: Message = await self._inner.receive()
        except anyio.EndOfStream:
            await self._parting()
            raise
        self._open.came(item)
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class Outgoing(_Stream):
    """What the client is told."""

    def __init__(self, inner: WriteStream[SessionMessage], open_: Open) -> None:
        super().__init__(inner)
        self._open = open_

    async def send(self, item: SessionMessage, /) -> None:
        """One message."""
        await self._inner.send(item)
        self._open.went(item)
