"""Answers in two forms, text and data, each within a budget of tokens: client programs hand their model one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoutkit.reuse import tokens
from scoutkit.serving.tools import NOTICE

USUAL = 8_000
_ANY = 10**9 - 1  # stands for counts while their answer is measured: no count is longer


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gives: the text, and the same as data, with what it took."""

    text: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer that was not measured yet. `dropped` is what it leaves out."""

    text: str
    data: Mapping[str, Any]
    dropped: int = 0


class Budget:
    """So many tokens, as `tokenizer` counts them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._measured: tuple[Draft | None, int] = (None, 0)

    @cached_property
    def _tokenizer(self) -> tokens.Tokenizer:
        return tokens.tokenizer()

    def within(self, wanted: int | None) -> Budget:
        """The same, or the smaller one that was asked for."""
        if wanted is None or wanted >= self.most:
            return self
        smaller = Budget(wanted)
        smaller.__dict__["_tokenizer"] = self._tokenizer
        return smaller

    def used(self, draft: Draft) -> int:
        """Tokens of its longer form, with all that `answer` adds."""
        if self._measured[0] is not draft:
            data = json.dumps(self._data(draft, _ANY), ensure_ascii=False, separators=(",", ":"))
            self._measured = draft, max(self._tokenizer.count(data), self._tokenizer.count(self._text(draft, _ANY)))
        return self._measured[1]

    def fits(self, draft: Draft) -> bool:
        """Is it within the budget?"""
        return self.used(draft) <= self.most

    def answer(self, draft: Draft) -> Answer:
        """As it goes out."""
        used = self.used(draft)
        return Answer(self._text(draft, used), self._data(draft, used))

    def largest(self, most: int, make: Callable[[int], Draft]) -> Draft:
        """The draft with the most of something, from 0 to `most`, that fits; with none of it if nothing does.

        `make(n)` grows with n.
        """
        whole = make(most)
        if self.fits(whole):
            return whole
        low, high = 0, most  # `low` fits or is 0, `high` does not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.fits(make(middle)) else (low, middle)
        return make(low)

    def _text(self, draft: Draft, used: int) -> str:
        return f"{NOTICE}\n\n{draft.text}\n\n[budget_used {used} of {self.most}, dropped_count {draft.dropped}]"

    def _data(self, draft: Draft, used: int) -> dict[str, Any]:
        spent = {"budget": self.most, "budget_used": used, "dropped_count": draft.dropped}
        return {"notice": NOTICE, **spent, **draft.data}
