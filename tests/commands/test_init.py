"""init: shows, writes what it is told to, takes it back, trusts; touches nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoutkit import config

EVERY = ("--claude", "--agents-md", "--codex", "--gemini", "--pre-commit", "--github", "--gitignore")


def test_it_writes_nothing_unless_told(scoutkit, repo, git):
    said = scoutkit("init")
    assert said.code == 0
    assert "would be made" in said.out
    for flag in EVERY:
        assert flag in said.out
    assert "nothing was written" in said.err
    assert not (repo / ".claude").exists()
    assert scoutkit("init", "--json").json["dry_run"] is True
    assert scoutkit("init", "--yes", "--dry-run", "--json").json["made"] is False
    assert not (repo / ".claude").exists()


def test_it_makes_the_notes_folder_and_nothing_that_git_sees(scoutkit, repo, git):
    said = scoutkit("init", "--yes", "--json").json
    assert said["made"] is True
    assert (repo / ".claude/notes").is_dir()
    assert git(repo, "status", "--porcelain") == ""
    assert scoutkit("init", "--yes", "--json").json["made"] is False
    assert "there already" in scoutkit("init").out


def test_a_dry_run_shows_the_diff_and_makes_nothing(scoutkit, repo):
    (repo / "AGENTS.md").write_text("# Rules")
    said = scoutkit("init", "--agents-md", "--codex", "--dry-run")
    assert ".codex/config.toml: would be made" in said.out
    assert "AGENTS.md: would be added" in said.out
    assert (
        "--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1 +1,15 @@\n-# Rules\n\\ No newline at end of file\n+# Rules\n"
        in said.out
    )
    assert "--- /dev/null\n+++ b/.codex/config.toml\n" in said.out
    assert not (repo / ".claude").exists()
    assert (repo / "AGENTS.md").read_text() == "# Rules"


def test_flags_are_the_telling_and_undo_takes_it_back(scoutkit, repo, git):
    said = scoutkit("init", *EVERY)
    assert said.code == 0
    assert ".mcp.json: made" in said.out
    assert json.loads((repo / ".mcp.json").read_text())["mcpServers"]["scoutkit"]["args"] == ["mcp"]
    assert "Codex reads" in said.err
    assert ".mcp.json: there" in scoutkit("init", *EVERY).out
    shown = scoutkit("init", "--undo", "--dry-run")
    assert ".mcp.json: would be deleted" in shown.out
    assert "+++ /dev/null" in shown.out
    some = scoutkit("init", "--undo", "--codex", "--json").json["changes"]
    assert [(one["path"], one["action"]) for one in some] == [(".codex/config.toml", "deleted")]
    said = scoutkit("init", "--undo")
    assert said.code == 0
    assert git(repo, "status", "--porcelain", "--ignored") == ""
    assert not (repo / ".claude").exists()
    assert "nothing of scoutkit's" in scoutkit("init", "--undo").out


def test_what_could_not_be_done_is_exit_1_and_what_is_refused_6(scoutkit, repo):
    scoutkit("init", "--agents-md")
    path = repo / "AGENTS.md"
    path.write_text(path.read_text().replace("Before you edit", "Before anybody edits"))
    for flags in (("--agents-md",), ("--undo",)):
        said = scoutkit("init", *flags)
        assert said.code == 1
        assert "AGENTS.md: left, the scoutkit block was edited" in said.out
    (repo / ".mcp.json").write_text("{]")
    said = scoutkit("init", "--claude", "--codex")
    assert said.code == 6
    assert said.err.splitlines()[0] == "error: .mcp.json is not valid JSON (line 1)"
    assert not (repo / ".codex").exists()
    assert ".mcp.json is not valid JSON" in scoutkit("init").out


def test_it_says_which_files_others_will_not_get(scoutkit, repo):
    (repo / ".gitignore").write_text(".claude/\n")
    said = scoutkit("init", "--claude")
    assert "scoutkit init --gitignore" in said.err
    assert "git ignores .claude/skills/scoutkit/SKILL.md, .claude/settings.json: not committed" in said.err


def test_the_git_hook_tells_what_is_known_and_stops_what_breaks_notes(scoutkit, repo, git, monkeypatch):
    scoutkit("init", "--pre-commit")
    scoutkit("new", "Cookies are signed", stdin="`SessionSigner.sign` makes the MAC: `src/auth/signing.py:12-14`.\n")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    signing = repo / "src/auth/signing.py"
    signing.write_text(signing.read_text().replace("mac = hmac.new(self.key, value, 'sha256')", "mac = other(value)"))
    with pytest.raises(subprocess.CalledProcessError) as stopped:
        git(repo, "commit", "-qam", "Another MAC")
    said = stopped.value.stderr.decode() + stopped.value.stdout.decode()
    assert said.startswith("1 note on the lines that change:\n")
    assert "0 notes hold, 1 does not" in said
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    git(repo, "commit", "-qam", "Where scoutkit is not installed")


def test_it_says_what_the_server_needs_where_that_is_not_installed(scoutkit, repo, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    assert "scoutkit[mcp]" not in scoutkit("init", "--agents-md").err
    assert '-m pip install "scoutkit[mcp]"\n' in scoutkit("init", "--codex").err


@pytest.mark.parametrize("flag", ["--yes", "--agents-md"])
def test_a_bare_repository_has_no_files_to_write_into(scoutkit, repo, git, tmp_path, flag):
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    said = scoutkit("init", flag, cwd=tmp_path / "bare.git")
    assert said.code == (0 if flag == "--yes" else 3)
    assert scoutkit("init", cwd=tmp_path / "bare.git").code == 0


def test_it_shows_commands_that_nobody_trusted_and_trusts_them(scoutkit, repo):
    (repo / config.SETTINGS).parent.mkdir(parents=True)
    (repo / config.SETTINGS).write_text('setup = ["make deps"]\n')
    said = scoutkit("init")
    assert "NOT RUN" in said.out
    assert "make deps" in said.out
    assert "init --trust" in said.err
    assert scoutkit("init", "--trust", "--dry-run", "--json").json["trust"] == "untrusted"
    assert scoutkit("init", "--trust", "--json").json["trust"] == "trusted"
    assert scoutkit("init", "--json").json["trust"] == "trusted"
    assert scoutkit("init", "--undo", "--json").json["trust"] == "untrusted"


def test_there_is_nothing_to_trust(scoutkit):
    said = scoutkit("init", "--trust")
    assert said.code == 1
    assert "no set-up commands" in said.err
