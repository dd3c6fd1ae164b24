"""Text that a question quotes, or is, word for word in the code: a message pasted from the program is where it is made.

The index says which chunks hold so many of its words in a row that a look is worth it; only these are read. Numbers and
placeholders (`%s`, `{}`, `${x}`) stand for anything.
"""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.index import Index, Posting
from scoutkit.agents.builtin.indexing.paths import Role

Read = Callable[[str], str | None]
"""A file's text by its path; None where it has none."""

_QUOTED, _PASTED = 4, 5  # words in a row that are enough: of a quotation, of a sentence
_MOST_OF = 0.6  # of the words of what was quoted or pasted
_TELLING = 3  # of the words in a row are no stop words, where nothing says that they are quoted
_WORDS, _LITERALS = 60, 6
_RAREST, _LIKELY, _READ = 8, 300, 40  # terms, chunks that hold them, chunks that are read
_BYTES = 8_000_000  # of files
_BEYOND = 200  # lines after a chunk that may be its own: what is inside of it are chunks of their own
_TESTS = frozenset({Role.TEST, Role.FIXTURE})
_NEAR = 0.8  # of the longest run's words: as good
_GAP = 6  # words of the question that a placeholder stands for
_LONGEST = 90  # characters of a text that is told
_ANY, _NUMBER = "*", "0"
_QUOTES = re.compile(
    r"(?<!\w)'([^'\n]{8,400})'(?!\w)|\"([^\"\n]{8,400})\"|`([^`\n]{8,400})`|[“«„]([^”»“\n]{8,400})[”»“]|「([^」\n]{8,400})」"
)
_SAYS = re.compile(
    r"\b(?:(?:\w+(?:error|exception|warning)|(?:errors?|exception|warning|message|panic|fatal|log|output)\w*):|(?:says?|said|saying|prints?|complains?)\b:?"
    r"|(?:see|saw|get|got|getting)\s+(?:that|(?:the|this|an?)\s+(?:error|message|warning)):?)\s+"
    r"([^\n]{8,400})",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\s*(?:what|where|which|who|whose|why|when|how|is|are|do|does|did|can|could|should|would|will|has|have|explain"
    r"|describe|find|show|list|tell|in)\b|.*[?？]\s*$",
    re.IGNORECASE | re.DOTALL,
)
_STAMP = re.compile(r"^\W*(?:\d[\d:./TZ,+ -]{5,}\W*)?(?:\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\]?:?\s)?")
_TOKEN = re.compile(
    r"\\[nrt](?![a-z]{2}\b)|(?P<any>%(?:\(\w+\))?[-+#0]*\d*(?:\.\d+)?(?:ll?|z|h)?[sdiufxXqvcpgr]\b|[$#]?\{[^{}\n]{0,80}\}|\\\(\w+\)"
    r"|\$[a-zA-Z_]\w*|[\"'`]\s*(?:\+|<<|\.)\s*[\w.$()\[\]>-]{1,60}\s*(?:\+|<<|\.)\s*[\"'`])|(?P<word>\w+)"
)
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
    a an and are as at be but by can do does for from has have how i if in is it its no not of on or so that the this to
    was we were what when where which who why will with you your""",
    )
)


@dataclass(frozen=True, slots=True)
class Literal:
    """Words that may stand so in the code. `least` of them in a row are enough; `telling`: of these no stop words."""

    words: tuple[str, ...]
    least: int
    telling: int = 1


@dataclass(frozen=True, slots=True)
class Hit:
    """Lines of a chunk that hold a run of so many words, and `text`, a piece of it as it is written there."""

    chunk: int
    start: int
    end: int
    words: int
    text: str


def literals(text: str) -> tuple[Literal, ...]:
    """What of a question may be quoted; the whole of it where that is a sentence or two and asks nothing."""
    found: dict[tuple[str, ...], Literal] = {}
    quoted = [next(filter(None, match.groups())) for match in _QUOTES.finditer(text)]
    for one in [*quoted, *(match[1] for match in _SAYS.finditer(text))]:
        words = _words(one)
        if len(words) >= _QUOTED:
            found.setdefault(words, Literal(words, max(_QUOTED, math.ceil(_MOST_OF * len(words)))))
    whole = _words(_STAMP.sub("", text))
    if _PASTED <= len(whole) <= _WORDS and not found and not _QUESTION.match(text):
        found[whole] = Literal(whole, max(_PASTED, math.ceil(_MOST_OF * len(whole))), _TELLING)
    return tuple(found.values())[:_LITERALS]


def find(index: Index, asked: Sequence[Literal], read: Read) -> list[Hit]:
    """Where they stand, the longest runs first."""
    hits: dict[tuple[int, int], Hit] = {}  # by file and line
    texts: dict[str, str] = {}
    left = _BYTES
    for one in asked:
        for chunk in _likely(index, one):
            file = index.file_of(chunk)
            path = index.paths[index.paths_of[file][0]]
            if path not in texts and left > 0:
                texts[path] = read(path) or ""
                left -= len(texts[path])
            place = index.places(file)[chunk - index.first_chunk(file)]
            lines = texts.get(path, "").replace("\r\n", "\n").split("\n")
            for end in (place.end, place.end + _BEYOND):
                if hit := _hit(one, chunk, place.start, "\n".join(lines[place.start - 1 : end])):
                    hits.setdefault((file, hit.start), hit)
                    break
    longest = max((hit.words for hit in hits.values()), default=0)
    near = (hit for hit in hits.values() if hit.words >= _NEAR * longest)
    return sorted(near, key=lambda hit: (-hit.words, hit.chunk))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word, _, _ in _tokens(text))[: _WORDS + 1]


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Words in lower case, numbers as one word, placeholders as another, and where they are."""
    for match in _TOKEN.finditer(text):
        if word := match["word"]:
            yield (_NUMBER if word.isdecimal() else word.lower()), match.start(), match.end()
        elif match["any"]:
            yield _ANY, match.start(), match.end()


def _likely(index: Index, asked: Literal) -> list[int]:
    """The chunks that hold enough of the words beside each other in the question, those with most of them first."""
    said = [word for word in dict.fromkeys(asked.words) if word not in (_ANY, _NUMBER, *_COMMON) and len(word) > 1]
    held = {word: index.postings(terms.whole(word)) for word in said}
    counts = {word: sum(map(index.alive, postings)) for word, postings in held.items()}
    there = sorted((word for word in said if counts[word]), key=lambda word: counts[word])
    scores: dict[int, float] = {}
    for word in there[:_RAREST]:
        worth = math.log(1 + index.chunk_count / counts[word])
        for posting in held[word]:
            base = index.chunk_bases[posting.piece]
            for chunk in posting.chunks:
                if index.is_alive(posting.piece, chunk):
                    scores[base + chunk] = scores.get(base + chunk, 0.0) + worth
    found = []
    for chunk in heapq.nlargest(_LIKELY, scores, key=lambda chunk: (scores[chunk], -chunk)):
        run = _run(asked.words, {word for word in there if _holds(index, held[word], chunk)}, set(said))
        role = index.roles[index.paths_of[index.file_of(chunk)][0]]
        if run >= asked.least and role not in (Role.RECORD, Role.GENERATED):
            found.append((role in _TESTS, -run, -scores[chunk], chunk))
    return [chunk for *_, chunk in sorted(found)[:_READ]]


def _run(words: Sequence[str], held: set[str], said: set[str]) -> int:
    """The most words in a row that a chunk may hold: what is too common to be looked up, it does."""
    longest = run = 0
    for word in words:
        run = run + 1 if word in held or word not in said else 0
        longest = max(longest, run)
    return longest


def _holds(index: Index, postings: Sequence[Posting], chunk: int) -> bool:
    for posting in postings:
        number = chunk - index.chunk_bases[posting.piece]
        at = bisect_left(posting.chunks, number)
        if at < len(posting.chunks) and posting.chunks[at] == number:
            return True
    return False


def _hit(asked: Literal, chunk: int, first: int, text: str) -> Hit | None:
    positions: dict[str, list[int]] = {}
    for at, word in enumerate(asked.words):
        positions.setdefault(word, []).append(at)
    count, start, end = _longest(positions, len(asked.words), text)
    if count < asked.least:
        return None
    run = text[start:end]
    told = sum(word not in (_ANY, _NUMBER, *_COMMON) for word in set(_words(run)))
    piece = _piece(run)
    if told < asked.telling or not piece:
        return None
    line = first + text.count("\n", 0, start)
    return Hit(chunk, line, line + run.count("\n"), count, piece)


def _longest(positions: Mapping[str, Sequence[int]], size: int, text: str) -> tuple[int, int, int]:
    """The longest run of the question's words in a text: how many, and where it is."""
    best = (0, 0, 0)
    runs: dict[int, tuple[int, int]] = {}  # by the last word: how many, and where the run begins
    for word, start, end in _tokens(text):
        now: dict[int, tuple[int, int]] = {}
        if word == _ANY:
            for last, run in runs.items():
                for at in range(last, min(last + _GAP + 1, size)):
                    now[at] = max(now.get(at, run), run)
        for at in positions.get(word, ()):
            count, begin = runs.get(at - 1, (0, start))
            now[at] = max(now.get(at, (0, 0)), (count + 1, begin))
            if count + 1 > best[0]:
                best = (count + 1, begin, end)
        runs = now
    return best


def _piece(run: str) -> str:
    """The longest piece of a run that can be quoted in backticks."""
    pieces = [one.strip() for one in re.split(r"[`\n\t\"\\]|  +|[$%#]?\{[^}]*\}|[^ -~]", run)]
    longest = max(pieces, key=len, default="")
    return longest if len(longest) <= _LONGEST else longest[:_LONGEST].rsplit(" ", 1)[0]
