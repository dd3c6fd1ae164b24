"""What is around the lines that answer: who calls them, what they call, tests that use them, settings they read. All by
name: the code is read, not run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from scoutkit import symbols
from scoutkit.agents.builtin import terms
from scoutkit.agents.builtin.evidence import Cited, cite, holds
from scoutkit.agents.builtin.index import Index
from scoutkit.agents.builtin.paths import Role, role_of
from scoutkit.agents.builtin.segment import Place
from scoutkit.git import Snapshot

MANY = 8  # a name defined more often than this says nothing about who calls whom
_FILES = 12  # are read for one name
_COMMON = 15  # files that use a name of general use
_NOISE = frozenset(
    re.findall(
        r"\w+",
        """
    add any append apply as_path as_ref as_str assert begin bind __call__ call callback cast cb clear clone close
    collect concat constructor copy count create debug decode default delete done dup each emit empty encode end
    __enter__ equal equals error exec __exit__ exit expect extend filter find first flatten flush fn forEach format
    freeze from func get handle has hash id include includes index info __init__ init initialize inject insert into
    is item items iter join key keys last len length list load lock log main map match max merge min name __new__
    new next nil ok open parse path peek pop print push put raise read reduce register release remove render replace
    require reset resolve respond_to run save select send set setup size slice sort split start stop str string sum
    super sync tap test text then to_path to_s to_string toString trigger type unlock unwrap update use value values
    wait warn with write""",
    )
)
_TYPES = frozenset({"class", "struct", "interface", "enum", "trait", "impl", "type"})
_SETTING = re.compile(
    r"""(?:environ(?:\.get)?[\[(]\s*|[gG]etenv\(\s*|LookupEnv\(\s*|process\.env\.|env::var\(\s*|ENV(?:\.fetch)?[\[(]\s*)"""
    r"""["']?([A-Z][A-Z0-9_]{2,})"""
    r"""|[Cc]onfig(?:uration)?(?:\.get\w*)?[\[(]\s*["']([\w.-]{3,60})["']"""
    r"""|[Ff]lags\(\)\.\w+\([^"]{0,60}"([a-z][\w-]{1,40})\""""
    r"""|\bsettings\.([A-Za-z_]\w{2,40})\b(?!\()"""
    r"""|["'](--[a-z][a-z0-9-]{2,40})["']"""
)
_IMPORT = re.compile(r"\s*(?:import\b|from\s.*\bimport\b|use\s|#\s*include|(?:const|let|var)\b.*\brequire\()")


@dataclass(frozen=True, slots=True)
class Link:
    """`name` of one place has to do with another: `cited`. `sure` is False where several definitions share the name
    that was looked for."""

    name: str
    cited: Cited
    sure: bool = True
    held: tuple[str, ...] = ()  # the question's words, as the lines have them


def telling(index: Index, name: str) -> int:
    """How many definitions a name has; 0 for one that says nothing."""
    if len(name) < 3 or name.strip("?!") in _NOISE or not re.fullmatch(r"[^\W\d]\w*[?!]?", name):
        return 0
    found = len(index.defined(name))
    return found if found <= MANY else 0


def mentions(index: Index, name: str) -> list[str]:
    """Paths of files in which a name is used or defined, in the tree's order."""
    term = terms.whole(name)
    files = {
        index.file_bases[posting.piece] + file
        for posting in (index.postings(term) if term else ())
        for file in posting.files
    }
    return [index.paths[number] for number in sorted(n for file in files for n in index.paths_of.get(file, ()))]


def callers(index: Index, snapshot: Snapshot, path: str, place: Place, *, most: int) -> Iterator[Link]:
    """The definitions that call what is defined at a place, source files first, the nearest first; each once."""
    known = telling(index, place.name)
    if not known or (known > 1 and place.kind in _TYPES):
        return
    files = [other for other in mentions(index, place.name) if role_of(other) not in (Role.TEST, Role.FIXTURE)]
    if known > 1:  # then it is the one close by that is meant
        files = [other for other in files if other.rpartition("/")[0] == path.rpartition("/")[0]]
    said = 0
    for other in _nearest(files, path):
        text = snapshot.text(other)
        if text is None or place.name not in text:
            continue
        seen: set[str] = set()
        for call in symbols.calls(other, text):
            inside = other == path and place.start <= call.line <= place.end
            if call.name != place.name or inside:
                continue
            holder = symbols.enclosing(other, text, call.line, call.line)
            cited = cite(snapshot, other, call.line, call.line, [place.name])
            if holder in seen or cited is None or cited.name != place.name:
                continue
            seen.add(holder)
            yield Link(holder, cited, known == 1)
            said += 1
            if said >= most:
                return


def callees(
    index: Index, snapshot: Snapshot, path: str, place: Place, asked: Collection[str], *, most: int
) -> list[Link]:
    """The definitions in this tree of what a place calls: first those that have to do with what was asked, last those
    that many files use. A name with several definitions counts only where one is close by."""
    text = snapshot.text(path) or ""
    names = dict.fromkeys(call.name for call in symbols.calls(path, text, place.start, place.end))
    found: list[tuple[bool, bool, bool, Link]] = []
    for name in list(names)[:60]:
        known = telling(index, name) if name != place.name else 0
        defined = _definition(index, name, path) if known else None
        if defined is None or (defined[0] == path and place.start <= defined[1].start <= place.end):
            continue
        near = defined[0] == path or defined[0].rpartition("/")[0] == path.rpartition("/")[0]
        cited = cite(snapshot, defined[0], defined[1].start, defined[1].end, [name])
        if cited and cited.name == name and (known == 1 or near):
            link = Link(defined[1].qualified, cited, known == 1)
            far = defined[0].split("/")[0] != path.split("/")[0]
            found.append((not asked_for(name, asked), far, len(mentions(index, name)) > _COMMON, link))
    kept = [one for one in sorted(found, key=lambda one: one[:3]) if not (one[0] and (one[1] or not one[3].sure))]
    return [link for *_, link in kept[:most]]


def asked_for(name: str, asked: Collection[str]) -> bool:
    """Does a name hold a term that was asked for?"""
    return any(term in asked for word in terms.raw(name.replace("-", " ")) for term in terms.expand(word))


def _definition(index: Index, name: str, near: str) -> tuple[str, Place] | None:
    """Where a name is defined, outside tests, the nearest file first."""
    found: dict[str, Place] = {}
    for chunk in index.defined(name):
        file = index.file_of(chunk)
        places, at = index.places(file), chunk - index.first_chunk(file)
        for number in index.paths_of.get(file, [])[:1]:
            if role_of(index.paths[number]) is not Role.TEST:
                found.setdefault(index.paths[number], places[at])
    first = next(iter(_nearest(list(found), near)), None)
    return (first, found[first]) if first else None


def users(index: Index, snapshot: Snapshot, names: Sequence[str], role: Role, *, most: int) -> list[Link]:
    """Where files of a role use one of the names, once a file, each with the definition or section that does."""
    found: dict[str, Link] = {}
    for name in names:
        if not telling(index, name):
            continue
        paths = [path for path in mentions(index, name) if role_of(path) is role and path not in found]
        for path in paths[:_FILES]:
            lines = snapshot.lines(path) or []
            used = (at for at, line in enumerate(lines, 1) if holds(line, name) and not _IMPORT.match(line))
            at = next(used, 0)
            cited = cite(snapshot, path, at, at, [name]) if at else None
            if cited and len(found) < most:
                found[path] = Link(symbols.enclosing(path, "\n".join(lines), at, at), cited)
    return list(found.values())


def settings(
    snapshot: Snapshot, places: Sequence[tuple[str, Place]], asked: Collection[str], *, most: int
) -> list[Cited]:
    """Environment variables, configuration keys and flags that the places read, each once, those that hold a term that
    was asked for first; then environment variables and keys so asked for elsewhere in the first file."""
    found: dict[str, tuple[bool, bool, bool, Cited]] = {}
    around = [(path, place.start, place.end, False) for path, place in places]
    around += [(path, 1, len(snapshot.lines(path) or []), True) for path, _ in places[:1]]
    for path, start, end, far in around:
        lines = snapshot.lines(path) or []
        for number in range(start, min(end, len(lines)) + 1):
            for match in _SETTING.finditer(lines[number - 1][:2000]):
                key = next(group for group in match.groups() if group)
                cited = cite(snapshot, path, number, number, [key])
                held = asked_for(key, asked)
                if cited and cited.name == key and (not far or held or key.isupper()):
                    found.setdefault(key, (far, not held, not key.isupper(), cited))
    return [one[3] for one in sorted(found.values(), key=lambda one: one[:3])[:most]]


def _nearest(paths: Sequence[str], near: str) -> list[str]:
    """Source files before others, those nearest to `near` first; as many as are worth reading."""
    folders = near.split("/")

    def distance(path: str) -> tuple[bool, int, str]:
        other = path.split("/")
        shared = next((at for at, (a, b) in enumerate(zip(folders, other, strict=False)) if a != b), len(other))
        return role_of(path) is not Role.SOURCE, len(folders) + len(other) - 2 * shared, path

    return sorted(dict.fromkeys(paths), key=distance)[:_FILES]
