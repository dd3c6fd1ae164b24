"""Tables on terminals of several widths."""

from __future__ import annotations

import shutil
import sys

import pytest

from scoutkit.commands import root, say

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


@pytest.mark.parametrize("shown", ["\x1b[2J", "\x07", "\u202e", "\u2066", "\u200f", "\u2028", "\x9b"])
def test_what_steers_a_terminal_is_seen(shown):
    assert say.visible(f"a{shown[0]}b\tc\nd") == f"a⟨U+{ord(shown[0]):04X}⟩b\tc\nd"


def test_what_is_text_stays_as_it_is():
    text = "naïve → 会话 👩\u200d💻 café\r\nnext\tline\n"
    assert say.visible(text) == text.replace("\r\n", "\n")


@pytest.mark.parametrize("colour", ["", "1"])
def test_a_note_cannot_steer_the_terminal_that_shows_it(home, repo, monkeypatch, capsys, colour):
    folder = repo / ".claude/notes"
    folder.mkdir(parents=True)
    note = "---\ntitle: A \u202enote\nid: aaaa1111\n---\n\nIt says \x1b[2Jnothing \u2066here.\n"
    (folder / "a.md").write_text(note)
    monkeypatch.chdir(repo)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", colour)
    monkeypatch.setenv("TERM", "xterm")
    for command in ("show", "search"):
        root.cli([command, "note" if command == "search" else "aaaa1111"], standalone_mode=False)
        shown = capsys.readouterr().out
        assert not [one for one in ("\u202e", "\u2066", "\x1b[2J") if one in shown]
        assert "⟨U+001B⟩[2J" in shown or "A ⟨U+202E⟩note" in shown
