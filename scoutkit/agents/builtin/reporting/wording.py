"""A report's first lines: its title, what the answer is in a sentence or two, and how sure that is."""

from __future__ import annotations

import re

from scoutkit.agents.builtin.ranking.confidence import band, word
from scoutkit.agents.builtin.reporting import knobs
from scoutkit.agents.builtin.reporting.evidence import sayable
from scoutkit.agents.builtin.reporting.findings import Findings
from scoutkit.agents.builtin.reporting.kinds import Kind, asked_for
from scoutkit.agents.builtin.reporting.spots import Spot
from scoutkit.agents.builtin.reporting.usage import Usage

_TITLE = 110  # characters, at most
_CLAUSE = 15  # characters of a question's first clause at least
_ASKED = 75  # of them the question's
_DESCRIPTION = 300
_REASON = 420  # where it quotes a comment
_WORD = re.compile(
    r"(?:how|why|where)\s+(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have)\b"
    r"|(?:what|which|who|whose|is|are|does|do|can|could)\b",
    re.IGNORECASE,
)  # that a question begins with
_LABEL = re.compile(r"^\W*\[[\w .:-]{1,40}\]\W*(?=\w)")  # that a message begins with: `[Vue warn]: `
_MARKUP = re.compile(r"`|[\[\]](?=[(\[:])|<(?=[A-Za-z/!?])")  # in a name: a section's may be anything
_SPELLED = re.compile(r"[`*_<>\[\]|]")


def title(found: Findings) -> str:
    """The question, and the short answer."""
    asked, answers = _asked(found), _answers(found)
    alone = asked if asked.endswith(("?", "？")) else f"{asked} {answers[-1]}"
    said = next((said for one in answers if len(said := f"{asked} {one}") <= _TITLE), alone)
    return _MARKUP.sub("", said)


def _asked(found: Findings) -> str:
    """The question where it is a short one; else its words that were found."""
    if found.kind is Kind.TRACE and found.frames:
        name = found.error[0]
        return f"{name}:" if name else "The traceback ends in"
    text = " ".join(found.question.text.split())
    if found.kind is not Kind.NAME and _WORD.match(text):
        text = text[:1].upper() + text[1:] + ("?" if text[-1] not in "?？.!。" else "")
    if found.kind is Kind.NAME:
        return f"{plain(text)}:"
    ends = re.match(r"[^?？]{3,%d}[?？]" % (_TITLE - 1), text)  # noqa: UP031 - braces
    if ends and not _SPELLED.search(ends.group().replace("_", "")):
        return ends.group()
    if len(text) <= _ASKED and not _SPELLED.search(text.replace("_", "")):
        return f"{text.rstrip('.。!:')}:"
    clause = re.split(r"[,;.:](?=\s)|\s[-–(]", _LABEL.sub("", text), maxsplit=1)[0].strip()
    if _CLAUSE <= len(clause) <= _ASKED and not _SPELLED.search(clause.replace("_", "")):
        return f"{clause}:"
    pasted = not _WORD.match(text) and any(one.text for one in found.ranking.ranges[:1])
    if pasted and (message := plain(clause, _ASKED)) and len(message) >= _CLAUSE:
        return f"{message}:"
    return f"{_topic(found)}:"


def _topic(found: Findings) -> str:
    """The question's words that say most about the best ranges, in its order."""
    there = {term for one in found.ranking.ranges[:3] for term in one.terms}
    rank = {term: at for at, term in enumerate(found.ranking.rare) if term in there}
    best: dict[str, str] = {}  # by term, so that `match` and `matches` are one
    for one in dict.fromkeys(one for phrase in found.question.phrases for one in phrase):
        if known := [term for term in found.question.said.get(one, ()) if term in rank]:
            best.setdefault(known[-1], one)
    chosen = {best[term] for term in sorted(best, key=lambda term: rank[term])[:5]}
    said: list[str] = []
    for phrase in found.question.phrases:
        if kept := [one for one in phrase if one in chosen]:
            chosen -= set(kept)
            said.append(" ".join(kept))
    topic = plain(", ".join(said), _ASKED) or "What was asked"
    return topic if topic.split(" ", 1)[0] in found.question.names else topic[:1].upper() + topic[1:]


