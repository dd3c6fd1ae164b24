import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoutkit.agents.command import LONGEST_ARGUMENT, Command, from_settings, in_shell
from scoutkit.errors import UsageError
from scoutkit.model.agents import EventKind
from scoutkit.model.missions import Result

NASTY = "Why `touch hit`, $(touch hit), \"double\" and 'single'; {prompt_file} \\ %s\n\nsecond paragraph"


def test_the_prompt_comes_on_stdin_and_the_report_is_stdout(stage):
    outcome, events = stage.play(Command("cat"), NASTY)

    assert outcome.report == NASTY + "\n"
    assert [event.kind for event in events] == [EventKind.TEXT] * 3


@pytest.mark.parametrize(
    "command",
    [
        "printf %s {prompt}",
        'printf %s "{prompt}"',
        "printf %s '{prompt}'",
        'printf %s ""{prompt}""',
        "cat {prompt_file}",
        'cat "{prompt_file}"',
        "cat < {prompt_file}; wc -c >&2",
        'X="it\'s"; printf %s {prompt}',
        "sh -c 'printf %s \"$1\"' sh {prompt}",
    ],
)
def test_a_placeholder_is_the_prompt_and_never_shell_code(stage, command):
    outcome, _ = stage.play(Command(command), NASTY)

    assert outcome.report == NASTY + "\n"
    assert not (stage.worktree / "hit").exists()


@pytest.mark.parametrize(
    ("report", "done"),
    [
        (bytes(range(256)) * 8, False),
        ("Ответ: подпись проверяется здесь.\n".encode("cp1251"), False),
        ("Un café à côté, où l'été s'achève.\n".encode("latin-1") + b"The cookie is signed in src/app.py.\n" * 2, True),
        ("Куки подписаны: src/app.py:3 ✓\n".encode(), True),
        (b"\x1b[1m\x1b[31mSigned\x1b[0m\x1b[0m\b\b\n", True),
    ],
)
def test_a_report_that_is_no_text_is_not_done(stage, report, done):
    (stage.worktree / "report").write_bytes(report)
    outcome, _ = stage.play(Command("cat report"))

    assert outcome.result is (Result.DONE if done else Result.FAILED)
    assert outcome.reason == ("" if done else "its report is no text")
    assert outcome.report


def test_with_a_placeholder_stdin_is_empty(stage):
    outcome, _ = stage.play(Command("echo {prompt}; cat; echo end"), "p")

    assert outcome.report == "p\nend\n"


def test_other_braces_are_the_commands_own(stage):
    command = "prompt=mine; printf '%s ' ${prompt} {other} {}; printf 'a b\\n' | awk '{print $2}'"
    assert in_shell(command) == command

    outcome, _ = stage.play(Command(command))

    assert outcome.report == "mine {other} {} b\n"


@given(st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=80))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_prompt_arrives_as_it_is(stage, prompt):
    stage.play(Command('printf %s "{prompt}" > {report_file}; cat {prompt_file} > both'), prompt)

    assert (stage.scratch / "report.md").read_bytes() == (stage.worktree / "both").read_bytes() == prompt.encode()


def test_a_prompt_too_long_for_an_argument_is_refused_before_anything_starts(stage):
    with pytest.raises(UsageError, match="100,001 bytes") as caught:
        Command("tool {prompt}").invocation(stage.mission, "x" * (LONGEST_ARGUMENT + 1), stage.worktree, stage.scratch)
    assert "{prompt_file}" in caught.value.hint


def test_the_report_may_be_a_file_and_stdout_is_then_what_it_does_now(stage):
    outcome, events = stage.play(Command("echo reading; echo '# In the file' > out.md", report="out.md"))

    assert outcome.report == "# In the file\n"
    assert [(event.kind, event.text) for event in events] == [(EventKind.STATUS, "reading")]


def test_where_the_file_is_missing_what_was_said_is_kept_as_a_failure(stage):
    outcome, _ = stage.play(Command("echo half of it", report="out.md"))

    assert outcome.result is Result.FAILED
    assert outcome.report == "half of it\n"
    assert outcome.reason == "it left no report"


def test_escape_sequences_and_carriage_returns_do_not_reach_the_report(stage):
    noise = (
        r"printf '\033]0;title\007# \033[1;31mRed\033[0m\r\n\r\n\033]8;;http://x\033\\link\033]8;;\033\\ \007end\r\n'"
    )

    outcome, _ = stage.play(Command(noise))

    assert outcome.report == "# Red\n\nlink end\n"


def test_what_cannot_be_run_is_named(stage):
    outcome, _ = stage.play(Command("no-such-program --flag"))
    assert outcome.result is Result.FAILED
    assert "exit status 127" in outcome.reason
    assert "no-such-program" in outcome.reason
    assert "not found" in outcome.hint

    (stage.worktree / "plain.txt").write_text("no program")
    outcome, _ = stage.play(Command("./plain.txt"))
    assert "exit status 126" in outcome.reason
    assert "./plain.txt" in outcome.hint


def test_only_the_variables_it_asks_for_are_handed_over_and_a_missing_one_is_named(stage, monkeypatch):
    monkeypatch.setenv("THIS_KEY", "value")
    agent = Command("false", env=("THIS_KEY", "THAT_KEY"))

    assert agent.invocation(stage.mission, "p", stage.worktree, stage.scratch).env == {"THIS_KEY": "value"}
    outcome, _ = stage.play(agent)
    assert "THAT_KEY" in outcome.hint
    assert "THIS_KEY" not in outcome.hint


def test_availability_looks_only_at_a_plain_first_word(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "mine"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    assert Command("KEY=1 mine --x").availability().path == str(program)
    assert Command("cd src && mine").availability().ok
    assert Command("./tools/mine").availability().ok
    assert Command('"$HOME"/mine').availability().ok
    missing = Command("no-such-program --x").availability()
    assert not missing.ok
    assert "no-such-program" in missing.hint
    assert shutil.which("no-such-program") is None


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, ["agents.mine.command is missing"]),
        ({"command": "  "}, ["agents.mine.command is missing"]),
        ({"command": ["a", "b"]}, ["agents.mine.command must be text", "['a', 'b']"]),
        ({"command": "x", "reprot": "y"}, ["agents.mine.reprot: unknown key", "did you mean report?"]),
        ({"command": "x", "env": "KEY"}, ["agents.mine.env must be a list of texts", "'KEY'"]),
        ({"command": "x", "kinds": ["asks"]}, ["agents.mine.kinds", "asks", "did you mean ask?"]),
        ({"command": "x", "report": "../out.md"}, ["agents.mine.report leads out of the worktree", "{report_file}"]),
        ({"command": "x", "report": "/tmp/out.md"}, ["agents.mine.report leads out of the worktree"]),
        ("claude -p", ["agents.mine must be a table", "'claude -p'"]),
    ],
)
def test_a_mistake_in_the_settings_is_named_by_file_and_key(table, words):
    with pytest.raises(UsageError) as caught:
        from_settings("mine", table)

    said = f"{caught.value.message} {caught.value.hint}"
    assert "config.toml" in said
    for word in words:
        assert word in said
