"""The server: what a client program asks over stdin is answered on stdout. Only this and `streams` import `mcp`.

While it serves, stdin and stdout of this process lead nowhere: only the protocol reaches the client.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import anyio
import mcp_types as types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from scoutkit import __version__
from scoutkit.errors import Interrupted, NotFound, ScoutError, UsageError
from scoutkit.serving import answers, shapes, tools
from scoutkit.serving.asking import MOST, Asking, Errand
from scoutkit.serving.budget import Answer, Budget
from scoutkit.serving.library import Library
from scoutkit.serving.streams import Incoming, Open, Outgoing
from scoutkit.serving.tools import Tool
from scoutkit.serving.worker import Worker

Context = ServerRequestContext[Any, Any]
Given = dict[str, Any]
READING = {
    tools.SEARCH.name: answers.search,
    tools.READ.name: answers.read,
    tools.ABOUT.name: answers.about,
    tools.PACK.name: answers.pack,
    tools.CHECK.name: answers.check,
}
_QUOTED = 200  # characters of a value, past which an error does not quote it
_PAGE = 100  # resources in one answer
_BEAT = 5.0  # seconds between two signs of life of a question that is out
_PARTING = 10.0  # seconds for questions that are out to leave their notes, when the server is to end
_URI = re.compile(r"note://([^/?#]+)/?(?:\?offset=(\d{1,9}))?")


@dataclass
class Serving:
    """One server, for one client."""

    library: Library
    budget: Budget
    asking: Asking | None = None
    _worker: Worker = field(default_factory=Worker)
    _errands: set[Errand] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._tools = {tool.name: tool for tool in tools.offered(asking=self.asking is not None)}
        self._taking = {name: Draft202012Validator(dict(tool.takes)) for name, tool in self._tools.items()}
        self._turns = anyio.CapacityLimiter(MOST)

    async def run(self) -> None:
        """Serve until the client closes stdin. A signal ends the process with the exit code of `Interrupted`."""
        server = Server(
            "scoutkit",
            version=__version__,
            title="scoutkit: notes on this repository",
            instructions=tools.INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
        )
        waiting = Open()

        async def parting() -> None:
            with anyio.move_on_after(_PARTING):
                await self._part()
                await waiting.none()

        async with anyio.create_task_group() as group:
            await group.start(self._mind_signals)
            async with stdio_server() as (said, told):
                incoming, outgoing = Incoming(said, waiting, parting), Outgoing(told, waiting)
                await server.run(incoming, outgoing, server.create_initialization_options())
            group.cancel_scope.cancel()

    async def _mind_signals(self, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        """The thread that reads stdin cannot be woken, so the process ends here."""
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as received:
            task_status.started()
            async for _ in received:
                await self._part()
                os._exit(Interrupted.exit_code)

    async def _part(self) -> None:
        """End what is out; each leaves what it found so far as a draft."""
        for errand in self._errands:
            errand.stop()
        with anyio.move_on_after(_PARTING, shield=True):
            while any(not errand.done.done() for errand in self._errands):
                await anyio.sleep(0.02)

    # Tools

    async def list_tools(self, _context: Context, _params: Any) -> types.ListToolsResult:
        """All of them, always the same."""
        return types.ListToolsResult(tools=[_listed(tool) for tool in self._tools.values()])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """What goes wrong is an answer too, with what to do about it: a model reads it."""
        if params.name not in self._tools:
            raise MCPError(types.INVALID_PARAMS, f"no such tool: {shapes.line(params.name)}")
        try:
            given = self._checked(params.name, params.arguments or {})
            if params.name == tools.ASK.name:
                answer = await self._ask(context, given)
            else:
                answer = await self._do(functools.partial(self._read, READING[params.name], given))
        except ScoutError as error:
            return _failed(error)
        except Exception as error:  # noqa: BLE001 - a fault of ours ends no session; the log has where it was
            traceback.print_exc(file=sys.stderr)
            return _failed(ScoutError(f"scoutkit has a fault: {type(error).__name__}: {error}", "see the server's log"))
        return types.CallToolResult(content=[types.TextContent(text=answer.text)], structured_content=dict(answer.data))

    def _checked(self, name: str, given: Given) -> Given:
        error = best_match(self._taking[name].iter_errors(given))
        if error is None:
            return given
        where = ".".join(str(one) for one in error.absolute_path)
        wanted = ", ".join(self._tools[name].takes["properties"])
        said = error.message
        if isinstance(error.instance, str) and not error.instance.strip():
            said = "is blank"
        elif error.validator == "pattern":
            said = f"{error.instance!r} cannot be one"
        if isinstance(error.instance, str) and len(error.instance) > _QUOTED:
            said = f"{said.removeprefix(repr(error.instance)).strip()}: {len(error.instance):,} characters"
        raise UsageError(f"{where}: {said}" if where else said, f"{name} takes {wanted}")

    def _read(self, tool: Callable[[Any, Given, Budget], Answer], given: Given) -> Answer:
        return tool(self.library.desk(), given, self.budget)

    async def _do(self, task: Callable[[], Any]) -> Any:
        """In the thread of the database connection. Who no longer waits for it does not stop what has begun."""
        try:
            return await asyncio.wrap_future(self._worker.do(task))
        finally:
            self._worker.do(self.library.follow)

    async def _ask(self, context: Context, given: Given) -> Answer:
        assert self.asking is not None
        await self._do(self.library.desk)  # no repository: said at once
        async with self._turns:
            done = await self._sent(context, self.asking, given)
        memory = bool(done.get("from_memory"))
        run = done.get("run") or {}
        more = {"from_memory": memory, "run": run.get("id")}
        note = {"note": done["note"]["path"]}
        return await self._do(lambda: answers.read(self.library.desk(), note, self.budget, more))  # type: ignore[no-any-return]

    async def _sent(self, context: Context, how: Asking, given: Given) -> Any:
        """Send the agent, tell the client how it goes, and wait. Where the client no longer waits, it is stopped."""
        loop, began, said = asyncio.get_running_loop(), time.monotonic(), ["started"]
        news = asyncio.Event()

        def hear(line: str) -> None:
            said[0] = line
            self.library.tell(line)
            with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(news.set)

        def over() -> None:
            self._errands.discard(errand)
            news.set()

        errand = Errand.send(how, given, hear)
        self._errands.add(errand)

        def ended(_: object) -> None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(over)

        errand.done.add_done_callback(ended)
        answer = asyncio.wrap_future(errand.done)
        try:
            while not answer.done():
                await context.session.report_progress(round(time.monotonic() - began, 3), message=shapes.line(said[0]))
                news.clear()
                with anyio.move_on_after(_BEAT):
                    await news.wait()
            return await answer
        finally:
            errand.stop()

    # Resources

    async def list_resources(
        self, _context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Every note, newest first, a page at a time."""
        cursor = params.cursor if params and params.cursor else "0"
        if not re.fullmatch(r"\d{1,9}", cursor):
            raise MCPError(types.INVALID_PARAMS, f"no such cursor: {shapes.line(cursor)}")
        begin = int(cursor)
        found = await self._resource(lambda: self.library.desk().catalogue.list(limit=begin + _PAGE + 1))
        page = [
            types.Resource(
                uri=f"note://{shapes.line(hit.id)}",
                name=shapes.line(hit.id),
                title=shapes.line(hit.title),
                description=shapes.line(hit.snippet) or None,
                mime_type="text/markdown",
            )
            for hit in found[begin : begin + _PAGE]
        ]
        more = str(begin + _PAGE) if len(found) > begin + _PAGE else None
        return types.ListResourcesResult(resources=page, next_cursor=more)

    async def list_templates(self, _context: Context, _params: Any) -> types.ListResourceTemplatesResult:
        """One: a note by its id, from a character on."""
        template = types.ResourceTemplate(
            name="note",
            title="A note",
            uri_template="note://{id}{?offset}",
            description="A note with its provenance and verdicts; a long one in parts, from `offset` on.",
            mime_type="text/markdown",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """What `read_note` says as text; `_meta` has what it took."""
        uri = str(params.uri)
        found = _URI.fullmatch(uri)
        if not found:
            raise MCPError(types.INVALID_PARAMS, f"no such resource: {shapes.line(uri)}", {"uri": shapes.line(uri)})
        given = {"note": unquote(found[1]), "offset": int(found[2] or 0)}
        answer: Answer = await self._resource(functools.partial(self._read, answers.read, given))
        spent = {key: answer.data[key] for key in ("budget", "budget_used", "dropped_count", "next_offset")}
        part = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=answer.text, _meta=spent)
        return types.ReadResourceResult(contents=[part])

    async def _resource(self, task: Callable[[], Any]) -> Any:
        """The same for resources, which have no answer that says what went wrong but the protocol's own."""
        try:
            return await self._do(task)
        except NotFound as error:
            raise MCPError(types.INVALID_PARAMS, _sentence(error)) from error
        except ScoutError as error:
            raise MCPError(types.INTERNAL_ERROR, _sentence(error)) from error


def _listed(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.reads,
        destructive_hint=False,
        idempotent_hint=tool.reads,
        open_world_hint=not tool.reads,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=json.loads(json.dumps(tool.takes)),
        output_schema=json.loads(json.dumps(tool.gives)),
        annotations=hints,
    )


def _failed(error: ScoutError) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=_sentence(error))], is_error=True)


def _sentence(error: ScoutError) -> str:
    """Within the smallest budget there is, whatever it quotes: no token is less than a byte."""
    said = f"error: {shapes.within(error.message, 320)}"
    return f"{said}\nhint: {shapes.within(error.hint, 150)}" if error.hint else said


def serve(serving: Callable[[], Serving]) -> None:
    """Serve one client on stdin and stdout until it is gone."""

    async def main() -> None:
        await serving().run()

    anyio.run(main)
