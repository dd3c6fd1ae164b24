"""What docs/mcp.md shows is so."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from scoutkit.commands.root import COMMANDS
from scoutkit.serving import tools

PAGE = (Path(__file__).parents[2] / "docs/mcp.md").read_text("utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_its_settings_start_a_command_that_is_there() -> None:
    servers = json.loads(block("json"))["mcpServers"], tomllib.loads(block("toml"))["mcp_servers"]
    for server in servers:
        assert server["scoutkit"]["command"] == "scoutkit"
        assert [COMMANDS[name][1] for name in server["scoutkit"]["args"]] == [""]


def test_its_table_has_every_tool_with_all_that_it_takes() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE, re.MULTILINE)
    shown = {name: re.findall(r"`(\w+)`", takes) for name, takes in rows}
    assert shown == {tool.name: list(tool.takes["properties"]) for tool in tools.offered(asking=True)}
