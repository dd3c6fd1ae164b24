"""Settings and places: what is read, what is refused, what is written."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit import config, git
from scoutkit.errors import Refused, UsageError


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_xdg_folders_are_followed_and_relative_ones_ignored(monkeypatch, home, tmp_path):
    assert config.user_state() == home / ".local/state/scoutkit"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    assert config.user_state() == tmp_path / "s/scoutkit"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert config.user_state() == home / ".local/state/scoutkit"


def test_the_repositorys_settings_come_before_the_users(repo):
    write(config.user_config() / "config.toml", 'agent = "mine"\nnotes = "my/notes"\n')
    write(repo / config.SETTINGS, 'notes = "docs/notes"\n')
    found = config.load(git.discover(repo))
    assert (found.agent, found.notes) == ("mine", "docs/notes")


def test_commands_come_only_from_the_user(repo):
    table = '[agents.mine]\ncommand = "cat"\n'
    write(config.user_config() / "config.toml", table)
    assert config.load(git.discover(repo)).agents == {"mine": {"command": "cat"}}
    write(repo / config.SETTINGS, table)
    with pytest.raises(Refused, match="defines agents"):
        config.load(git.discover(repo))


@pytest.mark.parametrize(
    "text", ["agent = ", "agent = 3", "\x00", "[agents", "notes = []", "agents = 3", "pass_env = 1"]
)
def test_settings_that_cannot_be_understood_are_named(text):
    write(config.user_config() / "config.toml", text)
    with pytest.raises(UsageError) as caught:
        config.load(None)
    assert caught.value.hint


def test_an_unknown_setting_is_named_with_the_nearest_known_one():
    write(config.user_config() / "config.toml", 'agnet = "x"\n')
    with pytest.raises(UsageError, match="unknown setting `agnet`") as caught:
        config.load(None)
    assert "did you mean agent" in caught.value.hint


@given(st.text(max_size=60))
@settings(max_examples=40)
def test_any_text_as_settings_is_read_or_refused(tmp_path_factory, text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        write(config.user_config() / "config.toml", text.encode("utf-8", "replace").decode())
        with contextlib.suppress(UsageError):
            config.load(None)


@pytest.mark.parametrize("notes", ["../elsewhere", "/tmp", "a/../../b"])
def test_a_notes_folder_outside_the_repository_is_refused(repo, notes):
    repository = git.discover(repo)
    with pytest.raises(Refused, match="leads out"):
        config.places(repository, config.Settings(notes=notes))


def test_a_notes_folder_that_links_out_is_refused(repo, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (repo / ".claude").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="leads out"):
        config.places(git.discover(repo), config.Settings())


def test_places_in_each_kind_of_repository(repo, git, tmp_path):
    from scoutkit.git import discover

    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", "--detach", tmp_path / "from-bare")
    settings_ = config.Settings()
    linked = discover(tmp_path / "linked")
    assert config.places(linked, settings_).notes == repo / ".claude/notes"
    assert config.places(linked, settings_, here=True).notes == tmp_path / "linked/.claude/notes"
    assert config.places(linked, settings_).state == repo / ".git/scoutkit"
    bare = discover(tmp_path / "bare.git")
    assert config.places(bare, settings_).notes == tmp_path / "bare.git/scoutkit/notes"
    assert config.places(discover(tmp_path / "from-bare"), settings_).notes == tmp_path / "from-bare/.claude/notes"


def test_remembering_an_agent_keeps_the_rest_of_the_file():
    path = config.user_config() / "config.toml"
    config.remember_agent("one")
    write(path, path.read_text() + '# mine\nnotes = "n"\n[agents.x]\nagent = "kept"\n')
    config.remember_agent("two")
    assert path.read_text() == 'agent = "two"\n# mine\nnotes = "n"\n[agents.x]\nagent = "kept"\n'
    assert config.load(None).agent == "two"


def test_templates_are_found():
    assert (config.resources("templates") / "prompts/ask.md").is_file()
    assert config.resources("metadata.yml").is_file()


@pytest.mark.parametrize("key", ["notes", "agent"])
def test_a_setting_with_a_nul_character_is_named(repo, key):
    write(repo / config.SETTINGS, f'{key} = "x\\u0000y"\n')
    with pytest.raises(UsageError, match=f"`{key}` holds a NUL"):
        config.load(git.discover(repo))
