"""How what answers hangs together: calls between definitions as a graph, its longest clear chain, and that as a diagram
in Mermaid. What may be something else by the same name is in no chain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.reporting import around, naming
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.naming import Edge, Node

_CENTRES = 4  # definitions that it is drawn around
_WIDE = 4  # callers of one of them
_DOUBTFUL = 2  # callers told by the name alone, where there are no others
_UP = 4  # calls above the best definition that are followed
_DRAWN = 10  # nodes of a diagram
_LEAST = 3  # nodes of a chain worth drawing
_PLAIN = re.compile(r"[^\w .:$~?!/-]")
_CALLABLE = frozenset({"function", "method", "constructor", "macro"})


@dataclass(frozen=True, slots=True)
class Graph:
    """Calls in the order in which they are made, callers first. `chain`: the longest run of sure calls through the best
    definition, or another of its file, from where it begins to where it ends; empty where none has three nodes."""

    edges: tuple[Edge, ...]
    chain: tuple[Edge, ...]


def graph(code: Code, nodes: Sequence[Node], asked: Collection[str], *, above: bool = True) -> Graph:
    """Around a few definitions, the best first: what they call and, with `above`, what calls them."""
    edges: dict[tuple[Node, Node], Edge] = {}

    def keep(found: Sequence[Edge]) -> None:
        for edge in found:
            edges.setdefault((edge.caller, edge.callee), edge)

    up: list[Edge] = []
    for at, node in enumerate(nodes[:_CENTRES]):
        calling = around.callers(code, node, most=_WIDE if at < 2 else 2) if above else []
        sure = [edge for edge in calling if edge.sure]
        keep(sure or calling[:_DOUBTFUL])
        up = up or [edge for edge in sure if edge.caller.name]
        if node.kind in _CALLABLE:
            keep(around.callees(code, node, asked, most=_WIDE + 1 if at < 2 else 2))
    for _ in range(_UP if above else 0):  # as long as there is one way up, or one that leads on
        known = [edge for edge in up if edge.caller in nodes] or up
        if len(known) != 1:
            break
        higher = [edge for edge in around.callers(code, known[0].caller, most=3) if edge.sure and edge.caller.name]
        up = [edge for edge in higher if all(edge.caller != other.callee for other in edges.values())]
        keep(up)
    chains = (_chain(list(edges.values()), node) for node in nodes[:_CENTRES] if node.path == nodes[0].path)
    found = next((one for one in chains if one), [])
    begin = found[0].caller if found else None
    return Graph(tuple(_in_order(list(edges.values()), begin)), tuple(found))


def _in_order(edges: Sequence[Edge], begin: Node | None) -> Iterator[Edge]:
    """From where the chain begins down, then from those that nobody calls, in the order of the calls."""
    below: dict[Node, list[Edge]] = {}
    for edge in sorted(edges, key=lambda edge: edge.cited.start):
        below.setdefault(edge.caller, []).append(edge)
    called = {edge.callee for edge in edges}
    done: set[Node] = set()

    def walk(node: Node) -> Iterator[Edge]:
        if node not in done:
            done.add(node)
            for edge in below.get(node, ()):
                yield edge
                yield from walk(edge.callee)

    for node in sorted(below, key=lambda node: (node != begin, node in called)):
        yield from walk(node)


def _chain(edges: Sequence[Edge], through: Node) -> list[Edge]:
    sure = [edge for edge in edges if _draws(edge)]
    below = {edge.callee for edge in sure if edge.caller == through}  # what it calls is not where it begins
    up = _longest([edge for edge in sure if edge.caller not in below], through, up=True)
    down = _longest(sure, through, up=False)
    found = [*reversed(up), *down]
    return found if len(found) + 1 >= _LEAST else []


def _draws(edge: Edge) -> bool:
    """A call between two functions that is sure."""
    return edge.sure and bool(edge.caller.name) and edge.callee.kind not in naming.TYPES


def _longest(edges: Sequence[Edge], start: Node, *, up: bool, seen: frozenset[Node] = frozenset()) -> list[Edge]:
    """The longest way from a node; of equal ones the first."""
    best: list[Edge] = []
    for edge in edges:
        here, there = (edge.callee, edge.caller) if up else (edge.caller, edge.callee)
        if here == start and there not in seen and len(seen) < _DRAWN:
            way = [edge, *_longest(edges, there, up=up, seen=seen | {start})]
            best = way if len(way) > len(best) else best
    return best


def drawn(found: Graph) -> tuple[Edge, ...]:
    """The edges of a diagram: the chain, and other sure calls from its nodes, as far as there is room."""
    if not found.chain:
        return ()
    nodes = dict.fromkeys([found.chain[0].caller, *(edge.callee for edge in found.chain)])
    kept = set(found.chain)
    for edge in found.edges:
        if _draws(edge) and edge.caller in nodes and (edge.callee in nodes or len(nodes) < _DRAWN):
            nodes[edge.callee] = None
            kept.add(edge)
    return tuple(edge for edge in found.edges if edge in kept)


def mermaid(edges: Sequence[Edge], entrances: Sequence[tuple[str, Node]] = ()) -> list[str]:
    """A flowchart's lines, from callers to callees; `entrances`: what leads to a node, from outside."""
    numbers: dict[Node, int] = {}
    rows = ["flowchart TD"]
    for edge in edges:
        for one in (edge.caller, edge.callee):
            if one not in numbers:
                numbers[one] = len(numbers) + 1
                rows.append(f'  n{numbers[one]}["{label(one.name)}"]')
    for at, (said, one) in enumerate(entrances, 1):
        if one in numbers:
            rows.append(f'  e{at}(["{label(said)}"]) --> n{numbers[one]}')
    return [*rows, *(f"  n{numbers[edge.caller]} --> n{numbers[edge.callee]}" for edge in edges)]


def label(text: str) -> str:
    """A text between the quotes of a node: all that could end it or be markup as character codes."""
    return _PLAIN.sub(lambda found: f"#{ord(found.group())};", " ".join(text.split()))[:120]
