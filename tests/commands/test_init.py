"""init: shows, makes the notes folder, trusts; touches nothing else."""

from __future__ import annotations

from scoutkit import config


def test_it_makes_the_notes_folder_and_nothing_that_git_sees(scoutkit, repo, git):
    said = scoutkit("init", "--json").json
    assert said["made"] is True
    assert (repo / ".claude/notes").is_dir()
    assert git(repo, "status", "--porcelain") == ""
    assert scoutkit("init", "--json").json["made"] is False


def test_a_dry_run_makes_nothing(scoutkit, repo):
    said = scoutkit("init", "--dry-run")
    assert "would be made" in said.out
    assert not (repo / ".claude").exists()


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


def test_there_is_nothing_to_trust(scoutkit):
    said = scoutkit("init", "--trust")
    assert said.code == 1
    assert "no set-up commands" in said.err
