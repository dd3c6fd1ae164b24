"""Who calls what: the lines that the built-in agent reports beside those that look like a call.

    python benchmarks/questions/callers.py [--names 40] [--seed 11] REPOSITORY…

For each repository so many functions that are defined once, outside tests, by a name of six letters or more; of each it
is asked what calls it. A line looks like a call where the name stands before a bracket, in a file of a known language,
and is not the definition, a comment or an import; it may still be in a text, or mean somebody else's function.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

SCOUTKIT = [sys.executable, "-m", "scoutkit"]
_CODE = re.compile(r"\.(?:c|cpp|go|h|java|js|kt|php|py|rb|rs|swift|ts)$")
_TEST = re.compile(r"test|spec|example|mock", re.IGNORECASE)
_DEFINES = r"\b(?:def|func|fun|fn|function)\s+(?:\([^)]*\)\s*)?"
_DEFINITION = re.compile(rf"^\s*(?:[a-z]+\s+)*?{_DEFINES}(\w{{6,}})", re.MULTILINE)
_ASIDE = re.compile(r"\s*(?://|#|\*|/\*|import\b|from\b|use\b|export\b)")


def once(repository: Path) -> list[str]:
    """Names of functions with one definition."""
    files = subprocess.run(["git", "-C", repository, "ls-files"], capture_output=True, text=True, check=True).stdout
    found: dict[str, list[str]] = defaultdict(list)
    for path in filter(_CODE.search, files.splitlines()):
        if (repository / path).is_file():
            for name in _DEFINITION.findall((repository / path).read_text("utf-8", "replace")):
                found[name].append(path)
    return sorted(name for name, paths in found.items() if len(paths) == 1 and not _TEST.search(paths[0] + name))


def calls(repository: Path, name: str) -> set[tuple[str, int]]:
    """Lines that look like a call of it."""
    command = ["git", "-C", str(repository), "grep", "-nwF", name]
    lines = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout.splitlines()
    rows = (line.split(":", 2) for line in lines if line.count(":") > 1)
    call = re.compile(rf"(?<![\w$]){re.escape(name)}\s*(?:<[^>]*>)?\(")
    aside = re.compile(rf"{_ASIDE.pattern}|.*{_DEFINES}{re.escape(name)}")
    return {
        (path, int(at)) for path, at, text in rows if _CODE.search(path) and call.search(text) and not aside.match(text)
    }


def reported(repository: Path, name: str) -> set[tuple[str, int]]:
    """Lines that the agent says use it."""
    command = [*SCOUTKIT, "ask", "--json", "--force", f"What calls `{name}`?"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    uses = json.loads(done.stdout).get("facts", {}).get("uses", [])
    of_name = (one for one in uses if one["symbol"].rpartition(".")[2] == name)
    return {(file["path"], line) for one in of_name for file in one["files"] for line in file["lines"]}


def main() -> None:
    """A row a repository."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--names", type=int, default=40)
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()
    print(f"{'':30} names  look like a call  of these reported  none reported though some look so")
    for repository in args.repositories:
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder, "clone")
            subprocess.run(["git", "clone", "-q", repository.resolve(), clone], check=True)
            names = once(clone)
            names = random.Random(args.seed).sample(names, min(args.names, len(names)))
            looks, both, silent = 0, 0, []
            for name in names:
                expected, found = calls(clone, name), reported(clone, name)
                looks, both = looks + len(expected), both + len(expected & found)
                silent += [name] if expected and not found else []
            share = f"{both / looks:.0%}" if looks else "-"
            name = repository.resolve().parent.name
            print(
                f"{name:30} {len(names):5}  {looks:16}  {both:7} {share:>6}  {len(silent)} {' '.join(silent[:4])}",
                flush=True,
            )


if __name__ == "__main__":
    main()
