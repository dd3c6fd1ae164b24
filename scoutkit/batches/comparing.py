"""What several agents found on one question, side by side: a note made from the places that their notes cite.

It compares places, not claims: whether two agents say the same of a place is for a person to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scoutkit import __version__
from scoutkit.model.missions import Mission
from scoutkit.model.notes import Anchor, Citation, Note, Verdict

_SHOWN = 100  # characters of a question in a title
TAG = "comparison"


@dataclass(frozen=True, slots=True)
class Opinion:
    """An agent, as it was named, and its note. `citations` are the note's, at the commit that is compared."""

    agent: str
    note: Note
    citations: tuple[Citation, ...]

    @property
    def places(self) -> list[Citation]:
        """What it cites that is there."""
        return [one for one in self.citations if one.verdict is not Verdict.WRONG]


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file that hang together by overlapping, and who cites which of them."""

    cited: tuple[tuple[Citation, str], ...]  # in order of their lines

    @property
    def agents(self) -> tuple[str, ...]:
        """Who cites something of it."""
        return tuple(dict.fromkeys(agent for _, agent in self.cited))

    @property
    def path(self) -> str:
        """The file."""
        return self.cited[0][0].path


@dataclass(frozen=True, slots=True)
class Comparison:
    """Places that several cite, places that one alone cites, and citations that were wrong."""

    agreed: tuple[Place, ...]
    alone: tuple[tuple[Citation, str], ...]
    wrong: tuple[tuple[Citation, str], ...]
    files: dict[str, tuple[str, ...]]  # who cites something of a file


def compare(opinions: Sequence[Opinion]) -> Comparison:
    """Lines that overlap lines of another agent are agreed on; a file without lines is a place of its own."""
    cited = [(one, opinion.agent) for opinion in opinions for one in opinion.places]
    files: dict[str, dict[str, None]] = {}
    for one, agent in cited:
        files.setdefault(one.path, {})[agent] = None
    shared: list[tuple[Citation, str]] = []
    alone: list[tuple[Citation, str]] = []
    for one, agent in cited:
        others = (other for other, who in cited if who != agent)
        (shared if any(_overlap(one, other) for other in others) else alone).append((one, agent))
    return Comparison(
        agreed=tuple(_places(shared)),
        alone=tuple(alone),
        wrong=tuple(
            (one, opinion.agent) for opinion in opinions for one in opinion.citations if one.verdict is Verdict.WRONG
        ),
        files={path: tuple(agents) for path, agents in files.items()},
    )


def note(
    opinions: Sequence[Opinion],
    mission: Mission,
    anchors: Sequence[Anchor],
    *,
    id: str,  # noqa: A002 - the note's own word
    at: str,
    tags: Sequence[str],
) -> Note:
    """The comparison as a note. Its citations are all that the agents' notes cite and that is there."""
    found = compare(opinions)
    names = _listed([one.agent for one in opinions])
    asked = " ".join(mission.text.split())
    title = f"{names} on: {asked if len(asked) <= _SHOWN else asked[: _SHOWN - 1] + '…'}"
    counts = _counts(found, opinions)
    places = {(one.path, one.start, one.end): one for opinion in opinions for one in opinion.places}
    return Note(
        id=id,
        title=title,
        description=f"What {names} found, side by side. {counts}",
        body="\n\n".join([f"# {title}", *_body(found, opinions, counts)]) + "\n",
        type="note",
        tags=tuple(dict.fromkeys((*tags, TAG))),
        commit=mission.base,
        by=f"scoutkit/{__version__}",
        at=at,
        citations=tuple(places.values()),
        anchors=tuple(anchors),
        sources=mission.sources,
    )


def _overlap(one: Citation, other: Citation) -> bool:
    if one.path != other.path:
        return False
    return (one.start == other.start == 0) or (one.start <= other.end and other.start <= one.end)


def _places(cited: Iterable[tuple[Citation, str]]) -> list[Place]:
    places: list[list[tuple[Citation, str]]] = []
    end = 0
    for one, agent in sorted(cited, key=lambda pair: (pair[0].path, pair[0].start, pair[0].end)):
        if places and places[-1][0][0].path == one.path and one.start <= end:
            places[-1].append((one, agent))
            end = max(end, one.end)
        else:
            places.append([(one, agent)])
            end = one.end
    return [Place(tuple(place)) for place in places]


def _counts(found: Comparison, opinions: Sequence[Opinion]) -> str:
    both = "Both" if len(opinions) == 2 else "Several"
    said = [f"{both} cite {_number(len(found.agreed), 'place')}"]
    for name in (one.agent for one in opinions):
        said += [f"{name} alone {_number(sum(who == name for _, who in found.alone), 'place')}"]
    shared = sum(len(agents) > 1 for agents in found.files.values())
    return f"{'; '.join(said)}. Of {_number(len(found.files), 'file')} that they cite {shared} in common."


def _body(found: Comparison, opinions: Sequence[Opinion], counts: str) -> list[str]:
    yielded = [
        f"{counts} Places are compared, not what is said of them: that is in the notes.",
        "## What each found",
        "\n".join(
            f"- {one.agent}, note `{one.note.id}`: {_line(one.note.title)}"
            + (f". {_line(one.note.description)}" if one.note.description else "")
            for one in opinions
        ),
        "## Where they agree",
        "\n".join(f"- {_place(place)}" for place in found.agreed) or "They cite no lines in common.",
    ]
    for opinion in opinions:
        mine = [one for one, agent in found.alone if agent == opinion.agent]
        rows = [f"- {_cited(one)}{_beside(one, opinion.agent, found)}" for one in mine]
        yielded += [f"## Only {opinion.agent}", "\n".join(rows) or "Nothing that no other cites."]
    if found.wrong:
        rows = [f"- {agent}: {_quoted(one.at)}" for one, agent in found.wrong]
        yielded += ["## Cited and not there", "\n".join(rows)]
    return yielded


def _place(place: Place) -> str:
    """`a.py:1-9` (`name`): claude, codex; or each with its own lines."""
    rows: dict[tuple[int, int], tuple[Citation, list[str]]] = {}
    for one, agent in place.cited:
        rows.setdefault((one.start, one.end), (one, []))[1].append(agent)
    return "; ".join(f"{_cited(one)} {_listed(dict.fromkeys(agents))}" for one, agents in rows.values())


def _cited(one: Citation) -> str:
    return _quoted(one.at) + (f" ({_quoted(one.symbol)})" if one.symbol else "")


def _beside(one: Citation, agent: str, found: Comparison) -> str:
    others = [who for who in found.files[one.path] if who != agent]
    return f": {_listed(others)} {'cites' if len(others) == 1 else 'cite'} other lines of this file" if others else ""


def _quoted(text: str) -> str:
    return f"`{text}`" if "`" not in text else text


def _line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
