"""How often a place is the right one: what speaks for it as one number."""

from __future__ import annotations

from scoutkit.anchors.guess import Found, Guess, Lines

_LEAST = 0.3  # below it, a place is none
_LEAST_ELSEWHERE = 0.55  # the same, in a file that never had the lines
SURE = 0.8  # from here on, the commits between are not asked
GUESS = 0.4  # below it, a place is a guess, and none is made
CLEAR = 0.1  # by how much the best must beat the next


def of(guess: Guess, lines: Lines) -> float:
    """The share of such places that are right, 0 to 1."""
    elsewhere = guess.how.startswith("other")
    if guess.kept and guess.how in ("diff", "renamed diff"):
        value = 0.99 if lines.weight >= 8 or guess.context > 0.3 else 0.5 + 0.4 * guess.context
        if not guess.agreed:
            value = 0.5 + 0.3 * guess.context
    elif guess.kept and guess.how.endswith("layout"):
        value = 0.97
    elif guess.kept:
        value = 0.6 + 0.25 * guess.context + 0.1 * min(lines.weight / 40, 1) - 0.2 * (guess.others > 0)
    else:
        value = 0.35 + 0.45 * guess.survived + 0.15 * guess.context
        value -= 0.2 * (2 - guess.edges) / 2
        if lines.end == lines.start:
            value -= 0.25 * (1 - guess.survived)  # of one line that became another, nothing else speaks
        if guess.how.endswith("part"):
            value += 0.05 + 0.05 * guess.agreed
        if guess.how.endswith(("gap", "words")):
            value -= 0.25
    if elsewhere:
        value -= 0.4 * (1 - min(lines.weight / 120, 1)) * (1 - guess.context)
    return max(0.0, min(value - (0.3 if guess.behind > 0.05 else 0.0), 0.99))


def remembered(guess: Guess) -> float:
    """The same, of a place that was found by fingerprints alone."""
    if guess.kept:
        return min(0.55 + 0.44 * guess.context, 0.99)
    return 0.2 + 0.4 * guess.survived + 0.2 * guess.context + 0.05 * guess.edges


def least(guess: Guess) -> float:
    """The score below which a place is none."""
    return _LEAST_ELSEWHERE if guess.how.startswith("other") else _LEAST


def gone(*, cut: bool) -> float:
    """How sure it is that lines are gone, when no place is good enough; `cut`: they were taken out, and nothing put in
    their place."""
    return 0.93 if cut else 0.75


def clear(found: Found) -> bool:
    """Is an answer so sure that the commits between need not be looked at?"""
    return found.score >= SURE and not found.ambiguous
