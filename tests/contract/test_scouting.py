"""What a real program did as a scout: found in what it says of its tools, and in what it left."""

from __future__ import annotations

from stage import MODELS, Stage


def test_what_it_did_is_in_the_note_and_gone_from_the_disk(stage: Stage, agent: str) -> None:
    if agent == "llm":  # it can only ask
        assert stage.scoutkit("scout", "Try", "--agent", agent, "--isolate", "bwrap").code == 5
        return
    options = ("--agent", agent, "--model", MODELS[agent], "--json", "--check", "grep -q sha256 app/sessions.py")
    done = stage.scoutkit("scout", "Sign with another digest", *options, scenario="scout")
    assert done.code == 0, done.err
    assert done.answer["note"]["type"] == "scout"
    note = (stage.repo / done.answer["note"]["path"]).read_text()
    assert "| `app/sessions.py` | modified | +1 -1 |" in note
    assert "| `app/extra.py` | added | +1 -0 |" in note
    assert "| Try it | HEAD, topic |" in note
    assert "| `grep -q sha256 app/sessions.py` | passed | exit 1 |" in note
    assert "make nothing-such" in note
    assert "`make nothing-such` never passed, tried once" in note
    stage.undisturbed()
    stage.keyless(done)
