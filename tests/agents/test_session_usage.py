"""What a session has used, read from a file that grows."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.agents.copilot import CopilotReader
from scoutkit.agents.gemini import GeminiReader
from scoutkit.agents.prices import Tokens
from scoutkit.agents.session_usage import Answer, SessionUsage, tokens
from scoutkit.model.agents import EventKind
from scoutkit.model.missions import Usage


def answer(said: Mapping[str, Any]) -> Answer | None:
    return (said["id"], said["model"], tokens(said, "in", "out", "cached")) if "id" in said else None


def add(file: Path, *said: object, end: str = "\n") -> None:
    with file.open("a") as out:
        out.write("".join(f"{one if isinstance(one, str) else json.dumps(one)}{end}" for one in said))


def line(name: str, read: int, wrote: int, model: str = "m") -> dict[str, object]:
    return {"id": name, "model": model, "in": read, "out": wrote}


def test_answers_add_up_and_one_that_comes_again_counts_once(tmp_path: Path) -> None:
    session = SessionUsage(tmp_path, "*/log.jsonl", answer)
    assert session.so_far() is None
    (tmp_path / "a").mkdir()
    log = tmp_path / "a/log.jsonl"
    add(log, line("1", 100, 10), {"other": 1}, line("1", 100, 12))
    assert session.so_far() == Usage(100, 12, None)
    add(log, line("2", 200, 20))
    assert session.so_far() == Usage(300, 32, None)
    assert session.so_far() == Usage(300, 32, None), "asking again changes nothing"


def test_half_a_line_is_read_once_it_is_whole(tmp_path: Path) -> None:
    session = SessionUsage(tmp_path, "*.jsonl", answer)
    text = json.dumps(line("1", 5, 1))
    add(tmp_path / "a.jsonl", text[:10], end="")
    assert session.so_far() is None
    add(tmp_path / "a.jsonl", text[10:])
    assert session.so_far() == Usage(5, 1, None)


def test_a_cost_needs_the_price_of_every_model(tmp_path: Path) -> None:
    prices = {"m": {"input": 1, "output": 2}}
    add(tmp_path / "a.jsonl", line("1", 1_000_000, 500_000))
    assert SessionUsage(tmp_path, "*.jsonl", answer, prices=prices).so_far() == Usage(1_000_000, 500_000, 2.0)
    assert SessionUsage(tmp_path, "*.jsonl", answer, prices=prices, priced=False).so_far() == Usage(1_000_000, 500_000)
    add(tmp_path / "a.jsonl", line("2", 1, 1, model="unknown"))
    assert SessionUsage(tmp_path, "*.jsonl", answer, prices=prices).so_far() == Usage(1_000_001, 500_001, None)


def test_links_and_pipes_are_not_read(tmp_path: Path) -> None:
    add(tmp_path / "real.txt", line("1", 5, 1))
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "real.txt")
    os.mkfifo(tmp_path / "b.jsonl")
    assert SessionUsage(tmp_path, "*.jsonl", answer).so_far() is None


def test_what_is_no_count_is_none() -> None:
    assert tokens({"in": "x", "out": -1, "cached": None, "more": 3}, "in", "out", "cached", "more") == Tokens(0, 3, 0)


_JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=4),
    lambda one: st.lists(one) | st.dictionaries(st.text(max_size=3), one),
    max_leaves=4,
)


@settings(max_examples=60, deadline=None)
@given(
    said=st.dictionaries(
        st.sampled_from(["id", "type", "model", "tokens", "data"]),
        _JSON | st.sampled_from(["gemini", "session.usage_record"]),
    )
)
def test_no_line_of_such_a_file_raises(tmp_path_factory: pytest.TempPathFactory, said: dict[str, object]) -> None:
    folder = tmp_path_factory.mktemp("home")
    for name in (".gemini/tmp/x/chats/a.jsonl", "session-state/x/events.jsonl"):
        (folder / name).parent.mkdir(parents=True)
        add(folder / name, said, "\udcff{".encode("utf-8", "replace").decode())
    GeminiReader(home=folder).finish(0, "", None)
    CopilotReader(home=folder).finish(0, "", None)


def test_gemini_tells_what_it_used_while_it_works(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini/tmp/x/chats"
    chats.mkdir(parents=True)
    told = {"id": "a", "type": "gemini", "model": "gemini-2.5-pro"}
    add(
        chats / "s.jsonl",
        {"id": "u", "type": "user"},
        {**told, "tokens": {"input": 1200, "output": 80, "thoughts": 20}},
    )
    reader = GeminiReader(home=tmp_path)
    events = list(reader.feed('{"type":"tool_result","tool_id":"t","status":"success","output":""}'))
    assert [event.usage for event in events if event.kind is EventKind.USAGE] == [Usage(1200, 100, None)]
    assert reader.finish(0, "", None).usage == Usage(1200, 100, None), "of a run that was stopped, too"


def test_copilot_tells_what_it_used_while_it_works(tmp_path: Path) -> None:
    session = tmp_path / "session-state/x"
    session.mkdir(parents=True)
    used = {"model": "gpt-4.1", "inputTokens": 1200, "outputTokens": 80, "cacheReadTokens": 200}
    add(session / "events.jsonl", {"id": "a", "type": "session.usage_record", "data": {"usage": used}})
    reader = CopilotReader(home=tmp_path)
    events = list(reader.feed('{"type":"assistant.turn_end","data":{"turnId":"0"}}'))
    assert [event.usage for event in events] == [Usage(1200, 80, None)]
