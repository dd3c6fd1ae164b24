"""Lists of missions: what is understood, and how what is not is told."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.batches import listing
from scoutkit.batches.listing import BadLines
from scoutkit.batches.rows import FORMS
from scoutkit.errors import UsageError
from scoutkit.model.batches import Wanted


def texts(raw: str, name: str = "m.txt", form: str = "") -> list[str]:
    return [one.text for one in missions(raw, name, form)]


def missions(raw: str, name: str, form: str = "") -> list[Wanted]:
    """Those of a list that is right."""
    listed = listing.read(raw.encode(), name, form)
    assert not listed.problems
    return listed.missions


def problems(raw: str, name: str) -> tuple[str, ...]:
    try:
        found = listing.read(raw.encode(), name).problems
    except BadLines as error:  # there is nothing else in it
        return error.problems
    assert found
    return BadLines(name, found).problems


def test_plain_lines_are_questions_but_for_comments_and_blank_ones():
    wanted = missions("\ufeff# all of them\r\nWhere is x?\r\n\r\n  # not\n Why: y?\n", "m.txt")
    assert [(one.line, one.text) for one in wanted] == [(2, "Where is x?"), (5, "Why: y?")]


@pytest.mark.parametrize(
    ("name", "raw", "form"),
    [
        ("m.jsonl", '{"text": "a"}\n"b"\n', ""),
        ("-", '# first\n{"text": "a"}\n{"text": "b"}\n', ""),
        ("m.yml", "- a\n- text: b\n", ""),
        ("-", "---\n- a\n- b\n", ""),
        ("-", "missions:\n- a\n- b\n", ""),
        ("-", "- a\n- b\n", "yaml"),
        ("m.json", '[{"text": "a"}, "b"]', ""),
    ],
)
def test_three_ways_to_write_them_are_told_apart(name, raw, form):
    assert texts(raw, name, form) == ["a", "b"]


def test_all_that_a_mission_may_say():
    raw = """
defaults: {tags: [nightly], limits: {timeout: 10m, max_cost: 2}, agents: [claude, codex]}
missions:
- id: first
  text: |
    Where is it?
    In detail.
  kind: scout
  agent: builtin
  base: v1.0
  paths: [src/auth, tests]
  tags: [auth]
  priority: 5
  model: small
  limits: {max_turns: 7, timeout: 90, max_cost: $0.50}
- text: And then?
  depends_on: [first]
