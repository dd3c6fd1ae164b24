"""Which documented fields of option types a question means: by their names, and by what their comments say of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.question import Question
from scoutkit.agents.builtin.ranking.rank import Ranking
from scoutkit.agents.builtin.reporting import comments, fields, settings, weighing
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import cite, sayable
from scoutkit.agents.builtin.reporting.fields import Field
from scoutkit.agents.builtin.reporting.settings import Setting
from scoutkit.agents.builtin.reporting.weighing import Words, terms_of
from scoutkit.symbols import language_of

_FILES, _LINES = 200, 120_000  # that are read
_READ = {Role.SOURCE: 1.0, Role.OLD: 0.9, Role.TYPES: 0.95, Role.TOOL: 0.85}  # files of other roles hold none
_IN_BOTH, _IN_NAME, _IN_SAYS, _IN_MORE, _IN_OWNER = 1.2, 1.0, 0.8, 0.45, 0.25  # what a word of the question is worth
_LONG = 40  # terms of what follows: with more, each says less
_GUESS = 0.1  # what a field or constant must have more that is found by its name alone
_WHOLE = 0.06  # is added where all of its name is asked for
_LEAST = 0.4  # of the question, for one that is told at all
_INSTEAD = 0.7  # and for one of another kind than is asked for
_CLOSE = 0.7  # of the best one's score
_SAID = 160  # characters
_ASKS = frozenset(
    re.findall(
        r"\w+",
        """
    allow allows choose chooses control controls decide decides define defines determine determines enable enables give
    gives let lets make makes set sets say says specifies specify tell tells turn turns what whether which""",
    )
)
_TAG = re.compile(r"`[^`]*</?\w")  # that is told of, not used
_LITERAL = r"`[^`\s]{1,40}`|'[^'\s]{1,40}'|\"[^\"\s]{1,40}\"|[-+]?\d(?:[\w.]*\w)?|[Tt]rue|[Ff]alse|[A-Z][A-Z0-9_]+"
_DEFAULT = re.compile(  # not of what stands before it: "the port defaults to 80"
    rf"(?:@default(?:[vV]alue)?\s+|(?:^|[.,;:(\[!?]\s*|\band\s+|\s(?=D))[Dd]efaults?(?:\s+value)?(?:\s+is|\s+to|:)+\s+)"
    rf"({_LITERAL})(?=[.,;)]?\s*$|[.;)]\s)"
)


@dataclass(frozen=True, slots=True)
class _Known:
    path: str
    field: Field
    name: set[str]
    says: set[str]
    declared: set[str]
    more: set[str]
    owner: set[str]


class Documented:
    """All of a tree's, weighed by one question. `near`: what the code has instead of words that it has not."""

    def __init__(self, code: Code, question: Question, ranking: Ranking, near: Mapping[str, str]) -> None:
        self._code = code
        self._order = {path: at for at, (path, _) in enumerate(ranking.files)}
        self._known = [_known(path, field) for path, field in _all(code, self._order)]
        self._by_place = {(one.path, one.field.line): one for one in self._known}
        rows = [_with_others(words) for words in weighing.asked(question, near, _ASKS)]
        count = len(self._known)
        self.asked = {
            words: weighing.worth(count, sum(_held(words, one) > _IN_OWNER for one in self._known)) for words in rows
        }
        self._terms = {term for words in rows for term in words}

    def best(self, *, most: int) -> list[tuple[float, Setting]]:
        """Those that the question means, each with its share of it, the best first."""
        total = sum(self.asked.values())
        if not total or not self._known:
            return []
        scores = [(self._score(one) / total, one) for one in self._known]
        scores.sort(
            key=lambda row: (
                -round(row[0], 2),
                weighing.unasked(row[1].field.name, self._terms),
                self._order.get(row[1].path, len(self._order)),
                row[1].path,
                row[1].field.line,
            )
        )
        least = max(_LEAST, _CLOSE * scores[0][0])
        close = [(score, one) for score, one in scores[: 4 * most] if score >= least]
        return [(score, made) for score, one in close if (made := self._setting(one))][:most]

    def among(self, named: Sequence[Setting], *, most: int, instead: bool = False) -> list[Setting]:
        """With those that were found by their names alone: first comes what has more of the question. `instead`: it
        asks for another kind, of which none was found."""
        told = [self._with_words(one) for one in named]
        best = self.best(most=most)
        if not best or (instead and best[0][0] < _INSTEAD):
            return told[:most]
        shares = [self._share(one) for one in told]
        if told and shares[0] >= (best[0][0] + _GUESS if told[0].kind == "value" else min(best[0][0], 1.0)):
            near = [one for share, one in best if share >= _CLOSE * shares[0]]
            rows = [*told[: most // 2], *near, *told[most // 2 :]]
        else:
            close = (
                one
                for one, share in zip(told, shares, strict=True)
                if share >= (_CLOSE if one.owner or one.kind != "value" else 1.0) * best[0][0]
            )
            rows = [*(one for _, one in best), *close]
        once: dict[tuple[str, int, str], Setting] = {}
        for one in rows:
            once.setdefault((one.cited.path, one.cited.start, one.name), one)
        return list(once.values())[:most]

    def _with_words(self, named: Setting) -> Setting:
        """With what is said of it, and the default that is."""
        one = self._by_place.get((named.cited.path, named.cited.start))
        made = self._setting(one) if one and one.field.name == named.name else None
        return replace(made, reads=named.reads, kept=named.kept) if made else named

    def _share(self, named: Setting) -> float:
        """How much of the question one says that was found by its name."""
        total = sum(self.asked.values())
        one = self._by_place.get((named.cited.path, named.cited.start))
        if one and one.field.name == named.name:
            return self._score(one) / total if total else 0.0
        own = [(weighing.own_terms(name), name) for name in (named.name, named.kept) if name]
        held = sum(worth for words, worth in self.asked.items() if any(_named(words, *one) for one in own))
        return held / total + (0.0 if weighing.unasked(named.name, self._terms) else _WHOLE) if total else 0.0

    def _score(self, one: _Known) -> float:
        found = sum(worth * _held(words, one) for words, worth in self.asked.items())
        whole = _WHOLE * sum(self.asked.values()) if not weighing.unasked(one.field.name, self._terms) else 0.0
        return (found + whole) * _READ[role_of(one.path)]

    def _setting(self, one: _Known) -> Setting | None:
        """With its default, as its declaration or its comment says it, and what it is for."""
        path, field = one.path, one.field
        cited = cite(self._code.snapshot, path, field.line, field.line, [field.name])
        if cited is None or cited.name != field.name:
            return None
        said = "" if _TAG.search(field.says) else sayable(comments.plain(field.says), _SAID).rstrip(". ")
        words = sorted(
            re.findall(r"[^\W\d_]{4,}", said), key=lambda word: (not terms_of(word) & self._terms, -len(word))
        )
        told = cite(self._code.snapshot, path, field.first, field.last, [field.name, *words]) if said else None
        default = settings.value(field.value) or _default(f"{field.says} {field.more}")
        return Setting(field.name, "value", cited, default, said=said if told else "", told=told, owner=field.owner)


def _named(words: Words, own: set[str], name: str) -> bool:
    return weighing.in_name(words, own, name) or weighing.at_end(words, name)


def _with_others(words: Words) -> Words:
    """What limits is called a maximum, mostly."""
    return (*words, "max", "maximum") if words[0] == "limit" else words


def _held(words: Words, one: _Known) -> float:
    named = weighing.in_name(words, one.name, one.field.name)
    if any(term in one.says for term in words):
        return _IN_BOTH if named else _IN_SAYS
    if named:
        return _IN_NAME
    if any(term in one.declared for term in words):  # its type says which values there are
        return _IN_MORE
    if any(term in one.more for term in words):
        return _IN_MORE * min(1.0, _LONG / len(one.more))
    return _IN_OWNER if any(term in one.owner for term in words) else 0.0


def _known(path: str, one: Field) -> _Known:
    return _Known(
        path,
        one,
        weighing.own_terms(one.name),
        terms_of(comments.plain(one.says)),
        terms_of(one.text),
        terms_of(one.more),
        terms_of(f"{one.owner} {path.rpartition('/')[2]}"),
    )


def _all(code: Code, order: Mapping[str, int]) -> Iterable[tuple[str, Field]]:
    """Every one of the files that define such types, the best files' first."""
    left = _LINES
    paths = sorted(_paths(code), key=lambda path: (order.get(path, len(order)), path))
    for path in paths[:_FILES]:
        lines = code.lines(path)
        if len(lines) > left:
            continue
        left -= len(lines)
        for one in fields.documented(lines, language_of(path, code.text(path))):
            yield path, one


def _paths(code: Code) -> set[str]:
    index = code.index
    names = [term[1:] for term in index.spelled("=") if fields.holds_options(term[1:])]
    files = {index.file_of(chunk) for name in names for chunk in index.defined(name)}
    paths = (index.paths[number] for file in files for number in index.paths_of.get(file, ())[:1])
    return {path for path in paths if role_of(path) in _READ}


def _default(text: str) -> str:
    """The default that a comment tells; "" where it depends on something."""
    match = _DEFAULT.search(text)
    return settings.value(match[1].strip("`")) if match else ""
