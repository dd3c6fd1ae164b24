"""What a question asks for: its words, the identifiers it names, and what kind of files it means."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from scoutkit import words
from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.paths import WORDS, Role

LONGEST = 20_000  # characters of a question that are looked at
MOST = 60  # terms: of a long question the rarest
_MOST_JOINED = 40  # each is looked up
_SHORT_QUESTION = 2  # words: then even `get` is meant
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_LOG_LINE = re.compile(r"^[^\w\n]*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\[\d[\d:./ -]+\]).*$", re.MULTILINE)
_QUOTED = re.compile(r"`([^`\n]{1,120})`")
_SHAPED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*")
_WHICH_TESTS = re.compile(
    r"\b(?:which|what|where are|where is|are there(?: any)?|list|show)\s+(?:\w+\s+){0,3}(?:tests|specs)\b"
    r"|\bwhere\s+(?:is|are)\s+(?:the\s+)?tests?\s+(?:class(?:es)?|cases?|methods?|functions?|suites?|modules?|files?)\b"
    r"|哪些测试|测试在",
    re.IGNORECASE,
)
_OF_TEST = re.compile(
    r"\btest\s+(?:\w+\s+)?(?:class(?:es)?|cases?|methods?|functions?|suite|module|files?|helper|that|which)\b",
    re.IGNORECASE,
)  # "the test class that": not "the tested class"
_BREAKS = re.compile(
    r"\bwhat\s+(?:all\s+)?(?:would|could|might|will|does|can)\s+(?:it\s+)?break\w*(?:\s+(?:if|when|by))?(?:\s+(?:we|i|you|one))?"
    r"(?:\s+(?:add|chang|delet|drop|mov|remov|renam|replac)\w*)?",
    re.IGNORECASE,
)  # how it is asked, not what about
_SIGN = re.compile(r"[\u2600-\u27bf\U0001f000-\U0001faff]")  # pictures: the index has words alone
_FRAME = re.compile(
    r"(?:File \"|\bat .{0,300}?\(?|^[^\S\n]*)((?:[A-Za-z]:)?[/\\]?(?:[\w@.-]{1,255}[/\\])*[\w@.-]{1,255}\.\w{1,5})"
    r"(?:\", line |:)(\d+)",
    re.MULTILINE,
)
_PATH = re.compile(r"(?<![\w./@:-])((?:[\w@.+-]{1,255}/){0,30}[\w@.+-]{1,255}\.\w{1,10})(?::(\d{1,8}))?(?![\w/])")
_CALLED = (
    re.compile(r"File \"([^\"\n]{1,400})\", line (\d{1,8}), in (?P<name>\w{1,80})"),
    re.compile(
        r"\bat (?:async )?(?:[\w$.<>/@-]{1,300}[.$/#])?(?P<name>[\w$]{1,80}) ?"
        r"\(([^\s()]{1,400}?):(\d{1,8})(?::\d{1,8})?\)"
    ),
)  # the function that a frame is in
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
    a about above after again all also am an and any are as at be because been before being below between both but
    by can cannot could did do does doing don done down during each either else etc ever few for from further get
    gets give given go goes going had has have having he her here how i if in into is isn it its itself just know
    let like ll made make makes many may me might more most much must my need needs no nor not now of off on once
    one only or other our out over own please re same say see shall she should show so some somewhere such tell than
    that the their them then there these they thing this those through thus to too two under until up upon us use
    used uses using ve very via want was way we well were what when where whether which while who whom whose why
    will with within without would yes you your code codebase repo repository happen happens happening work works
    working implement implemented implements implementation purpose relationship role explain describe find
    responsible actually exactly""",
    )
)
_VAGUE = frozenset(
    re.findall(
        r"\w+",
        """
    add added adding adds allow allows alternative approach architectural architecture aspect avoid behavior
    behaviour chain change changed changes class classes clean cleanup complete component concern concerns consider
    constraint control correct correctly decision dependency design detail details determine determines determining
    different distinction enable enables enabling enforce ensure ensures ensuring exist existing exists file files
    fix fixed fixes flow function functions handle handled handles handling impact implication implications improve
    including instead interact interaction issue logic main maintain maintaining maintains mechanism method methods
    minor module modules move necessary new overall path pattern perform performance prevent prevents problem
    process project properly provide provides rather refactor related remove removed removes rename require required
    requires responsibility result semantic separate separation specific step strategy structure support supports
    system unnecessary update updated updates various verify when""",
    )
)
_VAGUE_WORTH = 0.6  # against 1 for a word that says what is meant
_PROJECT_WORTH = 0.2
_SHORT = """
    auth authentication authorization | config configuration configure cfg conf | env environment | db database |
    param parameter params | arg argument args | attr attribute | prop property | opt option | var variable |
    msg message | req request | resp response | ctx context | err error | cmd command | conn connection |
    dir directory folder | repo repository | doc documentation | src source | dst destination | pkg package |
    init initialize initialization | exec execute execution | alloc allocate allocation | del delete |
    async asynchronous | sync synchronize synchronous | tmp temp temporary | prev previous | cur current curr |
    func function | num number | str string | char character | int integer | bool boolean | dict dictionary |
    ref reference | expr expression | stmt statement | decl declaration | regex regexp | elem element |
    val value | idx index | len length | max maximum | min minimum | buf buffer | ptr pointer | addr address |
    recv receive | sub subscribe subscription | pub publish | perm permission | proc process | mem memory |
    app application | lib library | util utility | admin administrator | id identifier | iter iterator iterate |
    seq sequence | stat statistics | tx transaction txn | sess session | fmt format | info information | ws websocket
    """  # words and what code calls them
