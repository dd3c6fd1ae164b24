"""A real program at research: it reads the sources, cannot write there, and runs code in its scratch folder."""

from __future__ import annotations

import json

from stage import MODELS, Stage


def test_it_reads_sources_and_runs_code_beside_them(stage: Stage, agent: str) -> None:
    options = ("--repo", str(stage.repo), "--agent", agent, "--model", MODELS[agent], "--isolate", "bwrap", "--json")
    done = stage.scoutkit("research", "Can it be signed?", *options, scenario="research")
    if agent == "llm":  # it can only ask
        assert done.code == 5
        return
    assert done.code == 0, done.err
    assert done.answer["note"]["type"] == "research"
    events = next((stage.repo / ".git/scoutkit/runs").glob("*/events.jsonl")).read_text()
    told = [one["data"] for one in map(json.loads, events.splitlines()) if one["kind"] == "tool_result"]
    assert [one["ok"] for one in told[:1]] == [True], "it could not read a source"
    assert "Read-only file system" in events
    assert "class Signer" in events
    assert "42" in done.answer["report"]
    stage.undisturbed()
    stage.keyless(done)
