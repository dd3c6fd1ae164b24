"""Definitions are shown whole and by their body; a word is a name only of what stands for itself."""

import pytest

from scoutkit.agents.builtin.reporting.evidence import cite, words_held
from scoutkit.snapshot import Snapshot

QUEUE = (
    "export function settle(): Promise<void>\nexport function settle<T>(\n  fn: () => T,\n): Promise<T>\n"
    "export function settle(fn?: () => any) {\n  return fn ? Promise.resolve().then(fn) : Promise.resolve()\n}\n"
)
LARGE = (
    "export function renderTree(node) {\n  const first = node.first\n\n"
    "  function inner(child) {\n    return child\n  }\n\n"
    + "".join(f"  node.step{number}()\n" for number in range(130))
    + "  return inner(first)\n}\n"
)
LOCAL = "export function createAll(options) {\n  options.planner = () => 1\n  const planner = 2\n  return options\n}\n"
TYPES = "export interface PlannerJob {\n  id: number\n  planner: string\n}\n"


@pytest.fixture
def where(make):
    return make({"src/queue.ts": QUEUE, "src/tree.ts": LARGE, "src/all.ts": LOCAL, "src/planner.ts": TYPES})


def test_overloads_are_cited_by_the_one_with_a_body(look, where):
    looked = look(where, "settle")
    assert looked.doubts == []
    assert "`settle` at `src/queue.ts:5-7`" in looked.text
    assert "src/queue.ts:1" not in looked.text
    assert [one.others for one in looked.found.usages] == [()]


def test_a_large_function_is_cited_to_its_last_line(look, where):
    looked = look(where, "renderTree")
    assert looked.doubts == []
    assert f"`renderTree` at `src/tree.ts:1-{LARGE.count(chr(10))}`" in looked.text


def test_a_word_is_no_name_of_what_is_inside_a_function(look, where):
    looked = look(where, "planner")
    assert not looked.found.exact
    assert "which is defined once" not in looked.text
    assert "What uses it" not in looked.text
    assert looked.doubts == []


def test_what_only_a_test_declares_is_shown_as_it_is(look, make):
    text = "declare function settleAll(): Promise<void>\n\nit('settles', () => {\n  settleAll()\n})\n"
    looked = look(make({"tests/queue.test.ts": text}), "Which tests declare settleAll?")
    assert looked.doubts == []
    assert "tests/queue.test.ts" in looked.text


def test_a_hash_is_no_name(make, head):
    sha = "d3c42e5a0d3c42e5a1d3c42e5a2d3c42e5a3d3c4"
    where = make({"ci.yml": f"uses: tools/publish@{sha}\nuses: tools/check@9{sha[1:]}\n"})
    with Snapshot(where, head(where)) as snapshot:
        for line, name in ((1, "publish"), (2, "tools")):
            assert cite(snapshot, "ci.yml", line, line, []).name == name
        assert words_held(snapshot.text("ci.yml"), [sha, "publish"], beside="", most=3) == ["publish"]
