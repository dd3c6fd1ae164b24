"""The report, from findings: Markdown whose every citation names something that its lines hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scoutkit.agents.builtin.around import Link
from scoutkit.agents.builtin.confidence import band
from scoutkit.agents.builtin.findings import Findings, Spot
from scoutkit.symbols import language_of

_TITLE = 110  # characters, at most
_WHY = {"huge": "too large", "pointer": "kept outside git", "missing": "not in this clone"}


def write(found: Findings) -> str:
    """The report as Markdown."""
    parts = _answered(found) if found.spots else _unanswered(found)
    return "\n\n".join([*parts, "## What this does not tell", *_untold(found)]) + "\n"


def _answered(found: Findings) -> Iterator[str]:
    yield f"# {_title(found)}"
    yield _description(found)
    yield "## Start here"
    for spot in found.spots:
        yield _spot(spot)
    if lines := list(_together(found)):
        yield "## How it hangs together"
        yield "\n".join(lines)
    if found.tests or found.documents:
        yield "## Tests and docs"
        yield "\n".join([*map(_beside, found.tests), *map(_beside, found.documents)])
    if found.settings:
        yield "## Settings"
        yield "\n".join(f"- `{cited.name}` is read at {cited.place}" for cited in found.settings)
    if found.commits:
        yield "## Recent changes"
        yield f"Of `{found.changed[0]}`:"
        rows = (f"{one.when[:10]}  {one.id[:9]}  {' '.join(one.subject.split())[:100]}" for one in found.commits)
        yield _fenced(list(rows), "text", "")


def _title(found: Findings) -> str:
    """What was asked about, in the question's words that were found, and where."""
    path = found.spots[0].cited.path
    places = [spot.place for spot in found.spots[:4] if spot.cited.path == path and spot.place.qualified]
    places = [one for one in places if not any(other.qualified.startswith(f"{one.qualified}.") for other in places)]
    topic = _topic(found)
    titles = [
        f"{topic}: {' and '.join(names)} in {path}"
        for count in (2, 1)
        for names in ([one.qualified for one in places[:count]], [one.name for one in places[:count]])
        if names
    ]
    return next((title for title in titles if len(title) <= _TITLE), f"{topic}: {path}")


def _topic(found: Findings) -> str:
    """The question's words that say most about the best ranges, in its order."""
    there = {term for one in found.ranking.ranges[:3] for term in one.terms}
    rank = {term: at for at, term in enumerate(found.ranking.rare) if term in there}
    best: dict[str, str] = {}  # by term, so that `match` and `matches` are one
    for word in dict.fromkeys(word for phrase in found.question.phrases for word in phrase):
        if known := [term for term in found.question.said[word] if term in rank]:
            best.setdefault(known[-1], word)
    chosen = {best[term] for term in sorted(best, key=lambda term: rank[term])[:4]}
    said: list[str] = []
    for phrase in found.question.phrases:
        if kept := [word for word in phrase if word in chosen]:
            chosen -= set(kept)
            said.append(" ".join(kept))
    topic = ", ".join(said)
    return topic if topic.split(" ", 1)[0] in found.question.names else topic[:1].upper() + topic[1:]


def _description(found: Findings) -> str:
    first = found.spots[0]
    said = f": {first.said}" if first.said else ""
    margin = found.ranking.margin
    worth = band(margin)
    times = f"{margin:.1f} times the score of the next" if margin < 10 else "nothing else comes near"
    absent = [_plain(word) for word in found.ranking.absent]
    warned = f"Nowhere in this code: {', '.join(absent[:6])}; what follows fits only the rest of the question. "
    return (warned if 2 * len(absent) >= len(found.question.said) else "") + (
        f"Of {found.files:,} files, `{first.cited.name}` ({first.cited.place}) fits best{said}. Its file has "
        f"{worth.lead} ({times}): with such a lead the first file was right for {worth.first} of 100 measured "
        f"questions, and one of the first five for {worth.five}."
    )


