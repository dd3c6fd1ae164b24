"""Which of the definitions of a name a call means, by what it stands behind: the code is read, not run."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Sequence

from scoutkit import words
from scoutkit.agents.builtin.reporting import bodies
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.imports import among
from scoutkit.agents.builtin.reporting.naming import (
    MANY,
    TYPES,
    Node,
    common,
    folder,
    nearest,
)
from scoutkit.symbols import language_of

_FEW = 3  # definitions of a one-word name: more often, a call far away may mean any
_ALL = 16  # definitions of one name: of more, only what a call stands behind tells which is meant
_METHODS = frozenset({"c", "java", "kotlin", "rust", "swift", "csharp"})  # `x.f()` is no function of its own there
_BARE = frozenset({"cpp", "csharp", "java", "kotlin", "php", "ruby", "scala", "swift"})  # `f()` calls a method there
OWNED = frozenset({"go", "javascript", "python", "rust", "tsx", "typescript"})  # no method is called bare there
_OF_LIBRARIES = frozenset(  # methods of two words that every language's own strings and collections have
    re.findall(
        r"\w+",
        """
    addeventlistener addrange appendchild charat compareto computeifabsent containskey containsvalue define_method
    delete_if each_cons each_key each_pair each_slice each_value each_with_index end_with entryset equalsignorecase
    errorf findindex firstordefault flat_map flatmap getbytes getclass gethashcode getkey getmessage getname getvalue
    group_by hashcode hasownproperty ifpresent indexof is_a is_dir is_file ispresent keyset kind_of lastindexof
    localecompare max_by min_by orelse parseint printf println public_send putifabsent queryselector read_text
    readall removeif removeeventlistener replaceall setdefault sort_by sprintf start_with sublist to_a to_f to_h to_i
    to_json to_proc to_str to_sym toarray tolist tolowercase touppercase trygetvalue valueof write_text writestring
    """,
    )
)
_GO_METHOD = re.compile(r"func\s*\(\s*(\w+)\s+\*?\s*(\w+)")
SELF = frozenset({"self", "this", "cls", "super", "Self", "static", "parent"})


def means(
    code: Code, target: Node, others: Sequence[Node], path: str, receiver: str | None, above: Collection[str] = ()
) -> bool | None:
    """Does a call behind `receiver` mean the target: surely, by its name, or rather another (None)? A call of what the
    target is declared in `above` may mean it."""
    if there := _from_module(code, others, path, receiver):
        return (target in there and len(there) == 1) or (False if target in there else None)
    if _elsewhere(code, others, path, receiver):
        return None
    if target.kind in TYPES or target.kind == "module":
        return _means_type(target, others, path)
    if receiver is not None and receiver == target.owner:
        return True
    if receiver is not None and not target.owner and not _module(receiver, target.path):
        return (
            None if language_of(path) in _METHODS else False if len(others) == 1 and not common(target.last) else None
        )
    if len(others) <= 1 and not common(target.last):
        return fits(target, receiver)
    if receiver and not target.owner:
        named = [one for one in others if not one.owner and receiver in re.split(r"[/.]", one.path)[-3:-1]]
        return True if named == [target] else None
    if receiver is None and not target.owner:
        here = [one for one in others if one.path == path and not one.owner]
        if here:
            return True if [target] == here else None
        return False if nearest([one.path for one in others], path)[:1] == [target.path] else None
    if receiver is not None and target.owner:
        alike = max(_alike(receiver, owner) for owner in (target.owner, *above))
        best = max((_alike(receiver, one.owner) for one in others if one.owner), default=0)
        if alike:
            return False if alike >= best else None
        few = len(others) <= (MANY if len(parts(target.last)) > 1 or folder(path) == folder(target.path) else _FEW)
        few = few and all(one.owner for one in others)  # a function for any receiver
        return False if few and not best and not common(target.last) else None
    return None


def _from_module(code: Code, others: Sequence[Node], path: str, receiver: str | None) -> list[Node]:
    """Of the definitions of a name those in the module that the file imports it, or what it stands behind, from."""
    module = code.imported(path, receiver or others[0].last) if others and receiver != "" else ""
    if not module:
        return []
    functions = [one for one in others if not one.owner]  # what these stand behind is a module, and nothing of one
    owned = [one for one in others if one.owner and one.owner == receiver]
    files = among((one.path for one in functions), module, itself=receiver is not None)
    classes = among((one.path for one in owned), module)
    return [one for one in functions if one.path in files] + [one for one in owned if one.path in classes]


def _elsewhere(code: Code, others: Sequence[Node], path: str, receiver: str | None) -> bool:
    """Does a call mean none of the definitions of a name: is it behind a module that has none of them (`fmt.Println`),
    or bare where all are methods of a name of general use?"""
    language = language_of(path)
    if receiver is None:
        return (
            bool(others)
            and language in OWNED
            and all(one.kind == "method" for one in others)
            and common(others[0].last)
        )
    module = code.imported(path, receiver) if receiver and language in ("go", "python") else ""
    if not module or ":" in module:
        return False
    paths, first = [one.path for one in others if not one.owner], module.partition("/")[0]
    if language == "python":  # a package hands on what its modules have
        return not any(first in re.split(r"[/.]", path) for path in paths)
    root = "." in first and not all("/" in path for path in paths)  # it may be any module
    return not root and not among(paths, module)


def owner_of(code: Code, path: str, number: int, receiver: str | None) -> str | None:
    """The class of a call of one's own (`self.send()`, and `r.send()` in a method of Go whose own `r` is); None where
    it is no such call."""
    if receiver in SELF:
        return class_of(code, path, number)
    if receiver and language_of(path) == "go":
        lines = code.lines(path)
        head = next((lines[at] for at in range(number - 1, -1, -1) if lines[at].startswith("func")), "")
        found = _GO_METHOD.match(head)
        return found[2] if found and found[1] == receiver else None
    return None


def class_of(code: Code, path: str, number: int) -> str:
    """The class in whose method a line is; "" outside one."""
    held = code.unit(path, number)
    return held.parent.rpartition(".")[2] if held else ""


def means_own(target: Node, others: Sequence[Node], path: str, owner: str) -> bool | None:
    """As `means`, of a call of one's own."""
    if target.kind in TYPES:
        return _means_type(target, others, path)
    here = folder(path) == folder(target.path) if language_of(path) == "go" else path == target.path
    if here and owner == target.owner and owner:
        return True
    return False if len(others) == 1 and target.owner else None