_SHORT_WORTH = 0.3
_PATHS = 20  # in a question


@dataclass(frozen=True, slots=True)
class Question:
    """What was understood.

    `counts`: terms with how often they are asked for; `said`: each word with its terms, stop words left out; `phrases`:
    runs of words that say something; `names`: identifiers spelled as in code; `frames`: path and line of a pasted
    traceback; `means`: roles it names; `wants_tests`: it asks which tests there are; `of_test`: it asks about one;
    `joined`: terms that two or three words beside each other make ("deep copy" is deepcopy in code); `unasked`: signs
    and words outside ASCII that no term stands for; `called`: frames with the function that each says it is in;
    `paths`: what may be a path of a file, and the line it is written with, else 0.
    """

    text: str
    counts: dict[str, float]
    said: dict[str, tuple[str, ...]]
    phrases: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    frames: tuple[tuple[str, int], ...]
    means: frozenset[Role]
    wants_tests: bool
    of_test: bool = False
    joined: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    called: tuple[tuple[tuple[str, int], str], ...] = ()
    paths: tuple[tuple[str, int], ...] = ()


def understand(text: str, *, project: str = "") -> Question:
    """Never raises, whatever the text and its language. `project`: its name says little about one place in it."""
    text = text[:LONGEST]
    frames = tuple((path.replace("\\", "/"), int(line)) for path, line in _FRAME.findall(text)[:40] if len(line) < 9)
    cleaned = _BREAKS.sub(" ", _FRAME.sub(" ", _LOG_LINE.sub(" ", _URL.sub(" ", text))))
    cleaned = cleaned if re.search(r"\w", cleaned) else text
    said: dict[str, tuple[str, ...]] = {}
    counts: dict[str, float] = {}
    every = terms.raw(cleaned)
    own = {word.lower() for word in (project, *terms.raw(project))}
    kept = [word for word in every if word.lower() not in _STOP] or (every if len(every) <= _SHORT_QUESTION else [])
    for word in kept:
        found = terms.expand(word)
        if found:
            said.setdefault(word, found)
            worth = _PROJECT_WORTH if word.lower() in own else _VAGUE_WORTH if word.lower() in _VAGUE else 1.0
            for term in found:
                counts[term] = counts.get(term, 0.0) + worth
    for term in list(counts):
        for other in _short().get(term, ()):
            counts.setdefault(other, _SHORT_WORTH * counts[term])
    lowered = {word.lower() for word in every}
    means = frozenset(role for role, named in WORDS.items() if lowered & named)
    return Question(
        text,
        counts,
        said,
        _phrases(every, said),
        _names(cleaned),
        frames,
        means,
        wants_tests=bool(_WHICH_TESTS.search(cleaned)),
        of_test=bool(_OF_TEST.search(cleaned)),
        joined=tuple(term for term in _joined(every) if term not in counts),
        unasked=_unasked(cleaned, kept),
        called=tuple(_called(text)) if frames else (),
        paths=() if frames else tuple((one[1], int(one[2] or 0)) for one in islice(_PATH.finditer(cleaned), _PATHS)),
    )


