"""Lists of missions: what is understood, and how what is not is told."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.batches import listing
from scoutkit.batches.listing import BadLines
from scoutkit.errors import UsageError


def texts(raw: str, name: str = "m.txt", form: str = "") -> list[str]:
    return [one.text for one in listing.read(raw.encode(), name, form)]


def problems(raw: str, name: str) -> tuple[str, ...]:
    with pytest.raises(BadLines) as caught:
        listing.read(raw.encode(), name)
    return caught.value.problems


def test_plain_lines_are_questions_but_for_comments_and_blank_ones():
    wanted = listing.read("\ufeff# all of them\r\nWhere is x?\r\n\r\n  # not\n Why: y?\n".encode(), "m.txt")
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
    first, then = listing.read(raw.encode(), "m.yaml")
    assert first.text == "Where is it?\nIn detail."
    assert (first.line, first.kind, first.agents, first.base) == (4, "scout", ("builtin",), "v1.0")
    assert (first.paths, first.tags, first.priority, first.model) == (("src/auth", "tests"), ("auth",), 5, "small")
    assert first.limits == {"timeout": 90, "cost_usd": 0.5, "turns": 7}
    assert (then.agents, then.tags, then.depends_on) == (("claude", "codex"), ("nightly",), (1,))
    assert then.limits == {"timeout": 600, "cost_usd": 2}


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
@given(st.text(), st.sampled_from(listing.FORMS))
def test_any_text_is_missions_or_a_usage_error(raw, form):
    wanted = []
    with contextlib.suppress(UsageError):
        wanted = listing.read(raw.encode("utf-8", "replace"), "m", form)
    assert all(one.text for one in wanted)


def test_what_one_kind_alone_takes_is_told_for_another():
    raw = '{"text": "a", "checks": "make"}\n{"text": "b", "kind": "research"}\n'
    raw += '{"text": "c", "kind": "scout", "repos": "x"}\n'
    assert problems(raw, "m.jsonl") == (
        "m.jsonl:1: checks is for scout alone",
        "m.jsonl:2: research without repos: name the repositories to look at",
        "m.jsonl:3: repos is for research alone",
    )
    (scout,) = listing.read(b'{"text": "a", "kind": "scout", "checks": ["make", "make test"]}', "m.jsonl")
    assert scout.checks == ("make", "make test")


def test_the_lists_that_the_documents_show_are_understood():
    page = (Path(__file__).parents[2] / "docs/batch.md").read_text("utf-8")
    shown = dict(re.findall(r"^```(text|json|yaml)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    assert len(texts(shown["text"])) == 2
    first, second = listing.read(shown["json"].encode(), "m.jsonl")
    assert (second.depends_on, second.checks, first.priority) == ((1,), ("make test",), 5)
    assert [one.agents for one in listing.read(shown["yaml"].encode(), "m.yaml")] == [
        ("claude",),
        ("claude",),
        ("claude", "codex"),
    ]
