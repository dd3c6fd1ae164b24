"""A client of the SDK, and a real server process that it talks to over stdio."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

if TYPE_CHECKING:  # its SDK takes most of a second to import, and every worker collects these tests
    from mcp import Client
    from mcp_types import CallToolResult

OPEN = """\
---
id: {id}
type: ask
title: {title}
question: {title}
status: stable
commit: {commit}
citations:
- {{at: 'src/auth/signing.py:12-14', verdict: supported}}
---

`SessionSigner.sign` makes the MAC (`src/auth/signing.py:12-14`).
"""


@dataclass
class Talk:
    """One client and its server. What it calls, it waits for."""

    portal: BlockingPortal
    client: Client
    progress: list[str] = field(default_factory=list)

    def call(self, name: str, **given: Any) -> CallToolResult:
        """A tool's result, which the SDK checks against the tool's schema."""

        async def hear(_: float, __: float | None, message: str | None) -> None:
            self.progress.append(message or "")

        return self.portal.call(lambda: self.client.call_tool(name, given, progress_callback=hear))

    def data(self, name: str, **given: Any) -> Any:
        """The structured content of a call that went well."""
        result = self.call(name, **given)
        assert not result.is_error, result.content
        return result.structured_content

    def error(self, name: str, **given: Any) -> str:
        """What a call that did not go well says."""
        result = self.call(name, **given)
        assert result.is_error, result.content
        return result.content[0].text  # type: ignore[union-attr]

    def do(self, name: str, *args: Any, **given: Any) -> Any:
        """Any other method of the client."""
        method = getattr(self.client, name)
        return self.portal.call(lambda: method(*args, **given))


def environment() -> dict[str, str]:
    """What the server is started with: this test's home and git's settings."""
    return {name: os.environ[name] for name in ("HOME", "PATH")}


@pytest.fixture
def talk(repo: Path) -> Iterator[Callable[..., Talk]]:
    """Start a server in the small repository, or in `folder`: `talk("--allow-ask")`."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    with contextlib.ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())

        def start(*options: str, folder: Path = repo) -> Talk:
            server = StdioServerParameters(
                command=sys.executable, args=["-m", "scoutkit", "mcp", *options], env=environment(), cwd=folder
            )
            client = Client(server)
            stack.enter_context(portal.wrap_async_context_manager(client))
            return Talk(portal, client)

        yield start


@pytest.fixture
def put(repo: Path, git: Callable[..., str]) -> Callable[..., Path]:
    """Write a note file by hand: `put("cookie01", "Cookies are signed")`."""

    def write(id_: str, title: str) -> Path:
        notes = repo / ".claude/notes"
        notes.mkdir(parents=True, exist_ok=True)
        path = notes / f"2026-11-30-{id_}.md"
        path.write_text(OPEN.format(id=id_, title=title, commit=git(repo, "rev-parse", "HEAD").strip()))
        return path

    return write
