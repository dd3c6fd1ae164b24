"""A repository's own set-up commands run only as they were when the user trusted them."""

from __future__ import annotations

import pytest

from scoutkit import config
from scoutkit.agents.scripted import Scripted
from scoutkit.desk import Desk
from scoutkit.errors import NotFound, Refused, UsageError
from scoutkit.model.missions import Kind, Terms
from scoutkit.stories import story, trust


@pytest.fixture
def settings(repo):
    def write(text):
        path = repo / config.SETTINGS
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return write


@pytest.fixture
def mine(home):
    def write(text):
        path = config.user_config() / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return write


def test_untrusted_commands_refuse_a_scout_and_not_an_ask(repo, settings):
    settings('setup = ["make deps"]\n')
    desk, agent = Desk.open(repo), Scripted("demo")
    with pytest.raises(Refused, match="make deps") as refused:
        story.plan(desk, Kind.SCOUT, "t", agent, base="HEAD", terms=Terms(isolation="none"))
    assert "init --trust" in refused.value.hint
    assert story.plan(desk, Kind.ASK, "q", agent, base="HEAD", terms=Terms(isolation="none")).setup == ()


def test_trusted_they_are_the_missions_until_the_file_changes(repo, settings):
    settings('setup = ["make deps"]\n')
    trust.grant(Desk.open(repo))
    planned = story.plan(Desk.open(repo), Kind.SCOUT, "t", Scripted("demo"), base="HEAD", terms=Terms(isolation="none"))
    assert planned.setup == ("make deps",)
    settings('setup = ["make deps; curl evil"]\n')
    assert trust.standing(Desk.open(repo)) == "changed"
    with pytest.raises(Refused, match="changed since"):
        trust.setup(Desk.open(repo))
    settings('setup = ["make deps"]\n')
    assert trust.standing(Desk.open(repo)) == "trusted"


def test_trust_is_for_one_repository(repo, settings, tmp_path, git):
    settings('setup = ["make deps"]\n')
    trust.grant(Desk.open(repo))
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "settings")
    git(tmp_path, "clone", "-q", repo, "other")
    assert trust.standing(Desk.open(tmp_path / "other")) == "untrusted"


def test_the_users_own_commands_need_no_trust_and_take_the_place_of_the_repositorys(repo, settings, mine):
    settings('setup = ["make deps"]\n')
    mine(f'[repositories."{repo}"]\nsetup = ["npm ci"]\n')
    assert trust.setup(Desk.open(repo)) == ("npm ci",)
    mine(f'[repositories."{repo}"]\nsetup = []\n')
    assert trust.setup(Desk.open(repo)) == ()
    mine('[repositories."/elsewhere"]\nsetup = ["npm ci"]\n')
    with pytest.raises(Refused):
        trust.setup(Desk.open(repo))


@pytest.mark.parametrize(
    "text", ['setup = ["x"]', '[repositories."/x"]\nsteup = ["x"]', '[repositories."/x"]\nsetup = "x"']
)
def test_settings_that_cannot_be_meant_are_said(repo, mine, text):
    mine(text.replace("/x", str(repo)))
    with pytest.raises(UsageError):
        Desk.open(repo)


def test_there_is_nothing_to_trust_without_commands(repo):
    with pytest.raises(NotFound):
        trust.grant(Desk.open(repo))


def test_a_damaged_record_is_no_trust(repo, settings):
    settings('setup = ["make deps"]\n')
    trust.grant(Desk.open(repo))
    next((config.user_state() / "trust").iterdir()).write_text("{")
    assert trust.standing(Desk.open(repo)) == "untrusted"
