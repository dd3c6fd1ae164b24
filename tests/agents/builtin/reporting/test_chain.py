"""Calls as a graph, and the diagram of its clear chain."""

import re

from hypothesis import given
from hypothesis import strategies as st

from scoutkit.agents.builtin.reporting import chain
from scoutkit.agents.builtin.reporting.chain import Graph
from scoutkit.agents.builtin.reporting.evidence import Cited
from scoutkit.agents.builtin.reporting.naming import Edge, Node


def edge(caller, callee, line, *, sure=True, kind="function"):
    one, other = (Node("a.py", name, 1, 2, kind) for name in (caller, callee))
    return Edge(one, other, Cited("a.py", line, line, callee), sure)


def test_a_diagram_has_each_function_once_and_each_call():
    rows = chain.mermaid([edge("a", "b", 1), edge("b", "c", 2), edge("a", "c", 3)])
    assert rows == [
        "flowchart TD",
        *('  n1["a"]', '  n2["b"]', '  n3["c"]'),
        *("  n1 --> n2", "  n2 --> n3", "  n1 --> n3"),
    ]


def test_what_leads_to_a_function_from_outside_is_drawn_where_the_function_is():
    node = Node("a.py", "a", 1, 2)
    rows = chain.mermaid([edge("a", "b", 1)], [("GET /a/:id", node), ("GET /b", Node("a.py", "z", 1, 2))])
    assert '  e1(["GET /a/:id"]) --> n1' in rows
    assert not any("/b" in row for row in rows)


@given(st.text(max_size=60))
def test_no_name_ends_its_label_or_is_markup(text):
    label = chain.label(text)
    assert "\n" not in label
    assert not re.search(r"[\"<>\[\](){}|`\\]", label)
    assert re.fullmatch(r"(?:[\w .:$~?!/-]|#\d+;)*", label) or len(text) > 20


def test_doubtful_calls_and_types_are_not_drawn():
    sure, doubtful, typed = edge("a", "b", 1), edge("b", "c", 2, sure=False), edge("b", "T", 3, kind="class")
    assert chain.drawn(Graph((sure, doubtful, typed), (sure,))) == (sure,)


def test_without_a_chain_nothing_is_drawn():
    assert chain.drawn(Graph((edge("a", "b", 1),), ())) == ()


def test_calls_in_a_circle_end(look, make):
    code = "".join(f"def order_{one}():\n    order_{other}()\n\n\n" for one, other in ("ab", "bc", "ca"))
    looked = look(make({"src/order.py": code}), "How does order_a work?")
    assert looked.doubts == []
    assert "```mermaid" in looked.text
