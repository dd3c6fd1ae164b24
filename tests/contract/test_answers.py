"""What becomes of a real program's answer: a note with right citations, or an error that names the cause."""

from __future__ import annotations

import re

import pytest
from model_server import SCENARIOS
from stage import KEYS, MODELS, QUESTION, Stage

FAILURES = {
    "e400": "the model refused the request",
    "e401": "its key is refused",
    "e429": "[Rr]ate limit",
    "e500": "the model's server has trouble",
    "cut": "cut off|broke off|breaks off|cannot be reached|could not be had|unexpected EOF",
    "garbage": "cut off|broke off|breaks off|cannot be reached|no report|JSON",
    "empty": "no report|cut off|never looked|empty response|No response",
}


def test_an_answer_is_a_note_whose_citations_are_right(stage: Stage, agent: str) -> None:
    done = stage.ask(agent, "ok")
    assert done.code == 0, done.err
    note, run = done.answer["note"], done.answer["run"]
    assert [one["verdict"] for one in note["citations"]] == ["supported"] * 4
    assert note["title"].startswith("Session cookies are signed by Signer.sign")
    assert note["status"] == "stable"
    assert (run["agent"], run["result"], run["state"]) == (agent, "done", "removed")
    assert run["usage"]["input_tokens"] > 0
    assert run["usage"]["output_tokens"] > 0
    text = (stage.repo / note["path"]).read_text()
    assert re.search(rf"by: {agent}/\d+\.\d+[\w.]* \({MODELS[agent]}\)", text), text
    assert "end of report" not in text
    asked = stage.server.asked("ok")
    assert QUESTION in asked[0].text
    assert {one.model for one in asked} == {MODELS[agent]}
    assert len(asked[-1].results) == 2
    assert any(key in value for value in asked[0].headers.values() for key in KEYS.values())
    stage.undisturbed()
    stage.keyless(done)  # the key went to the model, and nowhere else


def test_a_key_that_a_tool_dug_up_is_not_kept(stage: Stage, agent: str) -> None:
    """Whoever runs commands can read what its program was started with, and tell the model. It goes no further."""
    done = stage.ask(agent, "keyhunt")
    assert done.code == 0, done.err
    stage.undisturbed()
    stage.keyless(done, told=True)


@pytest.mark.parametrize("scenario", list(FAILURES))
def test_a_failure_names_its_cause(stage: Stage, agent: str, scenario: str) -> None:
    lasting = scenario in ("e429", "e500", "cut")  # some try again for minutes
    silent = agent == "gemini" and scenario != "cut" and lasting  # and without a word
    limit = ("--idle", "8s") if silent else ("--timeout", "12s" if agent == "claude" and lasting else "60s")
    fails(stage, agent, scenario, "said nothing" if silent else FAILURES[scenario], *limit)


def test_what_was_said_before_the_connection_broke_is_a_draft(stage: Stage, agent: str) -> None:
    fails(stage, agent, "midcut", "cut off|broke off|breaks off|cannot be reached", "--timeout", "60s")
    drafts = list((stage.repo / ".claude/notes/drafts").glob("*.md"))
    assert len(drafts) == 1
    assert re.search(r"I look at it, step 1\.|Session cookies are signed", drafts[0].read_text())


def fails(stage: Stage, agent: str, scenario: str, cause: str, *limit: str) -> None:
    assert scenario in SCENARIOS
    done = stage.ask(agent, scenario, *limit)
    assert done.code == 4, (done.out, done.err)
    assert re.search(cause, done.err), done.err
    assert "hint: " in done.err
    assert "Traceback" not in done.err
    notes = stage.repo / ".claude/notes"
    assert not list(notes.glob("*.md")), "what failed is no stable note"
    stage.undisturbed()
    stage.keyless(done)


def test_agents_are_listed_with_version_and_login_without_a_request(stage: Stage) -> None:
    done = stage.scoutkit("agents", "--json")
    assert done.code == 0, done.err
    rows = {one["name"]: one for one in done.answer["agents"]}
    for agent in [name for name in MODELS if (stage.programs / name).exists()]:
        found = rows[agent]
        assert re.match(r"\d+\.\d+", found["version"]), found
        assert "KEY" in found["login"] or "PROVIDER" in found["login"], found
    assert not stage.server.requests
    stage.undisturbed()
    stage.keyless(done)


def test_the_smallest_mission_tells_that_an_agent_works(stage: Stage, agent: str) -> None:
    done = stage.scoutkit("agents", "test", agent, scenario="anywhere")
    assert done.code == 0, done.err
    assert stage.server.asked("anywhere")
    stage.undisturbed()
