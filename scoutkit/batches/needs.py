"""What one mission of a list has to do with another: `depends_on`, by id or by place, without circles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoutkit.batches.rows import Rows, shown
from scoutkit.model.batches import Wanted


def linked(wanted: Sequence[Wanted], found: Rows) -> list[Wanted]:
    """With `depends_on` as places in the file. What names nothing, or leads back to itself, is a problem."""
    places: dict[str, int] = {}
    for number, one in enumerate(wanted, 1):
        if one.id in places:
            found.bad(one.line, f"the id {one.id!r} is that of line {wanted[places[one.id] - 1].line} already")
        elif one.id:
            places[one.id] = number
    made = []
    for number, (one, (line, fields)) in enumerate(zip(wanted, found.rows, strict=True), 1):
        at, given = fields.get("depends_on", (line, []))
        named = given if isinstance(given, list) else [given]
        needs = []
        for name in named:
            place = _place(name, places, len(wanted))
            if place is None or place == number:
                found.bad(at, f"depends on {shown(name)}, which is " + ("itself" if place else "no mission here"))
            else:
                needs.append(place)
        made.append(replace(one, depends_on=tuple(dict.fromkeys(needs))))
    for number in _circular(made):
        found.bad(made[number - 1].line, "depends on itself by way of others")
    return made


def _place(name: Any, places: Mapping[str, int], count: int) -> int | None:
    if isinstance(name, str) and name.strip() in places:
        return places[name.strip()]
    if isinstance(name, str) and name.strip().isdecimal() and len(name) < 10:
        name = int(name)
    return name if isinstance(name, int) and not isinstance(name, bool) and 1 <= name <= count else None


def _circular(wanted: Sequence[Wanted]) -> list[int]:
    """Those that wait for each other: what is left when all that can go have gone."""
    left = {number: set(one.depends_on) for number, one in enumerate(wanted, 1)}
    waiting: dict[int, list[int]] = {}
    for number, needs in left.items():
        for need in needs:
            waiting.setdefault(need, []).append(number)
    ready = [number for number, needs in left.items() if not needs]
    while ready:
        gone = ready.pop()
        del left[gone]
        for number in waiting.get(gone, ()):
            left[number].discard(gone)
            if not left[number]:
                ready.append(number)
    return [number for number in left if _returns(number, left)]


def _returns(start: int, left: Mapping[int, set[int]]) -> bool:
    """Is it on a circle, and not only behind one?"""
    seen, todo = set[int](), list(left[start])
    while todo:
        number = todo.pop()
        if number == start:
            return True
        if number not in seen:
            seen.add(number)
            todo.extend(left.get(number, ()))
    return False
