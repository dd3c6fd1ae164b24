"""Datasette as `scoutkit browse` makes it, asked in process: the real pages over a real repository."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from scoutkit.browse import library, serving
from scoutkit.desk import Desk

NOTE = """\
---
id: {id}
type: {type}
title: {title}
description: {title}, in short.
question: {question}
tags: [{tags}]
status: {status}
commit: {commit}
generated: {{by: builtin/0.1.0, at: 2026-11-29T12:00:00+00:00}}
citations:
- {{at: 'src/auth/signing.py:12-14', verdict: supported, symbol: SessionSigner.sign}}
- {{at: 'src/auth/middleware.py:4-6', verdict: supported, symbol: check_cookie}}
---

# {title}

`SessionSigner.sign` makes the MAC (`src/auth/signing.py:12-14` ✓), and `check_cookie`
(`src/auth/middleware.py:4-6` ✓) has it verified.

{more}
"""


@dataclass(frozen=True)
class Page:
    """One answer of the server."""

    status: int
    text: str
    headers: Mapping[str, str]


@dataclass
class Browser:
    """Asks the server of one repository, as a browser on this machine would."""

    repo: Path
    own: library.Library
    guarding: dict[str, Any]

    def get(self, *paths: str, headers: Mapping[str, str] | None = None) -> list[Page]:
        """Several pages of one server, one after the other."""

        async def ask() -> list[Page]:
            datasette = serving.datasette(Desk.open(self.repo).places.catalogue, self.own, **self.guarding)
            await datasette.invoke_startup()
            transport = httpx.ASGITransport(app=datasette.app())
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                answers = [await client.get(path, headers=dict(headers or {})) for path in paths]
            return [Page(answer.status_code, answer.text, dict(answer.headers)) for answer in answers]

        return asyncio.run(ask())

    def page(self, path: str, **headers: str) -> Page:
        """One page."""
        return self.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})[0]


@pytest.fixture
def note(repo: Path, git: Callable[..., str]) -> Callable[..., str]:
    """Write a note about the small repository, as it is at HEAD; gives its id."""

    def write(note_id: str, title: str = "Cookies are signed by SessionSigner", more: str = "", **keys: str) -> str:
        folder = repo / ".claude/notes"
        folder.mkdir(parents=True, exist_ok=True)
        told = {"type": "ask", "question": "Where are cookies signed?", "tags": "auth", "status": "stable", **keys}
        commit = git(repo, "rev-parse", "HEAD").strip()
        text = NOTE.format(id=note_id, title=title, more=more, commit=commit, **told)
        (folder / f"{note_id}.md").write_text(text)
        return note_id

    return write


@pytest.fixture
def browser(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Browser:
    """What asks the small repository's server. Its catalogue is there already, as `scoutkit browse` sees to.

    No process checks notes behind a test's back.
    """
    monkeypatch.setattr(library, "OFTEN", float("inf"))
    Desk.open(repo).sync()
    return Browser(repo, library.Library(repo), {})
