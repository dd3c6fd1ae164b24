import os
import sys
from pathlib import Path

import pytest

from scoutkit import config
from scoutkit.agents import registry
from scoutkit.config import Settings
from scoutkit.errors import Unavailable, UsageError

ADAPTER = """
from scoutkit.agents.command import Command
from scoutkit.model.agents import Availability

class Fake(Command):
    def availability(self):
        return Availability(ok=True, version="1.0")

def make():
    return Fake("true", name="other")

def make_absent():
    return Command("no-such-program", name="absent")

def make_with(model):
    return Command("true", name=f"with-{model}")

nothing = object
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Installs a package that brings agents, as pip would; takes lines of its entry points."""

    def install(*points: str) -> None:
        site = tmp_path / "site"
        site.mkdir()
        (site / "fake_adapters.py").write_text(ADAPTER)
        (site / "broken_adapter.py").write_text("import no_such_module")
        info = site / "fake_adapters-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fake-adapters\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[scoutkit.agents]\n" + "\n".join(points) + "\n")
        monkeypatch.syspath_prepend(site)
        monkeypatch.delitem(sys.modules, "fake_adapters", raising=False)

    return install


@pytest.fixture
def on_path(tmp_path, monkeypatch):
    """Puts programs of these names on PATH, and none of PROGRAMS otherwise."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def put(*names: str) -> None:
        for name in names:
            (folder / name).write_text("#!/bin/sh\n")
            (folder / name).chmod(0o755)

    return put


def never(names: list[str]) -> str:
    raise AssertionError(f"asked about {names}")


def test_names_are_those_that_ship_those_in_the_settings_and_those_of_other_packages(plugin):
    plugin("remote = fake_adapters:make", "builtin = fake_adapters:make")

    assert registry.names(Settings(agents={"mine": {}})) == [*registry.REGISTRY, "mine", "remote"]


def test_a_name_nobody_knows_is_a_usage_error_with_the_nearest_one():
    with pytest.raises(UsageError, match="unknown agent: scriptd") as caught:
        registry.find("scriptd", Settings(agents={"mine": {"command": "true"}}))
    assert caught.value.exit_code == 2
    assert caught.value.hint == f"did you mean scripted? known: {', '.join(registry.REGISTRY)}, mine"


@pytest.mark.parametrize("name", registry.PROGRAMS)
def test_a_program_that_is_not_installed_says_how_to_get_it(on_path, name):
    with pytest.raises(Unavailable, match=f"agent {name} cannot be used here") as caught:
        registry.find(name, Settings())
    assert caught.value.exit_code == 5
    assert f"{name} is not on PATH: " in caught.value.hint
    assert "install" in caught.value.hint


def test_an_agent_that_is_known_but_not_installed_is_unavailable(plugin):
    plugin("absent = fake_adapters:make_absent")

    with pytest.raises(Unavailable, match="agent absent cannot be used here") as caught:
        registry.find("absent", Settings())
    assert "no-such-program" in caught.value.hint
    assert not registry.describe("absent", Settings()).ok


def test_a_package_that_breaks_is_named_and_the_others_work(plugin):
    plugin("broken = broken_adapter:make", "odd = fake_adapters:nothing", "other = fake_adapters:make")

    with pytest.raises(Unavailable, match="broken cannot be loaded: ModuleNotFoundError") as caught:
        registry.find("broken", Settings())
    assert "fake-adapters" in caught.value.hint
    with pytest.raises(Unavailable, match="odd is no agent: it lacks name"):
        registry.find("odd", Settings())
    assert registry.find("other", Settings()).name == "other"
    assert "no_such_module" in registry.describe("broken", Settings()).hint


def test_what_follows_the_colon_goes_to_the_agent(plugin):
    plugin("with = fake_adapters:make_with", "other = fake_adapters:make")

    assert registry.find("with:model", Settings()).name == "with-model"
    with pytest.raises(Unavailable, match="cannot be made without an argument"):
        registry.find("with", Settings())
    with pytest.raises(UsageError, match="other takes no argument: other:x"):
        registry.find("other:x", Settings())
    with pytest.raises(UsageError, match="mine takes no argument: mine:x"):
        registry.find("mine:x", Settings(agents={"mine": {"command": "true"}}))


def test_a_command_of_the_settings_is_an_agent_and_may_not_take_the_name_of_one_that_ships():
    settings = Settings(agents={"mine": {"command": "true"}, "scripted": {"command": "true"}, "bad": {"command": 1}})

    assert registry.find("mine", settings).name == "mine"
    with pytest.raises(UsageError, match=r"agents\.scripted: this name belongs"):
        registry.find("scripted", settings)
    assert "agents.bad.command must be text" in registry.describe("bad", settings).hint


def test_a_command_line_makes_a_one_off_agent():
    assert registry.find("command", Settings(), agent_cmd="cat").name == "command"
    with pytest.raises(UsageError, match="needs a command line"):
        registry.find("command", Settings(), agent_cmd="  ")
    with pytest.raises(UsageError, match="exclude each other"):
        registry.find("builtin", Settings(), agent_cmd="cat")
    with pytest.raises(Unavailable):
        registry.find("command", Settings(), agent_cmd="no-such-program")


def test_the_name_that_was_asked_for_or_remembered_is_taken_without_a_question(on_path):
    on_path("claude")
    for asked, remembered, name in (("mine", "other", "mine"), ("", "other", "other")):
        chosen = registry.choose(asked, Settings(agent=remembered), interactive=True, ask=never)
        assert chosen == (name, [])


def test_without_any_agent_program_the_default_is_taken_in_silence(on_path):
    assert registry.choose("", Settings(), interactive=True, ask=never) == ("builtin", [])


def test_a_program_without_an_adapter_says_how_to_run_it_as_a_command(on_path):
    with pytest.raises(Unavailable, match="opencode has no adapter and is not on PATH") as caught:
        registry.find("opencode", Settings())
    assert registry.RECIPES["opencode"] in caught.value.hint
    on_path("opencode")
    with pytest.raises(Unavailable, match=r"opencode has no adapter$"):
        registry.find("opencode", Settings())


@pytest.mark.parametrize("picked", ["claude", "builtin"])
def test_the_first_time_an_adapter_can_be_used_a_person_is_asked_once(on_path, picked):
    on_path("claude", "codex")
    offers = []

    name, hints = registry.choose("", Settings(), interactive=True, ask=lambda names: offers.append(names) or picked)

    assert (name, offers) == (picked, [["claude", "codex", "builtin"]])
    assert "config.toml" in hints[0]
    assert registry.choose("", config.load(None), interactive=True, ask=never) == (picked, [])


def test_choosing_starts_no_program(on_path, tmp_path):
    on_path("claude", "gemini")
    (tmp_path / "bin" / "claude").write_text(f"#!/bin/sh\n: > {tmp_path}/started\n")

    assert registry.choose("", Settings(), interactive=False)[1] == [
        "using the built-in agent; claude is here too: --agent claude"
    ]
    assert not (tmp_path / "started").exists()


def test_nobody_is_asked_without_a_terminal(on_path):
    on_path("claude")

    name, hints = registry.choose("", Settings(), interactive=False, ask=never)

    assert name == "builtin"
    assert hints == ["using the built-in agent; claude is here too: --agent claude"]


def test_a_choice_that_cannot_be_kept_is_still_used(on_path):
    on_path("claude")
    config.user_config().parent.mkdir(parents=True)
    config.user_config().write_text("in the way")

    name, hints = registry.choose("", Settings(), interactive=True, ask=lambda names: names[0])

    assert name == "claude"
    assert "cannot be written" in hints[0]


def test_settings_of_the_wrong_shape_are_usage_errors():
    path = config.user_config() / "config.toml"
    path.parent.mkdir(parents=True)
    for text, words in (("agents = 3", "`agents` must be a table"), ("pass_env = 'A'", "`pass_env` must be a list")):
        path.write_text(text)
        with pytest.raises(UsageError, match=words):
            config.load(None)


def test_looking_at_names_loads_no_adapter(plugin):
    plugin("other = fake_adapters:make")

    registry.names(Settings())

    assert "fake_adapters" not in sys.modules
    assert Path(os.environ["HOME"]).is_dir()