def _means_type(target: Node, others: Sequence[Node], path: str) -> bool | None:
    alone = all(one.name == target.name for one in others)  # a class may be written in parts
    return True if alone else False if folder(path) == folder(target.path) else None


def in_class(code: Code, target: Node, path: str, number: int) -> bool:
    """Is a line in the class whose method the target is, where a bare call means that, or in its function?"""
    if path != target.path or not target.owner or not (language_of(path) in _BARE or bodies.local(code, target)):
        return False
    held = code.unit(path, number)
    return held is not None and f"{held.qualified}.".startswith(f"{_class_of(target)}.")


def extended(code: Code, target: Node, others: Sequence[Node]) -> frozenset[str]:
    """The classes and interfaces with the same method that the target's class says it extends."""
    owners = {one.owner for one in others if one.owner and one.owner != target.owner}
    held = next((one for one in code.symbols(target.path) if owners and one.qualified == _class_of(target)), None)
    if held is None:
        return frozenset()
    head = "\n".join(code.lines(target.path)[held.start - 1 : max(held.body_start, held.start)]).partition("{")[0]
    if language_of(target.path) == "kotlin":  # what is in brackets is given, not extended
        while (less := re.sub(r"\([^()]*\)", "", head)) != head:
            head = less
    return frozenset(re.findall(r"\w+", head)) & owners


def _class_of(target: Node) -> str:
    return target.name.rpartition(".")[0]


def means_another(code: Code, target: Node, others: Sequence[Node], path: str, receiver: str | None) -> bool:
    """Does a call rather mean one of the others, or none?"""
    if _elsewhere(code, others, path, receiver):
        return True
    rest = [one for one in others if one != target]
    if len(rest) > _ALL:  # each against each other would take long
        named = receiver and any(_alike(receiver, one.owner) for one in rest)
        return bool(named) or (receiver is None and any(one.path == path and not one.owner for one in rest))
    return any(means(code, one, others, path, receiver) is not None for one in rest)


def receiver_of(line: str, name: str) -> str | None:
    """What a call stands behind: `reply` of `reply.send()`, "" of `f().send()`; None where it stands alone."""
    found = re.search(rf"([\w$]*)[)\]]*\s*(?:\?\.|!*\.|->|::)\s*{re.escape(name)}(?![\w$])", line)
    return found[1] if found else None


def fits(target: Node, receiver: str | None) -> bool:
    """Is a method of one definition meant for sure? A name of one word may be somebody else's, who is not here."""
    telling = len(parts(target.last)) > 1 and target.last.strip("?!").lower() not in _OF_LIBRARIES
    return not (receiver and target.owner) or telling or _alike(receiver, target.owner) > 0


def _module(receiver: str, path: str) -> bool:
    """Can a variable be the module, package or namespace that a file is?"""
    return receiver == "" or bool(parts(receiver) & {part for name in path.split("/")[-3:] for part in parts(name)})


def _alike(receiver: str, owner: str) -> int:
    """How many words a variable shares with a type: `call` with `RealCall`."""
    return len(parts(receiver) & parts(owner))


@functools.lru_cache(maxsize=4096)
def parts(name: str) -> frozenset[str]:
    """The words of a name."""
    return frozenset(part.lower() for part in words.split_identifier(name) if len(part) > 1)


def meant(code: Code, defined: Sequence[Node], source: Node, receiver: str | None) -> tuple[Node, bool] | None:
    """The definition that a call means, and whether that is sure."""
    there = _from_module(code, defined, source.path, receiver)
    if len(there) == 1:
        return there[0], True
    if receiver in SELF:
        own = [one for one in defined if one.path == source.path and one.owner == source.owner]
        if own:
            return own[0], True
    if receiver and not any(one.owner or _module(receiver, one.path) for one in defined):
        return (defined[0], False) if len(defined) == 1 and language_of(source.path) not in _METHODS else None
    if len(defined) == 1:
        return defined[0], fits(defined[0], receiver) or defined[0].owner == source.owner
    if receiver is None:
        here = [one for one in defined if one.path == source.path and not one.owner]
        if len(here) == 1:
            return here[0], True
    if receiver:
        fitting = [one for one in defined if one.owner and _alike(receiver, one.owner)]
        if len(fitting) == 1:
            return fitting[0], fitting[0].owner == receiver
    near = [one for one in defined if folder(one.path) == folder(source.path)]
    return (near[0], False) if len(near) == 1 else None
