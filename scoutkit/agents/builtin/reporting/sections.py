"""A report's sections as Markdown, each from findings; every place in them is a citation with a name its lines hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.reporting import chain
from scoutkit.agents.builtin.reporting.beside import Beside
from scoutkit.agents.builtin.reporting.evidence import citable
from scoutkit.agents.builtin.reporting.findings import Findings, Open
from scoutkit.agents.builtin.reporting.kinds import Kind
from scoutkit.agents.builtin.reporting.naming import Edge, Node
from scoutkit.agents.builtin.reporting.past import Commit
from scoutkit.agents.builtin.reporting.reasons import Reason
from scoutkit.agents.builtin.reporting.settings import Setting
from scoutkit.agents.builtin.reporting.spots import Spot
from scoutkit.agents.builtin.reporting.usage import Usage, Used
from scoutkit.agents.builtin.reporting.wording import count, defined, plain, used_in
from scoutkit.symbols import language_of

_WHY = {"huge": "too large", "pointer": "kept outside git", "missing": "not in this clone"}
_LEADING = 4  # spots that are shown with more lines
_LINES = 3  # of one file that uses something
_TESTS = 5  # files of them that use it
_CALLS_SHOWN = 4  # lines of the first excerpts: below that there is no room for calls as they are written
_WIDE = 120  # characters of a line
_HIDDEN = re.compile(
    "[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)  # ends a line, or turns text round
_DRAWN = frozenset({Kind.HOW, Kind.HAPPENS, Kind.WHY, Kind.TRACE})


@dataclass(frozen=True, slots=True)
class Room:
    """How much is shown: lines of the first excerpts and of the others, and items of a list."""

    first: int
    other: int
    items: int


def start(found: Findings, room: Room) -> Iterator[str]:
    """The ranges that answer."""
    for at, spot in enumerate(found.spots):
        yield _spot(found, spot, room.first if at < _LEADING else room.other)


def _spot(found: Findings, spot: Spot, most: int) -> str:
    reasons = [*([spot.said] if spot.said else []), *([_holds(spot.held[:3])] if spot.held else [])]
    why = f" — {'; '.join(reasons or [_around(found, spot) or 'by its name'])}"
    shown = list(spot.excerpt[: most + 2 if spot.lines <= most + 2 else most])
    while shown and not shown[-1].strip():
        shown.pop()
    left = spot.lines - len(shown)
    code = [*_dedented(shown), *([f"… {count(left, 'more line')}"] if left > 0 else [])]
    block = fenced(code, language_of(spot.cited.path) or "", "  ")
    return f"- {spot.cited.place} `{spot.cited.name}`{why}\n\n{block}"


def _around(found: Findings, spot: Spot) -> str:
    """Who calls it, and what it calls, where that is clear; "" where it is not known."""
    edges = [edge for edge in found.graph.edges if edge.sure]
    calls = dict.fromkeys(f"`{one.callee.last}`" for one in edges if one.caller == spot.node)
    callers = dict.fromkeys(named(one.caller.name) for one in edges if one.callee == spot.node and one.caller.name)
    told = [f"called by {' and '.join(list(callers)[:2])}"] if callers else []
    return "; ".join([*told, *([f"calls {' and '.join(list(calls)[:2])}"] if calls else [])])


def _dedented(lines: Sequence[str]) -> list[str]:
    """Without the indentation that all share."""
    margins = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    margin = min(margins, key=len, default="")
    return [line.removeprefix(margin) for line in lines]


def _holds(words: Sequence[str]) -> str:
    return f"has the {'word' if len(words) == 1 else 'words'} {', '.join(f'`{word}`' for word in words)}"


def fenced(lines: Sequence[str], language: str, indent: str) -> str:
    """A block that no line of it can end."""
    ticks = "`" * max([3, *(len(run) + 1 for line in lines for run in re.findall(r"`{3,}", line))])
    shown = (line if line.isprintable() else _HIDDEN.sub("\N{REPLACEMENT CHARACTER}", line) for line in lines)
    return "\n".join(f"{indent}{line}".rstrip() for line in (f"{ticks}{language}", *shown, ticks))


def together(found: Findings, room: Room) -> Iterator[str]:
    """Who calls whom, callers first, with how one gets there from outside and a diagram where the chain is clear."""
    drawn = chain.drawn(found.graph) if found.kind in _DRAWN else ()
    told = list(dict.fromkeys([*drawn, *found.graph.edges]))[: max(room.items, len(drawn))]
    told = [edge for edge in found.graph.edges if edge in told]
    lines = [_entrance(one.kind, one.said, one.node, one.cited.place, one.cited.name) for one in found.entrances[:4]]
    shown = {spot.node for spot in found.spots}
    lines += [_edge(edge, shown) for edge in told]
    if found.siblings:
        listed = ", ".join(f"`{one.name}` at {one.place}" for one in found.siblings[:3])
        more = f" and {count(len(found.siblings) - 3, 'more')}" if len(found.siblings) > 3 else ""
        lines.append(f"- `{found.spots[0].place.name}` is defined elsewhere too: {listed}{more}")
    if lines:
        yield "\n".join(dict.fromkeys(lines))
    if drawn:
        said = [(one.said if one.kind != "command" else f"command {one.said}", one.node) for one in found.entrances]
        yield fenced(chain.mermaid(drawn, [one for one in said if one[0] != "the program"]), "mermaid", "")


def _entrance(kind: str, said: str, node: Node, place: str, name: str) -> str:
    what = {"route": f"the route {said}", "command": f"the command {said}", "program": "the program"}[kind]
    shown = "" if name == node.last else f" `{name}`"
    return f"- {named(node.name)} is where {what} begins: {place}{shown}"


def _edge(edge: Edge, shown: Collection[Node]) -> str:
    by_name, callee = "" if edge.sure else " (by name: several share it)", edge.callee
    told = not edge.sure or callee in shown or callee.path == edge.caller.path
    where = "" if told or not edge.defined else f", defined at {edge.defined.place}"
    return f"- {named(edge.caller.name)} {edge.verb} `{callee.last}`{by_name} at {edge.cited.place}{where}"


def named(name: str) -> str:
    """A name as code; what stands in none is at the file's own level."""
    return (
        f"`{name}`"
        if name and "`" not in name and name.isprintable() and name == " ".join(name.split())
        else "The file's own level"
    )