def ordered(question: Question) -> Sequence[tuple[str, int]]:
    """Its frames, where it happened last. Python's are written so, most others' the other way round."""
    python = re.search(r'File "[^"\n]{1,400}", line \d', question.text)
    return question.frames if python else tuple(reversed(question.frames))


def _called(text: str) -> Iterator[tuple[tuple[str, int], str]]:
    for rule in _CALLED:
        for match in rule.finditer(text):
            path, line = (one for at, one in enumerate(match.groups(), 1) if at != rule.groupindex["name"])
            if len(match["name"]) > 1 and "lambda" not in match["name"]:
                yield (path.replace("\\", "/"), int(line)), match["name"]


def _unasked(text: str, kept: Sequence[str]) -> tuple[str, ...]:
    if text.isascii():
        return ()
    mute = [word for word in kept if not word.isascii() and not terms.expand(word)]
    return tuple(dict.fromkeys([*mute, *_SIGN.findall(text)]))


def _joined(every: Sequence[str]) -> tuple[str, ...]:
    """What two or three words that say something make when nothing is between them, with and without their endings."""
    lowered = [word.lower() for word in every if len(word) > 1]
    found: dict[str, None] = {}
    for at, first in enumerate(lowered):
        run = first
        for second in lowered[at + 1 : at + 3]:
            if not (first.isascii() and second.isascii()) or {first, second} & _STOP:
                break
            run += second
            found.update(dict.fromkeys((run, terms.stem(run), terms.stem(first) + run[len(first) :])))
    return tuple(found)[:_MOST_JOINED]


def _phrases(every: Sequence[str], said: Mapping[str, object]) -> tuple[tuple[str, ...], ...]:
    found: list[list[str]] = [[]]
    for word in every:
        if word in said and word.lower() not in _VAGUE:
            found[-1].append(word)
        elif found[-1]:
            found.append([])
    return tuple(dict.fromkeys(tuple(phrase) for phrase in found if phrase))


@functools.cache
def _short() -> dict[str, frozenset[str]]:
    """Terms with the other terms for the same thing."""
    groups = [frozenset(terms.expand(word)[0] for word in group.split()) for group in _SHORT.split("|")]
    return {term: group - {term} for group in groups for term in group}


def alternatives(term: str) -> frozenset[str]:
    """Other terms for the same thing: `env` for `environ`."""
    return _short().get(term, frozenset())


def _names(text: str) -> tuple[str, ...]:
    """Identifiers: in backticks, or written as no word is (`get_user`, `getUser`, `Reply.send`, `parse()`)."""
    found: dict[str, None] = {}
    for quoted in _QUOTED.findall(text):
        for name in _SHAPED.findall(quoted):
            found.update(dict.fromkeys(re.split(r"\.|::|->", name)))
    for match in _SHAPED.finditer(text):
        name = match.group()
        called = text[match.end() : match.end() + 1] == "("
        for part in re.split(r"\.|::|->", name):
            shaped = "_" in part.strip("_") or part.startswith("_") or len(words.split_identifier(part)) > 1
            if called or shaped or (part != name and len(part) > 2):
                found[part] = None
    if len(text.split()) <= _SHORT_QUESTION:
        found.update(dict.fromkeys(_SHAPED.findall(text)))
    return tuple(name for name in found if len(name) > 1)[:30]
