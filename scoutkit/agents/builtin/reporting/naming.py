"""What the code defines by a name, and which files have it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.index import Index
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.indexing.segment import Place
from scoutkit.agents.builtin.reporting.evidence import Cited

MANY = 8  # a name defined more often than this says nothing about who calls whom
_CLASSES, _HEAD = 12, 12  # that are looked at for what one extends; lines of a class before its body, with its comment
_AT_ALL = 100  # times, tests included: then nothing is looked up
TYPES = frozenset({"class", "struct", "interface", "enum", "trait", "impl", "type"})
TESTS = frozenset({Role.TEST, Role.FIXTURE})
_NOISE = frozenset(
    re.findall(
        r"\w+",
        """
    add addAll and_then any append apply as_path as_ref as_slice as_str assert begin bind __call__ call callback
    cast cb clear clone close collect concat constructor contains copy count create debug decode default delete done
    dup each emit empty encode end ends_with endsWith __enter__ equal equals error exec __exit__ exit expect extend
    filter find first flatten flush fn forEach format freeze from func get getattr getOrDefault handle has hash
    hasNext id include includes index info __init__ init initialize inject insert into into_iter is is_empty is_err
    is_none is_ok is_some isEmpty item items iter join key keys last len length list load lock log main map map_err
    match max merge min name __new__ new next nil ok open or_else parse path peek pop print push push_str put putAll
    raise read reduce register release remove render replace require reset resolve respond_to run save select send
    set setattr setTimeout setup size slice sort split start starts_with startsWith stop str string sum super sync
    tap test text then to_owned to_path to_s to_string to_vec toString trigger type unlock unwrap unwrap_or
    unwrap_or_else update use value values wait warn with write""",
    )
)


@dataclass(frozen=True, slots=True)
class Node:
    """A definition, told from others by its path and name. `name` is qualified; "" for a file's own level."""

    path: str
    name: str
    start: int = field(compare=False)
    end: int = field(compare=False)
    kind: str = field(default="", compare=False)

    @property
    def last(self) -> str:
        """Its name as it is called by."""
        return self.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """What it is defined in, by its last name; "" for a function of its own."""
        return self.name.rpartition(".")[0].rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Edge:
    """One definition calls another, on the `cited` line. `sure`: False where it is told by the name alone; `defined`:
    where the other begins."""

    caller: Node
    callee: Node
    cited: Cited
    sure: bool
    handed: bool = False  # it is handed on by its name, for somebody else to call
    defined: Cited | None = None

    @property
    def verb(self) -> str:
        """What the one does with the other."""
        return "hands on" if self.handed else "uses" if self.callee.kind in TYPES else "calls"


def node(path: str, place: Place) -> Node:
    """The definition at a place."""
    return Node(path, place.qualified or place.name, place.start, place.end, place.kind)


def telling(index: Index, name: str) -> int:
    """How many definitions a name has; 0 for one that says nothing."""
    if common(name) or not re.fullmatch(r"[^\W\d]\w*[?!]?", name):
        return 0
    found = len(definitions(index, name)) if len(index.defined(name)) <= _AT_ALL else 0
    return found if found <= MANY else 0


def common(name: str) -> bool:
    """Does everybody call something by this name?"""
    return len(name) < 3 or name.strip("?!") in _NOISE


def mentions(index: Index, name: str) -> list[str]:
    """Paths of files in which a name is used or defined, in the tree's order."""
    term = terms.whole(name)
    files = {
        index.file_bases[posting.piece] + file
        for posting in (index.postings(term) if term else ())
        for file in posting.files
    }
    return [index.paths[number] for number in sorted(n for file in files for n in index.paths_of.get(file, ()))]


def defining(index: Index, name: str) -> set[str]:
    """Paths of files that define a name, tests among them."""
    return {index.paths[number] for chunk in index.defined(name) for number in index.paths_of[index.file_of(chunk)]}


def definitions(index: Index, name: str) -> list[Node]:
    """What a name is defined as, outside tests; of equal files once, overloads each. Declarations of what is written
    elsewhere count where there is nothing else."""
    found: dict[tuple[str, int], Node] = {}
    places: dict[int, Sequence[Place]] = {}  # of each file once: a generated one defines a name thousands of times
    for chunk in index.defined(name):
        file = index.file_of(chunk)
        if file not in places:
            places[file] = index.places(file)
        place = places[file][chunk - index.first_chunk(file)]
        for number in index.paths_of.get(file, [])[:1]:
            path = index.paths[number]
            if role_of(path) not in TESTS and place.name == name and place.kind != "test":
                found.setdefault((path, place.start), node(path, place))
    written = [one for one in found.values() if role_of(one.path) is not Role.TYPES] or list(found.values())
    types = [one for one in written if one.owner != name]  # a class counts once, not with its constructors
    return types or written


def bases(index: Index, name: str, lines: Callable[[str], Sequence[str]]) -> set[str] | None:
    """The names in the heads of a class and of those that it extends; None where no class has the name."""
    found: set[str] | None = None
    left, seen = [name] if name else [], set[str]()
    while left and len(seen) < _CLASSES:
        seen.add(one := left.pop(0))
        types = [node for node in definitions(index, one)[:_CLASSES] if node.kind in TYPES]
        for node in types:
            text = "\n".join(lines(node.path)[node.start - 1 : node.end][:_HEAD])
            head = re.split(r"[{]|:\s*$", text, maxsplit=1, flags=re.MULTILINE)[0]
            words = set(re.findall(r"[^\W\d]\w+", head)) - {one}
            found = (found or set()) | words
            left += sorted(word for word in words if word[:1].isupper() and word not in seen)
    return found


def folder(path: str) -> str:
    return path.rpartition("/")[0]


def nearest(paths: Sequence[str], near: str) -> list[str]:
    """Source files before others, those nearest to `near` first."""
    folders = near.split("/")

    def distance(path: str) -> tuple[bool, int, str]:
        other = path.split("/")
        shared = next((at for at, (a, b) in enumerate(zip(folders, other, strict=False)) if a != b), len(other))
        return role_of(path) is not Role.SOURCE, len(folders) + len(other) - 2 * shared, path

    return sorted(dict.fromkeys(paths), key=distance)
