"""The birth check of a note about other people's repositories: which source a reference means, and what stands there.

`name@sha:path:lines` says it. A path without that is looked for in all sources: one that a single source has is meant.
The citations that come of it all say `name@sha:path`, with the whole commit.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoutkit.config import NOTES
from scoutkit.knowledge import verify
from scoutkit.knowledge.citations import Reference
from scoutkit.knowledge.files import Files
from scoutkit.knowledge.verify import Checked
from scoutkit.model import pinned
from scoutkit.model.notes import Citation, Verdict
from scoutkit.model.pinned import Pinned
from scoutkit.snapshot import Snapshot

FOLDER = "sources"  # beside where the agent works; each source is a folder in it
_AWAY = "its source is not here any more"


def check(
    references: Sequence[Reference], sources: Mapping[Pinned, Snapshot | None], *, notes: str = NOTES
) -> list[Checked]:
    """A verdict for each reference, in order, as `verify.check` gives them. None: a source that is not here."""
    files = {one: Files(snapshot, notes) for one, snapshot in sources.items() if snapshot}
    found: dict[int, Checked] = {}
    routed: dict[Pinned, list[tuple[int, Reference]]] = {}
    for number, reference in enumerate(references):
        to = _route(reference, list(sources), files)
        if isinstance(to, str):
            if reference.sure:
                found[number] = _wrong(reference, to)
        else:
            routed.setdefault(to[0], []).append((number, to[1]))
    for source, group in routed.items():
        snapshot = sources[source]
        if snapshot is None:
            found |= {number: _away(references[number], bare, source) for number, bare in group}
            continue
        numbers = {id(bare): number for number, bare in group}
        for one in verify.check([bare for _, bare in group], snapshot, notes=notes):
            number = numbers[id(one.reference)]
            citation = _at(one.citation, source)
            written = references[number].path
            if citation.verdict is Verdict.WRONG and not (pinned.read(written) or files[source].has(one.citation.path)):
                citation = replace(citation, path=written)
            found[number] = replace(one, citation=citation, reference=references[number])
    return [found[number] for number in sorted(found)]


def _route(
    reference: Reference, sources: Sequence[Pinned], files: Mapping[Pinned, Files]
) -> tuple[Pinned, Reference] | str:
    """The source that a reference means and the reference without it; else why it is none."""
    if place := pinned.read(reference.path):
        named = [one for one in sources if one.name == place.name]
        source = next((one for one in named if one.commit.startswith(place.commit)), None)
        if source:
            return source, replace(reference, path=posixpath.normpath(place.path), also=())
        if named:
            return f"{place.name} was shown at {named[0].commit[:12]}, not at {place.commit[:12]}"
        return f"no source is called {place.name}: there is {', '.join(one.name for one in sources)}"
    readings = list(dict.fromkeys((reference.path, *reference.also)))
    for reading in readings:
        shown = reading.removeprefix("../").removeprefix(f"{FOLDER}/")
        name, _, rest = shown.partition("/")
        source = next((one for one in sources if one.name == name), None)
        if source and rest and (shown != reading or not _having((reading,), files)):
            return source, replace(reference, path=rest, also=())
    having = _having(readings, files)
    if len(having) > 1:
        exact = [one for one in having if files[one].has(reference.path)]
        having = exact if len(exact) == 1 else having
    if len(having) == 1 or len(sources) == 1:
        return (having or list(sources))[0], replace(reference)
    if having:
        return f"several sources have such a file: {', '.join(one.name for one in having)}"
    return "no source has such a file"


def _having(readings: Sequence[str], files: Mapping[Pinned, Files]) -> list[Pinned]:
    """The sources that have a file which a path means, or more than one."""
    found = {one: of.find(readings) for one, of in files.items()}
    return [one for one, file in found.items() if file.path or file.several]


def _at(citation: Citation, source: Pinned) -> Citation:
    was = f"{source.prefix}{citation.was}" if citation.was else ""
    return replace(citation, path=f"{source.prefix}{citation.path}", was=was)


def _wrong(reference: Reference, why: str) -> Checked:
    citation = Citation(reference.path, reference.start, reference.end, Verdict.WRONG, reference.symbol)
    return Checked(citation, reference, why)


def _away(reference: Reference, bare: Reference, source: Pinned) -> Checked:
    if not 1 <= bare.start <= bare.end:
        return _wrong(reference, _AWAY)
    citation = Citation(f"{source.prefix}{bare.path}", bare.start, bare.end, Verdict.UNSUPPORTED)
    return Checked(citation, reference, _AWAY)