def _answers(found: Findings) -> list[str]:
    """Longer ones first."""
    if found.kind in (Kind.CALLS, Kind.BREAKS) and found.usages:
        used = found.usages[0]
        if not used.files:
            return [f"nothing uses {used.name}", "nothing does"]
        inside = used_in(used, tests=False)
        return [f"{used.name} is used in {inside}", inside]
    if found.kind is Kind.CONFIG and found.settings and found.settings[0].cited.path:
        first = found.settings[0]
        name = f"{first.owner}.{first.name}" if first.owner else first.name
        return [f"{name} in {first.cited.path}", name, first.name]
    if found.kind is Kind.TRACE and found.frames:
        last = found.frames[-1]
        name = last.node.name if last.node else ""
        return [f"{name} in {last.cited.path}", name or last.cited.path] if name else [last.cited.path]
    path = found.spots[0].cited.path
    places = [
        spot.place
        for spot in found.spots[: 1 if found.exact else 3]
        if spot.cited.path == path and spot.place.qualified
    ]
    places = [one for one in places if not any(other.qualified.startswith(f"{one.qualified}.") for other in places)]
    perhaps = "Perhaps " if sure(found) == "low" and not found.exact else ""
    qualified = list(dict.fromkeys(one.qualified for one in places))
    names = [" and ".join(qualified[:most]) for most in (2, 1) if len(qualified) >= most]
    names += [places[0].name] if places else []
    file = path.rpartition("/")[2]
    return (
        [f"{perhaps}{name} in {path}" for name in names]
        + [f"{perhaps}{name} in {file}" for name in names]
        + [f"{perhaps}{path}", file]
    )


def description(found: Findings) -> str:
    """The answer in a sentence or two, and one word for how sure it is: no more than a list of notes shows."""
    absent = missing(found)
    warned = f"Nowhere in this code: {', '.join(absent[:6])}; what follows fits only the rest of the question. "
    worth = "" if found.exact or found.frames else f"; confidence {sure(found)}"
    tries = [f"{warned if _half(found) else ''}{_first(found, more)}{worth}." for more in (2, 1, 0)]
    most = _REASON if found.reasons else _DESCRIPTION
    return next((one for one in tries if len(one) <= most), tries[-1])


def missing(found: Findings) -> list[str]:
    """Words of the question that are nowhere, but for those that only ask, and those that the setting which answers has
    in another spelling."""
    first = found.settings[0] if found.kind is Kind.CONFIG and found.settings else None
    told = f"{first.name} {first.said}".lower() if first else ""
    there = {word for word, near in found.meant.items() if near in told}
    return [plain(kept) for one in found.ranking.absent if one not in there and (kept := asked_for(one))]


def _half(found: Findings) -> bool:
    """Is half of the question nowhere in the code?"""
    absent = missing(found)
    return bool(absent) and 2 * len(absent) >= _said(found)


def _said(found: Findings) -> int:
    """How many words of the question say what it is about."""
    return sum(bool(asked_for(one)) for one in found.question.said)


