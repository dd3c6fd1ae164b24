"""What is put into a file comes out again to the byte, whatever the file is like, without a record of how it was."""

from __future__ import annotations

import json
import tomllib

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.errors import Refused
from scoutkit.fitting import parts
from scoutkit.fitting.block import HASH, Block
from scoutkit.fitting.entry import Entry
from scoutkit.fitting.item import Item
from scoutkit.fitting.table import Table
from scoutkit.fitting.whole import Whole

PARTS = {part.place: part.piece for part in parts.every(".claude/notes", "!/.claude/notes/")}
HOOKS, SERVERS = PARTS[".claude/settings.json"], PARTS[".mcp.json"]
BOM = b"\xef\xbb\xbf"
CONFIG = b"""# ours
repos:
  # linting
  - repo: https://example.org/ruff   # fast
    rev: v1
    hooks:
      - id: ruff
        args: [--fix]  # trailing

  # the end

ci:
  autofix: true
"""
TOML = b'# mine\nmodel = "gpt-5" # best\n\n[mcp_servers.other]\ncommand = "x"\n'


def in_and_out(piece, raw):
    """What is written, after checking that it comes out again, is there the second time, and survives both."""
    fitted = piece.fit(raw)
    assert fitted.action == "added", fitted
    assert fitted.raw != raw
    assert piece.fit(fitted.raw).action == "there"
    assert piece.fit(fitted.raw).raw == fitted.raw
    out = piece.unfit(fitted.raw)
    assert (out.action, out.raw) == ("removed", raw)
    return fitted.raw


@given(
    st.lists(
        st.sampled_from(["a", "# b", "\n", "\r\n", "\r", "\t", " ", "ü", "\u2028", "<!--", "```\n", "$"]), max_size=12
    ),
    st.booleans(),
    st.sampled_from([Block("AGENTS.md", "one\n\ntwo"), Block(".gitignore", "!/x/", HASH, apart=False)]),
)
@settings(max_examples=100, deadline=None)
def test_a_block_leaves_any_text_as_it_was(pieces, bom, block):
    in_and_out(block, (BOM if bom else b"") + "".join(pieces).encode())


@pytest.mark.parametrize("place", list(PARTS))
def test_a_file_that_was_not_there_is_not_there_afterwards(place):
    if place == parts.PRE_COMMIT:
        return
    in_and_out(PARTS[place], None)


def test_bytes_that_are_no_utf8_survive_and_utf16_is_refused():
    in_and_out(PARTS["AGENTS.md"], b"caf\xe9\r\n")
    with pytest.raises(Refused, match="not UTF-8"):
        PARTS["AGENTS.md"].fit("hello".encode("utf-16"))


def test_a_block_is_brought_up_to_date_unless_somebody_edited_it():
    old, new = Block("A", "old\nlines"), Block("A", "new")
    written = old.fit(b"top\r\n").raw
    updated = new.fit(written)
    assert updated.action == "updated"
    assert updated.raw == new.fit(b"top\r\n").raw
    edited = written.replace(b"old", b"my own")
    for piece in (old, new):
        assert (piece.fit(edited).action, piece.fit(edited).raw) == ("left", edited)
        assert (piece.unfit(edited).action, piece.unfit(edited).raw) == ("left", edited)
    assert new.unfit(written).raw == b"top\r\n"
    damaged = written.replace(b"<!-- scoutkit:end -->", b"")
    assert new.fit(damaged).action == new.unfit(damaged).action == "left"
    assert new.fit(written * 2).action == new.unfit(written * 2).action == "left"


def test_what_was_written_around_a_block_stays_and_line_ends_may_change():
    block = Block("A", "ours")
    written = block.fit(b"top\n").raw
    assert block.unfit(b"# Title\n\n" + written + b"\nbelow\n").raw == b"# Title\n\ntop\n\nbelow\n"
    assert block.unfit(written.replace(b"\n", b"\r\n")).raw == b"top\r\n"
    made = block.fit(None).raw
    assert block.unfit(b"# Title\n\n" + made).raw == b"# Title\n"


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4), st.floats(allow_nan=True))
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
servers = st.dictionaries(st.sampled_from(["a", "b"]), values, max_size=2)
hooks = st.fixed_dictionaries({}, optional={"Stop": values, "PreToolUse": st.lists(values, max_size=2)})
roots = st.fixed_dictionaries({}, optional={"mcpServers": servers, "hooks": hooks, "x": values, "y": values})


