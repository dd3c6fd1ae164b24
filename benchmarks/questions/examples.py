"""Notes of the built-in agent on other people's repositories, for docs/examples/: ten questions of all kinds.

    python benchmarks/questions/examples.py FOLDER [--only WORD] [--out docs/examples]

FOLDER holds git repositories as `owner+name`, `owner+name/repo` or `owner/name`, with the commits below. Each question
is a `scoutkit ask` in a clone of its own, with homes and caches of its own; the note is copied as it was written. Ids
and times differ from one time to the next, nothing else.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from measures import repository

TRACEBACK = """Traceback (most recent call last):
  File "app.py", line 3, in <module>
    requests.get(url, cookies=5)
  File "/usr/lib/python3/site-packages/requests/api.py", line 73, in get
    return request("get", url, params=params, **kwargs)
  File "/usr/lib/python3/site-packages/requests/sessions.py", line 575, in request
    prep = self.prepare_request(req)
  File "/usr/lib/python3/site-packages/requests/cookies.py", line 539, in merge_cookies
    raise ValueError("You can only merge into CookieJar")
ValueError: You can only merge into CookieJar"""
COMMITS = {
    "psf/requests": "1f6589ec3a1ee910f9a65cc3ceac60b26677bc0e",
    "fastify/fastify": "83e69762aff047940b376fc2a266d143499ef727",
    "thanos-io/thanos": "e103a81bd5943697394afcb4fb592b6ffa806c30",
    "BurntSushi/ripgrep": "3fce3b5bb0236da2df6d99672afb8a719642eca7",
    "vuejs/core": "e2bede96134f757aad5c5b33ac9be055022dbfc8",
}


@dataclass(frozen=True)
class Example:
    """One question; `name` is its file's."""

    name: str
    repo: str
    kind: str
    question: str


EXAMPLES = (
    Example("requests-why", "psf/requests", "why", "Why does Session strip the Authorization header on redirects?"),
    Example("requests-traceback", "psf/requests", "a pasted traceback", TRACEBACK),
    Example(
        "fastify-what-happens",
        "fastify/fastify",
        "what happens when",
        "What happens when a request body fails schema validation?",
    ),
    Example("fastify-what-breaks", "fastify/fastify", "what would break", "What would break if we change reply.send?"),
    Example("thanos-how", "thanos-io/thanos", "how", "How does the store gateway cache index lookups?"),
    Example(
        "thanos-which-flag", "thanos-io/thanos", "which setting", "Which flag limits the number of concurrent queries?"
    ),
    Example("ripgrep-where", "BurntSushi/ripgrep", "where", "Where are .gitignore files parsed?"),
    Example("ripgrep-name", "BurntSushi/ripgrep", "one word", "RIPGREP_CONFIG_PATH"),
    Example("vue-what-calls", "vuejs/core", "what calls", "What calls queueJob?"),
    Example("vue-chinese", "vuejs/core", "how, in Chinese", "nextTick 和 queueFlush 是如何实现的?"),
)


def main() -> int:
    """Writes the notes and a README.md beside them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="names that hold this word")
    parser.add_argument("--out", type=Path, default=Path("docs/examples"))
    told = parser.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        for example in EXAMPLES:
            if told.only in example.name:
                note = ask(told.folder, example, Path(home))
                (told.out / f"{example.name}.md").write_text(note, encoding="utf-8")
                print(example.name, f"{len(note.encode()):,} bytes", file=sys.stderr)
    (told.out / "README.md").write_text(readme(), encoding="utf-8")
    return 0


def ask(folder: Path, example: Example, home: Path) -> str:
    """The note of one question, as it was written."""
    where = repository(folder, example.repo)
    if where is None:
        raise SystemExit(f"{example.repo} is not in {folder}")
    clone = home / example.name / example.repo.rpartition("/")[2]
    git(where, "clone", "-q", "--shared", "--no-checkout", where, clone)
    git(clone, "update-ref", "--no-deref", "HEAD", COMMITS[example.repo])
    argv = [sys.executable, "-m", "scoutkit", "ask", example.question, "--agent", "builtin"]
    done = subprocess.run(argv, cwd=clone, env=environment(home), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{example.name}: {done.stderr}")
    return next((clone / ".claude" / "notes").glob("*.md")).read_text(encoding="utf-8")


def git(where: Path, *arguments: str | Path) -> None:
    """Runs git; fails where it does."""
    subprocess.run(["git", *arguments], cwd=where, check=True)


def environment(home: Path) -> Mapping[str, str]:
    """This process's, with a home of its own; the cache is shared by the questions."""
    own = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "CONFIG", "STATE")}
    return {**os.environ, **own, "HOME": str(home)}


def own_commit() -> str:
    """Of scoutkit, whose checkout this file is in."""
    argv = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


def readme() -> str:
    """What there is, and how it was made."""
    rows = [
        f"| [{one.name}]({one.name}.md) | {one.kind} | {one.repo} | {one.question.splitlines()[-1]} |"
        for one in EXAMPLES
    ]
    commits = [f"| {repo} | `{commit}` |" for repo, commit in COMMITS.items()]
    return "\n".join(
        [
            "# Notes of the built-in agent",
            "",
            "Ten questions on five repositories, answered offline: no model, no key, no network. Each file is a note",
            "as `scoutkit ask QUESTION --agent builtin` wrote it, unedited. Of a pasted traceback the table shows the",
            "last line.",
            "",
            "| note | kind | repository | question |",
            "|---|---|---|---|",
            *rows,
            "",
            "Made by `python benchmarks/questions/examples.py FOLDER`, which holds these repositories, with",
            f"scoutkit at `{own_commit()}`:",
            "",
            "| repository | commit |",
            "|---|---|",
            *commits,
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
