"""Packs: the best notes first, each cut to what room there is, never more tokens than the budget. Reads no file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scoutkit.model.packs import Dropped, Pack, Packed, Wish
from scoutkit.reuse import cutting, forms
from scoutkit.reuse.forms import Part
from scoutkit.reuse.tokens import Tokenizer

NO_ROOM = "no room left in the budget"
TOO_LONG = "no part of it is short enough for the budget"
UNREAD = "longer than the room that is left; not read, since no part of others before it was short enough"
_LEAST = 150  # tokens of a note below which it says little
_TRIES = 3  # notes no part of which has room, before those are left unread that do not fit whole
_DENSE = 4  # characters a token, at most, of a note that may fit whole
_SHARE = 0.5  # of the budget, for one note while others wait


class Candidate(NamedTuple):
    """A note that may go in. `part` makes it ready: its citations are followed only once there is room for it, and it
    may turn out to be one that is left out. `length` is how many characters its text has, 0 where not known."""

    id: str
    path: str
    title: str
    score: float
    why: str
    part: Callable[[], Part | Dropped]
    length: int = 0


def assemble(
    wish: Wish,
    candidates: Sequence[Candidate],
    tokenizer: Tokenizer,
    dropped: Iterable[Dropped] = (),
    *,
    finish: Callable[[Sequence[Part]], list[Part]] = list,
) -> Pack:
    """A pack of as many candidates as there is room for, in order. `dropped`: those that are left out already.

    `finish` has the last word on what labels say, for what is looked up for all notes at once.
    """
    left_out = [*dropped]
    about = cutting.telling(wish.task)
    whole: list[tuple[Candidate, Part, Part]] = []  # as it is, and as it is cut
    room = wish.budget - tokenizer.count(forms.render(wish.form, ()))
    failed = 0
    for number, one in enumerate(candidates):
        full = room < _LEAST and whole
        if full or (failed >= _TRIES and one.length > _DENSE * room):
            left_out.append(Dropped(one.id, one.path, one.title, NO_ROOM if full else UNREAD))
            continue
        made = one.part()
        if isinstance(made, Dropped):
            left_out.append(made)
            continue
        most = int(wish.budget * _SHARE) if number + 1 < len(candidates) else room
        fitted = _fitted(wish, made, min(room, most), tokenizer, about)
        if fitted is None and not whole and most < room:  # rather one that takes more than its share than none
            fitted = _fitted(wish, made, room, tokenizer, about)
        if fitted is None:
            failed += 1
            left_out.append(Dropped(one.id, one.path, one.title, NO_ROOM if whole else TOO_LONG))
            continue
        whole.append((one, made, fitted))
        room -= _cost(wish, fitted, tokenizer)
    parts = finish(_widened(wish, whole, tokenizer, about))
    return _pack(wish, [one for one, _, _ in whole], parts, tokenizer, left_out)


def _widened(
    wish: Wish, whole: Sequence[tuple[Candidate, Part, Part]], tokenizer: Tokenizer, about: frozenset[str]
) -> list[Part]:
    """What was cut gets the room that is left after all."""
    parts = [fitted for _, _, fitted in whole]
    for number, (_, made, fitted) in enumerate(whole):
        if fitted.cut:
            left = wish.budget - tokenizer.count(forms.render(wish.form, parts))
            wider = _fitted(wish, made, _cost(wish, fitted, tokenizer) + left, tokenizer, about)
            parts[number] = wider or fitted
    return parts


def _fitted(wish: Wish, made: Part, room: int, tokenizer: Tokenizer, about: frozenset[str]) -> Part | None:
    """A note in at most so many tokens: its text first, then what changed, then code. None where it says nothing."""
    bare = made._replace(text="", changes=(), code=())
    left = room
    for _ in range(4):
        text, shorter = cutting.cut(made.text, left - _cost(wish, bare, tokenizer), tokenizer.count, about)
        if not text and made.text:
            return None
        fitted = bare._replace(text=text, cut=shorter or made.cut)
        over = _cost(wish, fitted, tokenizer) - room
        if over <= 0:
            break
        left -= over + 2  # what escaping and pieces that are joined take
    else:
        return None
    for excerpt in made.changes:
        wider = fitted._replace(changes=(*fitted.changes, excerpt))
        fitted = wider if _cost(wish, wider, tokenizer) <= room else fitted._replace(cut=True)
    for excerpt in made.code:
        wider = fitted._replace(code=(*fitted.code, excerpt))
        fitted = wider if _cost(wish, wider, tokenizer) <= room else fitted._replace(cut=True)
    return fitted if _cost(wish, fitted, tokenizer) <= room else None


def _cost(wish: Wish, part: Part, tokenizer: Tokenizer) -> int:
    """What a note takes in a pack, with what is between notes."""
    return tokenizer.count(forms.entry(wish.form, part._replace(cut=True))) + 1


def _pack(wish: Wish, chosen: list[Candidate], parts: list[Part], tokenizer: Tokenizer, dropped: list[Dropped]) -> Pack:
    """The last look: tokens of parts do not add up exactly. A pack that came out too long loses of its last note."""
    about = cutting.telling(wish.task)
    while True:
        text = forms.render(wish.form, parts) if parts else ""
        used = tokenizer.count(text) if text else 0
        if used <= wish.budget:
            break
        last = parts.pop()
        shorter = _fitted(wish, last, _cost(wish, last, tokenizer) - (used - wish.budget) - 1, tokenizer, about)
        if shorter and _cost(wish, shorter, tokenizer) < _cost(wish, last, tokenizer):
            parts.append(shorter._replace(cut=True))
            continue
        one = chosen.pop()
        dropped.insert(0, Dropped(one.id, one.path, one.title, NO_ROOM))
    packed = (
        Packed(one.id, one.path, one.title, part.verdicts, part.cut, _cost(wish, part, tokenizer), one.score, one.why)
        for one, part in zip(chosen, parts, strict=True)
    )
    return Pack(text, wish.budget, used, tokenizer.name, tuple(packed), tuple(dropped))
