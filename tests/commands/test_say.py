"""Tables on terminals of several widths."""

from __future__ import annotations

import shutil
import sys

import pytest

from scoutkit.commands import say

HEADER = ("LINE", "VERDICT", "PLACE", "WHY")
ROWS = [
    (
        "7",
        "corrected",
        "src/auth/signing.py:12-14 (was src/auth/signing.py:1-2)",
        "the lines define `SessionSigner.sign`",
    ),
    ("9", "wrong", "src/keys.py:9", "no such file"),
]


@pytest.fixture
def terminal(monkeypatch, capsys):
    def show(width: int, *, whole: bool) -> list[str]:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("COLUMNS", str(width))
        assert shutil.get_terminal_size().columns == width
        say.table(HEADER, ROWS, whole=whole)
        return capsys.readouterr().out.splitlines()

    return show


@pytest.mark.parametrize("width", [20, 40, 80, 100, 120, 200])
def test_no_reason_is_cut(terminal, width):
    shown = terminal(width, whole=True)

    said = "".join("".join(shown).split())
    assert "thelinesdefine`SessionSigner.sign`" in said
    assert "nosuchfile" in said
    assert width < 80 or max(map(len, shown)) <= width


def test_beside_the_place_where_there_is_room(terminal):
    shown = terminal(100, whole=True)

    at = shown[0].index("WHY")
    assert [line[at:] for line in shown] == ["WHY", "the lines define", "`SessionSigner.sign`", "no such file"]


def test_below_the_row_where_there_is_none(terminal):
    assert terminal(80, whole=True)[1:3] == [
        "7     corrected  src/auth/signing.py:12-14 (was src/auth/signing.py:1-2)",
        "      the lines define `SessionSigner.sign`",
    ]


def test_other_tables_are_cut(terminal):
    shown = terminal(80, whole=False)
    assert max(map(len, shown)) == 80
    assert shown[1].endswith("…")
