"""Questions with the notes that answer them, from real repositories: what `compare.py` ranks.

    .venv/bin/python benchmarks/search/pairs.py --out DIR CLONE…
    .venv/bin/python benchmarks/search/pairs.py --out DIR --locomo FOLDER

From each clone at its newest commit, two kinds of note. A section of a documentation page: its page's title and its
text are the note, its heading is the question. A commit with a message of some length: the message's body and the files
it touched are the note, its subject is the question. The question is nowhere in its note: what contains it is left out.
Notes that nobody asks for are there too. `--locomo` reads LoCoMo's conversations with their questions as ConvoMem's
repository has them (`dataset_*.json`, one folder a category): a session is a note.

Writes `DIR/NAME/notes/*.md` and `DIR/NAME/questions.jsonl`: `{"question": …, "kind": …, "notes": [right file, …]}`.
The same clones give the same files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

NOTES = 300  # of a kind and repository
ASKED = 40  # of these
_WORDS = (40, 900)  # of a note's text
_MARKDOWN = re.compile(r"^(#{1,4})[ \t]+(.+?)[ \t#]*$")
_RULE = re.compile(r"^([=\-~^\"*+#`'.:])\1{2,}\s*$")
_LOGS = re.compile(
    r"change|release|relnotes|history|news|announce|license|contributors|authors|vendor/|third_party", re.IGNORECASE
)
_TRAILER = re.compile(
    r"^(?:[A-Z][\w-]*-by|Change-Id|Closes?|Fix(?:es)?|Refs?|See|PR-URL|Reviewed|cc|Cc)\b:?.*$", re.MULTILINE
)
_DULL = re.compile(
    r"^(?:merge|bump|revert|release|version|update changelog|prepare|\d)|\[bot\]|dependabot|renovate", re.IGNORECASE
)
_NUMBER = re.compile(r"\s*\(?(?:#|gh-|GH)\d+\)?")


class Pair(NamedTuple):
    """A question and the note that answers it."""

    kind: str
    question: str
    title: str
    text: str
    path: str = ""
    cited: tuple[str, ...] = ()


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def kept(pair: Pair) -> bool:
    words = len(pair.text.split())
    asked = plain(pair.question)
    return (
        _WORDS[0] <= words <= _WORDS[1]
        and len(asked.split()) >= 3
        and asked not in plain(f"{pair.title} {pair.text}")
        and pair.title != pair.question
    )


def documentation(repository: Path) -> Iterator[Pair]:
    for path in git(repository, "ls-tree", "-r", "--name-only", "HEAD").splitlines():
        if re.search(r"\.(?:md|mdx|rst|adoc)$", path) and not _LOGS.search(path):
            yield from sections(path, git(repository, "show", f"HEAD:{path}"))


def sections(path: str, text: str) -> Iterator[Pair]:
    """A page's sections. The first heading is the page's title; its file name is where it has none."""
    lines, found, fenced = text.splitlines(), [], False
    for number, line in enumerate(lines):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if fenced or not line.strip():
            continue
        if match := _MARKDOWN.match(line):
            found.append((number, number + 1, match[2]))
        elif path.endswith(".rst") and _RULE.match(following) and len(following.strip()) >= len(line.strip()):
            found.append((number, number + 2, line.strip()))
    title = found[0][2] if found else Path(path).stem
    for (_, start, heading), (end, _, _) in zip(found[1:], [*found[2:], (len(lines), 0, "")], strict=False):
        body = "\n".join(lines[start:end]).strip()
        asked = re.sub(r"[`*]|<[^>]*>|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip()
        yield Pair("documentation", asked, title, body, path)


def commits(repository: Path) -> Iterator[Pair]:
    form = "--format=%x1e%s%x1f%b%x1f"
    log = git(repository, "log", "--no-merges", "-n", "6000", "--name-only", form, "HEAD")
    for record in log.split("\x1e")[1:]:
        subject, body, files = record.split("\x1f", 2)
        text = _TRAILER.sub("", body).strip()
        if _DULL.search(subject) or not text:
            continue
        asked = _NUMBER.sub("", re.sub(r"^\w+(?:\([^)]*\))?!?: ", "", subject)).strip()
        first = re.split(r"(?<=[.!?:])\s|\n\n", text, maxsplit=1)[0]
        yield Pair("commit", asked, " ".join(first.split())[:100], text, "", tuple(files.split("\n"))[2:10])


def chosen(pairs: Iterator[Pair]) -> list[Pair]:
    """Some of them: always the same, and no question twice."""
    once: dict[str, Pair] = {}
    for pair in pairs:
        if kept(pair):
            once.setdefault(plain(pair.question), pair)
    return sorted(once.values(), key=lambda pair: hashlib.sha256(pair.question.encode()).digest())[:NOTES]


def note(pair: Pair, number: int) -> str:
    first = re.split(r"(?<=[.!?])\s", " ".join(pair.text.split()), maxsplit=1)[0]
    front = {
        "id": f"{number:08d}",
        "type": "note",
        "title": " ".join(pair.title.split()) or "untitled",
        "description": first[:200],
        "generated": {"by": "human/me", "at": f"2026-01-{number % 28 + 1:02d}T00:00:00+00:00"},
        "citations": [{"at": path} for path in (pair.path, *pair.cited) if path.strip()],
    }
    return f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=1000)}---\n\n{pair.text}\n"


def write(folder: Path, notes: list[tuple[str, str]], questions: list[dict[str, object]]) -> None:
    (folder / "notes").mkdir(parents=True, exist_ok=True)
    for name, text in notes:
        (folder / "notes" / name).write_text(text, "utf-8")
    lines = [json.dumps(one, ensure_ascii=False) + "\n" for one in questions]
    (folder / "questions.jsonl").write_text("".join(lines), "utf-8")
    print(f"{folder.name:32}{len(notes):5} notes {len(questions):5} questions")


def of_clone(repository: Path, out: Path) -> None:
    name = repository.name if repository.name != "repo" else repository.parent.name
    notes, questions = [], []
    for pairs in (chosen(documentation(repository)), chosen(commits(repository))):
        for order, pair in enumerate(pairs):
            file = f"{len(notes):04d}.md"
            notes.append((file, note(pair, len(notes))))
            if order < ASKED:
                questions.append({"question": pair.question, "kind": pair.kind, "notes": [file]})
    if len(questions) >= 10:
        write(out / name, notes, questions)


def of_locomo(folder: Path, out: Path) -> None:
    talks: dict[str, dict[str, str]] = {}
    asked: dict[str, list[dict[str, object]]] = {}
    for path in sorted(folder.glob("category_[1-4]*/dataset_*.json")):
        data = json.loads(path.read_text("utf-8"))
        for item in data["evidenceItems"]:
            who = item["personId"]
            right = sorted({one["id"] for one in item["conversations"] if one["containsEvidence"]})
            files = [f"{one}.md" for one in right]
            one = {"question": item["question"], "kind": path.parent.name, "notes": files}
            asked.setdefault(who, []).append(one)
            for talk in data["conversations"]:
                talks.setdefault(who, {})[talk["id"]] = "\n\n".join(
                    f"{line['speaker']}: {line['text']}" for line in talk["messages"]
                )
    for who, sessions in talks.items():
        pairs = [Pair("talk", "", session.replace("_", " "), text) for session, text in sessions.items()]
        notes = [(f"{name}.md", note(pair, at)) for at, (name, pair) in enumerate(zip(sessions, pairs, strict=True))]
        right = [one for one in asked.get(who, []) if one["notes"]]
        write(out / who, notes, right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("clones", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--locomo", type=Path)
    options = parser.parse_args()
    for clone in options.clones:
        try:
            of_clone(clone, options.out)
        except subprocess.CalledProcessError as error:
            print(f"{clone}: left out, not whole: {error.stderr.decode(errors='replace').splitlines()[-1]}")
    if options.locomo:
        of_locomo(options.locomo, options.out)


if __name__ == "__main__":
    main()
