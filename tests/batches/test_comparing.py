"""Opinions side by side: which places several cite, which only one."""

from __future__ import annotations

from dataclasses import replace

from scoutkit import notefile
from scoutkit.batches.comparing import Opinion, compare, note
from scoutkit.model.missions import Kind, Mission
from scoutkit.model.notes import Citation, Note, Verdict


def opinion(agent: str, *places: tuple[str, int, int], wrong: tuple[str, int, int] | None = None) -> Opinion:
    cited = [Citation(*place, Verdict.SUPPORTED, "f" if place[1] else "") for place in places]
    cited += [Citation(*wrong, Verdict.WRONG)] if wrong else []
    return Opinion(agent, Note(f"id-{agent}", f"{agent} says"), tuple(cited))


def test_lines_that_overlap_are_agreed_on_and_neighbours_are_not():
    found = compare([opinion("a", ("x", 1, 5), ("x", 20, 30), ("y", 1, 2)), opinion("b", ("x", 5, 9), ("x", 31, 40))])
    assert [[(one.at, who) for one, who in place.cited] for place in found.agreed] == [
        [("x:1-5", "a"), ("x:5-9", "b")],
    ]
    assert [(one.at, who) for one, who in found.alone] == [("x:20-30", "a"), ("y:1-2", "a"), ("x:31-40", "b")]
    assert found.files == {"x": ("a", "b"), "y": ("a",)}


def test_an_agent_does_not_agree_with_itself():
    found = compare([opinion("a", ("x", 1, 9), ("x", 2, 3)), opinion("b", ("x", 50, 60))])
    assert not found.agreed


def test_a_file_without_lines_agrees_with_the_same_alone():
    found = compare([opinion("a", ("x", 0, 0), ("y", 0, 0)), opinion("b", ("x", 0, 0), ("y", 1, 2))])
    assert [place.path for place in found.agreed] == ["x"]
    assert [one.path for one, _ in found.alone] == ["y", "y"]


def test_of_three_who_cites_what_is_told():
    body = note(
        [opinion("a", ("x", 1, 5)), opinion("b", ("x", 1, 5)), opinion("c", ("x", 4, 4), wrong=("z", 9, 9))],
        Mission(Kind.ASK, "Where is it?", "0" * 40, "a"),
        (),
        id="n",
        at="2026-11-30T09:00:00+00:00",
        tags=("t",),
    ).body
    assert "- `x:1-5` (`f`) a and b; `x:4` (`f`) c" in body
    assert "- c: `z:9`" in body
    assert "Several cite 1 place; a alone 0 places; b alone 0 places; c alone 0 places." in body


def test_the_note_reads_back_with_what_is_there_and_nothing_that_is_not():
    made = note(
        [opinion("a", ("x", 1, 5)), opinion("b", ("y", 2, 2), wrong=("z", 9, 9))],
        Mission(Kind.ASK, "Where " * 50, "0" * 40, "a"),
        (),
        id="7k3m9q2d",
        at="2026-11-30T09:00:00+00:00",
        tags=("t",),
    )
    read = notefile.parse(notefile.render(notefile.settled(made)), "p.md").note
    assert [one.at for one in read.citations] == ["x:1-5", "y:2"]
    assert read.tags == ("t", "comparison")
    assert len(read.title) < 130
    assert replace(read, path="").type == "note"
    assert "They cite no lines in common." in read.body
