"""The command line in process: real repositories, real agents, no terminal."""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from scoutkit import commands

SCHEMAS = Path(commands.__file__).parent / "schemas"
FOUND = "# Cookies are signed by SessionSigner\n\n`SessionSigner.sign` makes the MAC: `src/auth/signing.py:12-14`.\n"


@dataclass(frozen=True)
class Said:
    """What one command line answered."""

    code: int
    out: str
    err: str

    @functools.cached_property
    def json(self) -> dict[str, Any]:
        """stdout as JSON, checked against the schema it names."""
        document: dict[str, Any] = json.loads(self.out)
        validator(document["schema"].split("/")[1]).validate(document)
        return document


@functools.cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """What checks the answers of one command. Made once: looking a schema over costs more than most commands do."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    assert schema["$schema"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture
def scoutkit(repo: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Run a command line in the small repository: `scoutkit("list", "--json").json["hits"]`."""

    def call(*args: str | Path, stdin: str = "", cwd: Path | None = None) -> Said:
        monkeypatch.chdir(cwd or repo)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capfd.readouterr()
        code = commands.run([str(arg) for arg in args])
        said = capfd.readouterr()
        return Said(code, said.out, said.err)

    return call


@pytest.fixture
def ask(scoutkit: Callable[..., Said]) -> Callable[..., Said]:
    """Ask with a command agent that leaves `report`."""

    def call(
        question: str = "Where is the cookie signed?", *options: str, report: str = FOUND, stdin: str = ""
    ) -> Said:
        command = f"cat <<'REPORT'\n{report}\nREPORT"
        return scoutkit("ask", question, "--agent-cmd", command, *options, stdin=stdin)

    return call