def _first(found: Findings, more: int) -> str:
    if found.kind is Kind.TRACE and found.frames:
        last = found.frames[-1]
        name = f"`{last.node.last}`" if last.node and "`" not in last.node.last else "the file's own level"
        said = f" (“{found.error[1]}”)" if found.error[1] else ""
        text = "" if name == f"`{last.cited.name}`" else f" (`{last.cited.name}`)"
        comes = "comes through" if last.deeper else "comes from"
        below = ", which called what was not found here" if last.deeper else ""
        return f"{found.error[0] or 'It'}{said} {comes} {name}, at {last.cited.place}{text}{below}"
    if found.kind in (Kind.CALLS, Kind.BREAKS) and found.usages:
        used = found.usages[0]
        if not used.files:
            return f"Nothing uses {defined(used)}, as far as names tell"
        return f"{defined(used)}, is used in {used_in(used)}"
    if found.kind is Kind.CONFIG and found.settings:
        first, *other = found.settings
        kind = "" if first.kind == "value" else f" ({first.kind})"
        means = f" (`{first.means}`)" if first.means else ""
        value = f", `{first.default}`{means} by default" if first.default else ""
        also = (
            f". Also {_list([f'{one.shown}{one.of} at {one.place}' for one in other[:more]])}" if other[:more] else ""
        )
        wanted = knobs.wanted_kind(found.question.text)
        none = f"No {wanted} that fits was found; perhaps " if wanted and first.kind != wanted else ""
        said = f": {first.said}" if first.said else ""
        return f"{none}{first.shown}{first.of}{kind} at {first.place}{value}{said}{also}"
    if found.reasons and found.reasons[0].sure:
        why = found.reasons[0]
        also = f". The code: {_list([_called(spot) for spot in found.spots[:more]])}" if more else ""
        return f"`{why.cited.name}` at {why.cited.place}{f': {why.text}' if why.sayable else ' gives the reason'}{also}"
    first_spot, *others = found.spots
    also = f". Also {_list([_called(spot) for spot in others[:more]])}" if others[:more] else ""
    return f"{_called(first_spot)}{f': {first_spot.said}' if first_spot.said else ''}{also}".replace("….", "…")


def _called(spot: Spot) -> str:
    return f"`{spot.cited.name}` at {spot.cited.place}"


def defined(usage: Usage) -> str:
    """What is used, and where that is defined."""
    if usage.cited:
        return f"`{usage.cited.name}`, defined at {usage.cited.place}"
    return f"`{usage.name}`, which this code does not define"


def used_in(usage: Usage, *, tests: bool = True) -> str:
    """In how many places of how many files; what tests do is counted by itself, or with `tests` False not at all."""
    source = [one for one in usage.files if not one.test]
    places = sum(len(one.lines) for one in source)
    where = f"{count(places, 'place')} of {count(len(source), 'file')}" if source else "no file but tests"
    if not tests or len(source) == len(usage.files):
        return where
    more = count(usage.count - places, "place")
    return f"{where} and in {more} of {count(len(usage.files) - len(source), 'test file')}"


def _list(said: list[str]) -> str:
    return " and ".join(said)


def confidence(found: Findings) -> str:
    """What such a lead was worth when it was measured, and words of the question that no file has."""
    words = missing(found)
    absent = f" Nowhere in this code: {', '.join(words[:12])}." if words and not _half(found) else ""
    if found.frames and found.frames[-1].elsewhere:
        last = found.frames[-1]
        return (
            f"Confidence: the frame says `{last.cited.name}`, which is at {last.cited.place} here; "
            f"its line is of another version.{absent}"
        )
    if found.frames:
        return f"Confidence: the traceback itself names the place.{absent}"
    if found.exact and found.usages and found.usages[0].cited is None:
        name = found.usages[0].node.last
        return f"Confidence: every line with `{name}` was looked at; no definition of it is here.{absent}"
    if found.exact and found.spots:
        return f"Confidence: the question names `{found.spots[0].cited.name}`, which is defined once.{absent}"
    margin = found.ranking.margin
    worth = band(margin)
    half = ", for half of the question is nowhere in the code" if _half(found) and worth.word != "low" else ""
    times = f"{margin:.1f} times the score of the next" if margin < 10 else "nothing else comes near"
    return (
        f"Confidence: {sure(found)}{half}. The best file has {worth.lead} ({times}); of 100 measured questions with "
        f"such a lead it was right for {worth.first}, and one of the first five files for {worth.five}.{absent}"
    )


def sure(found: Findings) -> str:
    """`high`, `medium` or `low`."""
    ranking = found.ranking
    return word(ranking.margin, files=len(ranking.files), said=_said(found), absent=len(missing(found)))


def plain(text: str, most: int = 60) -> str:
    """Words of the question, as text."""
    kept = "".join(one for one in text if one.isprintable() and one not in "`*<>[]|")
    kept = kept if len(kept) <= most else kept[:most].rsplit(" ", 1)[0].rstrip(" ,")
    return kept if sayable(kept) or not kept.strip() else re.sub(r"[:/#\\]", " ", kept)


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