def _spot(spot: Spot) -> str:
    why = f" — {spot.said}" if spot.said else " — its name" if not spot.held else ""
    held = f"{';' if spot.said else ' —'} {_holds(spot.held)}" if spot.held else ""
    more = [f"… {spot.left} more lines"] if spot.left else []
    code = _fenced([*spot.excerpt, *more], language_of(spot.cited.path) or "", "  ")
    return f"- {spot.cited.place} `{spot.cited.name}`{why}{held}\n\n{code}"


def _holds(words: Sequence[str]) -> str:
    return f"holds {', '.join(f'`{word}`' for word in words)}"


def _fenced(lines: Sequence[str], language: str, indent: str) -> str:
    ticks = "`" * max([3, *(len(run) + 1 for line in lines for run in re.findall(r"`{3,}", line))])
    return "\n".join(f"{indent}{line}".rstrip() for line in (f"{ticks}{language}", *lines, ticks))


def _together(found: Findings) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    for one in found.calls:
        name = one.name.rpartition(".")[2]
        for link in one.callers:
            if (pair := (link.name.rpartition(".")[2], name)) not in seen:
                seen.add(pair)
                yield f"- {_named(link.name)} calls `{link.cited.name}`{_by_name(link)}: {link.cited.place}"
        for link in one.callees:
            if (pair := (name, link.cited.name)) not in seen:
                seen.add(pair)
                yield f"- {_named(one.name)} calls `{link.cited.name}`{_by_name(link)}, defined at {link.cited.place}"


def _named(name: str) -> str:
    return f"`{name}`" if name and "`" not in name and name.isprintable() else "The file's own level"


def _by_name(link: Link) -> str:
    return "" if link.sure else " (by name: several share it)"


def _beside(link: Link) -> str:
    if not link.name:
        return f"- {link.cited.place} `{link.cited.name}`" + (f" — {_holds(link.held)}" if link.held else "")
    return f"- {_named(link.name)} uses `{link.cited.name}`: {link.cited.place}"


def _unanswered(found: Findings) -> Iterator[str]:
    words = ", ".join(map(_plain, [*(found.ranking.absent or found.question.said)][:6]))
    if not found.files:
        yield "# The commit has no files to look at"
        yield "Nothing can be said about the code: this commit holds no file, or none that was checked out."
        return
    if words:
        yield f"# Nothing in this code matches: {words}"
        yield f"None of the {found.files:,} files holds these words in a place that could answer the question."
    else:
        yield "# The question says too little to find a place in the code"
        yield f"It has no word that tells one place in the {found.files:,} files from another."
    if found.instead:
        yield "## Where to begin instead"
        yield "\n".join(f"- {cited.place} `{cited.name}`" for cited in found.instead)


def _untold(found: Findings) -> Iterator[str]:
    """Facts only."""
    told = []
    if found.ranking.absent:
        listed = ", ".join(_plain(word) for word in found.ranking.absent[:12])
        told.append(f"Words of the question that are nowhere in the code: {listed}.")
    if found.spots and band(found.ranking.margin).word == "low":
        told.append("The best file is hardly ahead of the second: the answer may be spread out, or elsewhere.")
    for why, (count, *some) in found.unread.items():
        if count and why in _WHY:
            listed = ", ".join(f"`{path}`" for path in some[:3] if "`" not in path and path.isprintable())
            told.append(f"Not read ({_WHY[why]}): {count} files, for instance {listed}.")
    if found.cut_off:
        told.append("The history is not all here (a shallow or partial clone): older changes are not seen.")
    if found.languages:
        most = sorted(found.languages.items(), key=lambda item: -item[1])[:5]
        told.append(f"Read as plain text: {', '.join(f'{name} ({count:,})' for name, count in most)}.")
    told.append("Who calls whom is told by name from the code as written; what is called in other ways is not seen.")
    yield "\n".join(f"- {line}" for line in told)


def _plain(word: str) -> str:
    """A word of the question, as text."""
    return "".join(character for character in word if character.isprintable())[:40]