def used(found: Findings, room: Room) -> Iterator[str]:
    """All that uses what is asked about, by file."""
    told: set[str] = set()
    for one in found.usages:
        others = one.node.last not in told
        told.add(one.node.last)
        yield re.sub("\n{3,}", "\n\n", "\n".join(_used(one, room, others=others))).rstrip()


def _used(usage: Usage, room: Room, *, others: bool) -> Iterator[str]:
    source = [one for one in usage.files if not one.test]
    tests = [one for one in usage.files if one.test]
    name = usage.node.last
    if not usage.files:
        yield f"Nothing in this code uses {defined(usage)}, as far as names tell."
        return
    by_name = not any(one.sure for one in usage.files)
    told = ", as far as names tell" if by_name else ""
    yield f"{defined(usage)}, is used in {used_in(usage)}{told}.\n"
    for one in source[: room.items + 2]:
        yield _file(one, name, by_name=by_name)
        if room.first >= _CALLS_SHOWN and role_of(one.path) is Role.SOURCE:
            yield "\n" + fenced([text[:_WIDE] for text in one.texts], language_of(one.path) or "", "  ") + "\n"
    if len(source) > room.items + 2:
        yield f"- and {count(len(source) - room.items - 2, 'more file')}"
    few = min(_TESTS, room.items)
    for one in tests[:few]:
        yield _file(one, name, "Test: ", by_name=by_name)
    if len(tests) > few:
        yield f"- and {count(len(tests) - few, 'more test file')}"
    if usage.others and others:
        listed = ", ".join(one.place for one in usage.others[:3]) + (", …" if len(usage.others) > 3 else "")
        means = "these calls may mean any of them" if usage.shared else "calls that seem to mean these are left out"
        yield f"\nOthers are named `{name}` too ({listed}): {means}."
    if usage.cut:
        yield f"\nOnly part was read: {count(usage.cut, 'more file')} have the word."


def _file(one: Used, name: str, label: str = "", *, by_name: bool) -> str:
    lines = ",".join(map(str, one.lines[:_LINES]))
    more = f" and {count(len(one.lines) - _LINES, 'more line')}" if len(one.lines) > _LINES else ""
    holders = [holder for holder in one.holders if named(holder) != named("")]
    said = ", ".join(f"`{holder[:80]}`" for holder in holders[:2]) + (" and elsewhere" if len(holders) > 2 else "")
    marked = "" if one.sure or by_name else " (by name)"
    verb = "use" if len(one.lines) > 1 else "uses"
    return f"- {label}`{one.path}:{lines}`{more} {verb} `{name}`{marked}" + (f" in {said}" if said else "")


def failures(found: Findings, room: Room) -> Iterator[str]:
    """What is raised, caught or handed on."""
    if found.failures:
        rows = ((f"{named(name)}: " if name else "", cited) for name, cited in found.failures[: room.items])
        yield "\n".join(f"- {within}`{cited.name}` at {cited.place}" for within, cited in rows)


def why(found: Findings, room: Room) -> Iterator[str]:
    """Comments and documents that give reasons, then the commits that made the lines."""
    if found.reasons:
        yield "\n".join(map(_reason, found.reasons[: room.items]))
    if found.made:
        spots = list(dict.fromkeys(f"`{spot.cited.name}`" for spot in found.spots[:2]))
        yield f"Commits that made {' and '.join(spots)} what {'they are' if len(spots) > 1 else 'it is'}:"
        yield fenced(list(_commits(found.made[: room.items])), "text", "")