@st.composite
def documents(draw):
    data = draw(roots)
    indent = draw(st.sampled_from([None, 0, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (" , ", " :  ")])) if indent is None else None
    text = json.dumps(data, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    text = draw(st.sampled_from(["", "\n", " "])) + text + draw(st.sampled_from(["", "\n", "\n\n ", "\t"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return data, (BOM if draw(st.booleans()) else b"") + text.encode("utf-8", "surrogatepass")


@given(documents(), st.sampled_from([HOOKS, SERVERS]))
@settings(max_examples=120, deadline=None)
def test_an_entry_leaves_any_json_as_it_was_and_the_others_in_their_order(document, piece):
    data, raw = document
    if b"\xed" in raw:  # half a surrogate pair
        return
    after = json.loads(in_and_out(piece, raw).decode("utf-8-sig"))
    if piece is SERVERS:
        assert list(after.get("mcpServers", {})) == [*data.get("mcpServers", {}), "scoutkit"]
    else:
        assert len(after["hooks"]["PreToolUse"]) == len(data.get("hooks", {}).get("PreToolUse", [])) + 1
    assert [name for name in after if name not in ("mcpServers", "hooks")] == [
        name for name in data if name not in ("mcpServers", "hooks")
    ]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        BOM,
        b"\n",
        b" \r\n",
        b"{}",
        b"{ }\n",
        b"{\n}\n",
        b'{"mcpServers": {}}',
        b'{"mcpServers":\n{\n}\n}',
        b'{"hooks":{}}',
    ],
)
def test_empty_files_and_empty_places_are_empty_afterwards(raw):
    in_and_out(SERVERS, raw)
    in_and_out(HOOKS, raw)


def test_an_entry_is_laid_out_like_its_neighbours():
    written = in_and_out(SERVERS, b'{\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}')
    assert (
        b'{},\r\n\t\t"scoutkit": {\r\n\t\t\t"command": "scoutkit",\r\n\t\t\t"args": ["mcp"]\r\n\t\t}\r\n\t}\r\n}'
        in written
    )
    assert in_and_out(SERVERS, b'{"mcpServers": {"a": {}}}').startswith(
        b'{"mcpServers": {"a": {}, "scoutkit": {"command"'
    )


def test_comments_stay_where_a_program_reads_them_and_are_refused_where_it_does_not():
    raw = b'// mine\n{\n  "mcpServers": {\n    "a": {} // the first\n    /* more */\n  } // end\n}\n'
    written = in_and_out(PARTS[".gemini/settings.json"], raw)
    assert b'"a": {}, // the first\n    /* more */\n    "scoutkit"' in written
    in_and_out(PARTS[".gemini/settings.json"], b"{ // nothing yet\n}")
    with pytest.raises(Refused, match="not valid JSON"):
        SERVERS.fit(raw)


def test_entries_written_behind_ours_or_moved_stay():
    written = SERVERS.fit(b'{"mcpServers": {"a": 1}}').raw
    more = written.replace(b"}}}", b'}, "z": 2}}')
    assert SERVERS.unfit(more).raw == b'{"mcpServers": {"a": 1, "z": 2}}'
    first = b'{"mcpServers": {"scoutkit": {"args": ["mcp"], "command": "scoutkit"}, "a": 1}}'
    assert SERVERS.unfit(first).raw == b'{"mcpServers": {"a": 1}}'


@pytest.mark.parametrize(
    ("piece", "own"),
    [
        (SERVERS, b'{"mcpServers": {"scoutkit": {"command": "/opt/scoutkit", "args": ["mcp", "--allow-ask"]}}}'),
        (HOOKS, b'{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"command": "scoutkit about --hook"}]}]}}'),
    ],
)
def test_an_entry_with_other_settings_is_somebody_elses(piece, own):
    assert (piece.fit(own).action, piece.fit(own).raw) == ("there", own)
    assert "other settings" in piece.fit(own).why
    assert (piece.unfit(own).action, piece.unfit(own).raw) == ("left", own)


@pytest.mark.parametrize(
    "raw", [b"{", b"[]", b'{"mcpServers": 1}', b'{"mcpServers": null}', b"1", b'{"a": 1,}', b"[" * 5000]
)
def test_json_that_cannot_take_it_is_refused(raw):
    with pytest.raises(Refused):
        SERVERS.fit(raw)


def edges(raw: bytes) -> list[bytes]:
    return [raw, raw.rstrip(), raw.replace(b"\n", b"\r\n"), BOM + raw, raw + b"\n\n", raw + b"# last"]


@pytest.mark.parametrize("raw", [*edges(TOML), *edges(b"a = 1\n"), b"", BOM, b"\n", b"# only this"])
def test_a_table_goes_to_the_end_of_a_toml_file(raw):
    written = in_and_out(PARTS[".codex/config.toml"], raw)
    after = tomllib.loads(written.decode("utf-8-sig"))
    before = tomllib.loads(raw.decode("utf-8-sig"))
    assert after.pop("mcp_servers")["scoutkit"] == {"command": "scoutkit", "args": ["mcp"]}
    assert after == {name: value for name, value in before.items() if name != "mcp_servers"}


def test_toml_that_cannot_take_a_table_is_refused():
    table = PARTS[".codex/config.toml"]
    for raw in (b"a = ", b"mcp_servers = {}\n", b"mcp_servers = 1\n"):
        with pytest.raises(Refused):
            table.fit(raw)
    own = b'[mcp_servers.scoutkit]\ncommand = "mine"\n'
    assert (table.fit(own).action, table.fit(own).raw) == ("there", own)
    assert table.unfit(own).action == "there"


@pytest.mark.parametrize(
    "raw",
    [
        *edges(CONFIG),
        *edges(b"repos:\n- repo: local\n  hooks: []\n"),
        *edges(b"repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: |\n      a\n\n      b\n# after\n"),
        *edges(b"repos: # none yet\n"),
        *edges(b"fail_fast: true\n"),
        *edges(b"---\nrepos:\n- {repo: local, hooks: []}\n"),
        b"",
        b"# nothing",
        b"repos:",
    ],
)
def test_an_item_goes_behind_the_others_of_a_yaml_list(raw):
    written = in_and_out(PARTS[parts.PRE_COMMIT], raw)
    before, after = (yaml.safe_load(text.decode("utf-8-sig")) or {} for text in (raw, written))
    assert [hook["entry"] for hook in after["repos"][-1]["hooks"]] == ["scoutkit about --staged", parts.CHECK]
    assert after["repos"][:-1] == (before.get("repos") or [])


def test_yaml_that_cannot_take_an_item_is_refused():
    item = PARTS[parts.PRE_COMMIT]
    for raw in (
        b"repos: [",
        b"- repo: local\n",
        b"repos: 3\n",
        b"repos: [{repo: local, hooks: []}]\n",
        b"repos: !x []\n",
    ):
        with pytest.raises(Refused):
            item.fit(raw)
    assert item.fit(b"repos:\n- repo: x\n  hooks:\n  - id: scoutkit-check\n").action == "there"


def test_an_item_is_brought_up_to_date_where_it_stands():
    old = Item("x", "repos", "- repo: old\n  hooks: []", mark="scoutkit-check")
    for raw in (CONFIG, b"", b"repos:\n"):
        updated = PARTS[parts.PRE_COMMIT].fit(old.fit(raw).raw)
        assert updated.action == "updated"
        assert updated.raw == PARTS[parts.PRE_COMMIT].fit(raw).raw


def test_a_file_of_ours_is_kept_up_to_date_until_somebody_edits_it():
    old, new = Whole("x", "#!/bin/sh\nold\n", HASH), Whole("x", "#!/bin/sh\nnew\n", HASH, ": add it")
    written = old.fit(None).raw
    assert new.fit(written).action == "updated"
    assert new.unfit(written).raw is None
    assert new.fit(old.fit(None).raw.replace(b"\n", b"\r\n")).action == "updated"
    edited = written.replace(b"old", b"mine")
    assert (new.fit(edited).action, new.unfit(edited).action) == ("left", "left")
    assert new.fit(b"#!/bin/sh\nmake\n").why.endswith(": add it")
    assert new.unfit(b"#!/bin/sh\nmake\n").action == "there"


def test_a_claude_file_imports_another_only_outside_code():
    assert parts.imports("# x\n\n@AGENTS.md\n", "AGENTS.md")
    assert parts.imports("See @./AGENTS.md.", "AGENTS.md") is True
    for text in (
        "`@AGENTS.md`",
        "```\n@AGENTS.md\n```\n",
        "me@AGENTS.md",
        "@docs/AGENTS.md",
        "@AGENTS.md/x",
        "AGENTS.md",
    ):
        assert not parts.imports(text, "AGENTS.md"), text


def test_a_hidden_folder_comes_back_without_what_else_is_in_the_ones_around_it():
    assert parts.unignoring([(".claude", True), (".claude/notes", True)]) == "!/.claude/\n/.claude/*\n!/.claude/notes/"
    assert parts.unignoring([("a", False), ("a/b", True), ("a/b/c", True)]) == "!/a/b/\n/a/b/*\n!/a/b/c/"
    assert parts.unignoring([("notes", False)]) == "!/notes/**"
    assert parts.unignoring([("notes", True)]) == "!/notes/"


def test_what_is_written_is_what_programs_take():
    _, matter, text = PARTS[".claude/skills/scoutkit/SKILL.md"].fit(None).raw.decode().split("---\n", 2)
    skill = yaml.safe_load(matter)
    assert skill["name"] == "scoutkit"
    assert 100 < len(skill["description"]) < 1024
    assert "`.claude/notes/`" in text
    workflow = yaml.safe_load(PARTS[".github/workflows/scoutkit.yml"].fit(None).raw)
    *_, last = workflow["jobs"]["scoutkit"]["steps"]
    assert last["run"] == "scoutkit check --format github"
    assert PARTS[parts.GIT_HOOK].fit(None).raw.startswith(b"#!/bin/sh\n")


def test_pieces_are_what_their_names_say():
    assert {type(piece) for piece in PARTS.values()} == {Block, Entry, Table, Item, Whole}
