"""The options of every command that sends agents: what is written, and what cannot be meant."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("kind", ["ask", "scout"])
@pytest.mark.parametrize("command", ["", "  "])
def test_an_empty_agent_command_is_refused_and_no_other_agent_is_sent(scoutkit, kind, command):
    said = scoutkit(kind, "q", "--agent-cmd", command)
    assert (said.code, "the command is empty" in said.err) == (2, True)
    assert scoutkit("runs", "--json").json["runs"] == []


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "much", ""])
def test_what_is_no_amount_of_money_is_a_usage_error(scoutkit, value):
    said = scoutkit("ask", "Where?", "--max-cost", value)
    assert said.code == 2
    assert "is no amount of money" in said.err


@pytest.mark.parametrize(("option", "value"), [("--max-disk", "much"), ("--max-memory", "0"), ("--max-processes", "0")])
def test_a_limit_that_cannot_be_meant_is_a_usage_error(scoutkit, repo, option, value):
    said = scoutkit("ask", "q", "--agent-cmd", "echo x", option, value)
    assert said.code == 2
    assert value in said.err
    assert not (repo / ".git/scoutkit").exists()


def test_sizes_are_written_as_people_write_them(scoutkit, repo):
    command = "echo '# T'; echo; head -c 30000000 /dev/zero >large; sleep 10"
    said = scoutkit("ask", "q", "--agent-cmd", command, "--isolate", "none", "--max-disk", "20 MB")
    assert said.code == 4
    assert "more than 20 MB of disk" in said.err