def _reason(one: Reason) -> str:
    within = f", in {named(one.within)}" if one.within and named(one.within) != named("") else ""
    said = f": {one.text}" if one.sayable else f"\n\n{fenced([one.text], 'text', '  ')}\n"
    return f"- {one.cited.place} (`{one.cited.name}`{within}){said}"


def _commits(commits: Sequence[Commit]) -> Iterator[str]:
    for one in commits:
        yield f"{one.when[:10]}  {one.id[:9]}  {' '.join(one.subject.split())[:100]}"
        if one.reason:
            yield f"            {' '.join(one.reason.split())}"


def traced(found: Findings, room: Room) -> Iterator[str]:  # noqa: ARG001
    """The traceback's frames that are in this tree."""
    rows = [
        f"- {named(one.node.name) if one.node else named('')} at {one.cited.place}: `{one.cited.name}`"
        + (" (by its name: the frame's line is of another version)" if one.elsewhere else "")
        for one in found.frames
    ]
    if rows:
        yield "\n".join(rows)


def settings(found: Findings, room: Room) -> Iterator[str]:
    """Settings with their defaults and where they are read."""
    if found.settings:
        yield "\n".join(map(_setting, found.settings[: room.items]))


def _setting(one: Setting) -> str:
    kept = f", kept in `{one.kept}`" if one.kept else ""
    kind = f" ({one.kind}{kept})" if one.kind != "value" else ""
    default = f", `{one.default}` by default" if one.default else ""
    means = f" (`{one.means}`)" if one.means else ""
    reads = ", ".join(read.place for read in one.reads)
    named = f" (`{one.told.name}`)" if one.told and one.told.name != one.name else ""
    told = f"; told at {one.told.place}{named}" if one.told and one.told != one.cited else ""
    said = f"{told}: {one.said}" if one.said else ""
    return (
        f"- {one.shown}{one.of}{kind} at {one.place}{default}{means}" + (f"; used at {reads}" if reads else "") + said
    )


def beside(found: Findings, room: Room) -> Iterator[str]:
    """Tests, then documents."""
    rows = [*found.tests[: room.items], *found.documents[: room.items]]
    if rows:
        yield "\n".join(map(_beside, rows))


def _beside(one: Beside) -> str:
    if one.uses:
        return f"- {one.cited.place} “{plain(one.title)}” uses `{one.uses}`"
    if one.title == one.cited.name:
        return f"- {one.cited.place} `{one.title}`"
    return f"- {one.cited.place} “{plain(one.title)}” (`{one.cited.name}`)"


def changes(found: Findings, room: Room) -> Iterator[str]:
    """Recent commits of the best file, and files that change with it."""
    told = list(recent(found, room))
    yield from told
    yield from with_it(found, room, "it" if told else "")


def recent(found: Findings, room: Room) -> Iterator[str]:
    """Recent commits of the best file; those that made its lines are told already where it was asked why."""
    if found.past.commits and not found.made:
        yield f"Of `{found.spots[0].cited.path}`:"
        yield fenced(list(_commits(found.past.commits[: room.items])), "text", "")


def with_it(found: Findings, room: Room, it: str = "") -> Iterator[str]:
    """Files that change with the best one."""
    if found.past.together:
        rows = found.past.together[: min(4, room.items)]
        listed = "; ".join(f"`{one.path}` ({one.times} of {one.of} commits)" for one in rows)
        yield f"Files that change with {it or f'`{found.spots[0].cited.path}`'}: {listed}."


def left_open(found: Findings, room: Room) -> Iterator[str]:  # noqa: ARG001
    """What the facts do not settle."""
    if found.open:
        yield "\n".join(map(_open, found.open[:3]))


def _open(one: Open) -> str:
    places = ", ".join(f"`{cited.name}` at {cited.place}" for cited in one.places)
    return f"- {one.text}{f' {places}' if places else ''}"


def untold(found: Findings) -> list[str]:
    """Facts only."""
    told = []
    if found.question.unasked:
        listed = ", ".join(plain(word) for word in found.question.unasked[:6])
        told.append(f"Not looked for, since it is no word of any code: {listed}.")
    for why_not, (number, *some) in found.unread.items():
        if number and why_not in _WHY and any(role_of(path) is Role.SOURCE for path in some):
            listed = ", ".join(f"`{path}`" for path in [one for one in some if citable(one)][:3])
            example = f", for instance {listed}" if listed else ""
            told.append(f"Not read ({_WHY[why_not]}): {count(int(number), 'file')}{example}.")
    if found.unsaid:
        told.append(f"Left out, for signs in their paths that no citation can hold: {count(found.unsaid, 'file')}.")
    if found.past.cut_off:
        told.append("The history is not all here (a shallow or partial clone): older changes are not seen.")
    plainly = {name: number for name, number in found.languages.items() if 10 * number >= found.files}
    if plainly:
        listed = ", ".join(f"{name} ({number:,} files)" for name, number in plainly.items())
        told.append(f"Read as plain text, without definitions: {listed}.")
    if found.graph.edges or found.usages:
        told.append("Who calls whom is read from names in the code; calls made in other ways are not seen.")
    return told