"""
    first, then = missions(raw, "m.yaml")
    assert first.text == "Where is it?\nIn detail."
    assert (first.line, first.kind, first.agents, first.base) == (4, "scout", ("builtin",), "v1.0")
    assert (first.paths, first.tags, first.priority, first.model) == (("src/auth", "tests"), ("auth",), 5, "small")
    assert first.limits == {"timeout": 90, "cost_usd": 0.5, "turns": 7}
    assert (then.agents, then.tags, then.depends_on) == (("claude", "codex"), ("nightly",), (1,))
    assert then.limits == {"timeout": 600, "cost_usd": 2}


def test_what_a_mission_may_take_of_the_machine_is_said_as_the_options_say_it():
    raw = '{"text": "a", "limits": {"max_disk": "500MB", "max_memory": "1.5 GiB", "max_processes": 7}}\n'
    raw += '{"text": "b", "limits": {"max_disk": 2000, "max_processes": "64"}}\n'
    first, second = missions(raw, "m.jsonl")
    assert first.limits == {"disk_bytes": 500_000_000, "memory_bytes": 1_500_000_000, "processes": 7}
    assert second.limits == {"disk_bytes": 2000, "processes": 64}


@pytest.mark.parametrize(
    ("key", "value"),
    [("max_disk", "much"), ("max_disk", 0.5), ("max_memory", "1m2"), ("max_processes", 1.5), ("max_processes", "5m"),
     ("max_disk", True), ("max_memory", -1), ("timeout", "5MB"), ("max_cost", "1k")],
)  # fmt: skip
def test_what_is_no_limit_is_named(key, value):
    (said,) = problems(json.dumps({"text": "a", "limits": {key: value}}), "m.jsonl")
    assert said == f"m.jsonl:1: {key} cannot be {value!r}"


def test_what_is_wrong_in_a_mission_is_left_out_and_the_rest_of_it_is_still_there():
    raw = '{"text": "a", "kind": "poem", "base": "v1", "agents": ["x", ""], "xyzzy": 1}\n'
    raw += '{"text": "b", "base": "\\u0000"}\n'
    listed = listing.read(raw.encode(), "m.jsonl")
    assert [(one.kind, one.base, one.agents) for one in listed.missions] == [("", "v1", ("x",)), ("", "", ())]
    assert sorted(listed.problems) == [
        (1, "no agent: name one"),
        (1, "no kind of mission: 'poem' (there are ask, scout, research)"),
        (1, "unknown key 'xyzzy'"),
        (2, "base holds a NUL character"),
    ]


def test_every_bad_line_is_named_at_once():
    raw = (
        '{"text": "a", "agnt": "x"}\n{"text": 3}\nnope\n{}\n[1]\n{"text": "q", "kind": "poem"}\n'
        '{"text": "q", "limits": {"timeout": "soon", "legs": 4}}\n{"text": "q", "tags": ["a b"]}\n'
        '{"text": "q", "id": "7"}\n{"text": "q", "priority": "high"}\n{"text": "\\ud800"}\n{"text": "fine"}\n'
    )
    found = problems(raw, "m.jsonl")
    assert [one.split(": ")[0] for one in found] == [f"m.jsonl:{n}" for n in (1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11)]
    assert "did you mean agent" in found[0]


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("- {text: a, depends_on: zz}\n", "m.yaml:1: depends on 'zz', which is no mission here"),
        ("- {text: a, depends_on: 1}\n", "m.yaml:1: depends on 1, which is itself"),
        ("- {text: a, depends_on: 2}\n- {text: b, depends_on: 1}\n", "m.yaml:2: depends on itself by way of others"),
        ("- {text: a, id: x}\n- {text: b, id: x}\n", "m.yaml:2: the id 'x' is that of line 1 already"),
        ("- text: a\n  text: b\n", "m.yaml:2: text is given twice"),
        ("- text: !!python/object:os.system x\n", "m.yaml:1: not a value"),
        ("mission: []\n", "m.yaml:1: unknown key 'mission'"),
        ("a: [\n", "m.yaml:2: not YAML"),
        ("just text\n", "m.yaml:1: not a list of missions"),
        ("- text: yes\n", "m.yaml:1: text must be text, not True"),
    ],
)
def test_what_is_wrong_in_yaml_is_named_with_its_line(raw, says):
    assert any(one.startswith(says) for one in problems(raw, "m.yaml")), problems(raw, "m.yaml")


def test_one_behind_a_circle_is_not_named_as_part_of_it():
    found = problems(
        '{"text": "a", "depends_on": 2}\n{"text": "b", "depends_on": 1}\n{"text": "c", "depends_on": 1}\n', "m.jsonl"
    )
    assert [one.split(":")[1] for one in found] == ["1", "2"]


@pytest.mark.parametrize("raw", ["", "\n\n# nothing\n"])
def test_a_file_without_missions_is_a_usage_error(raw):
    with pytest.raises(UsageError, match="holds no mission"):
        listing.read(raw.encode(), "m.txt")


def test_bytes_that_are_no_text_are_named_with_their_line():
    with pytest.raises(BadLines) as caught:
        listing.read(b"fine\n\xff\xfe\n", "m.txt")
    assert caught.value.problems == ("m.txt:2: not UTF-8",)


@settings(max_examples=60, deadline=None)
@given(st.text(), st.sampled_from(FORMS))
def test_any_text_is_missions_or_a_usage_error(raw, form):
    with contextlib.suppress(UsageError):
        listed = listing.read(raw.encode("utf-8", "replace"), "m", form)
        assert listed.problems or all(one.text for one in listed.missions)


def test_what_one_kind_alone_takes_is_told_for_another():
    raw = '{"text": "a", "checks": "make"}\n{"text": "b", "kind": "research"}\n'
    raw += '{"text": "c", "kind": "scout", "repos": "x"}\n'
    assert problems(raw, "m.jsonl") == (
        "m.jsonl:1: checks is for scout alone",
        "m.jsonl:2: research without repos: name the repositories to look at",
        "m.jsonl:3: repos is for research alone",
    )
    (scout,) = missions('{"text": "a", "kind": "scout", "checks": ["make", "make test"]}', "m.jsonl")
    assert scout.checks == ("make", "make test")


def test_the_lists_that_the_documents_show_are_understood():
    page = (Path(__file__).parents[2] / "docs/batch.md").read_text("utf-8")
    shown = dict(re.findall(r"^```(text|json|yaml)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    assert len(texts(shown["text"])) == 2
    first, second = missions(shown["json"], "m.jsonl")
    assert (second.depends_on, second.checks, first.priority) == ((1,), ("make test",), 5)
    assert [one.agents for one in missions(shown["yaml"], "m.yaml")] == [
        ("claude",),
        ("claude",),
        ("claude", "codex"),
    ]
