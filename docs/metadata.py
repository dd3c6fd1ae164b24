"""Writes metadata.yml from scoutkit/model/tables.py; with --check only says whether it is so already."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml

from scoutkit.model import tables

FILE = Path(__file__).parent.parent / "metadata.yml"
HEAD = """\
# What Datasette shows beside the data: datasette scoutkit.db -m metadata.yml
# Made from scoutkit/model/tables.py by `make docs-write`.
"""


def table(one: tables.Table) -> dict[str, Any]:
    """One table, as Datasette's metadata has it."""
    units = {name: column.unit for name, column in one.columns.items() if column.unit}
    return {
        "title": one.title,
        "description": one.says,
        **one.shown,
        **({"hidden": True} if one.hidden else {}),
        **({"facets": list(one.facets)} if one.facets else {}),
        **({"units": units} if units else {}),
        "columns": {name: column.says for name, column in one.columns.items()},
    }


def text() -> str:
    """All of the file."""
    whole = {
        "title": tables.TITLE,
        "description": tables.SAYS,
        "custom_units": ["token = [token_count]"],
        "databases": {
            "scoutkit": {
                "description": tables.DATABASE,
                "tables": {name: table(one) for name, one in tables.TABLES.items()},
            }
        },
    }
    return HEAD + yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=110)


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(0 if FILE.read_text("utf-8") == text() else "metadata.yml is not as the tables are: make docs-write")
    FILE.write_text(text(), "utf-8")
