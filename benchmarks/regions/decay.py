"""How references rot, and how many the region engine still finds: random lines of real repositories, followed to today.

    python benchmarks/regions/decay.py --folder CLONES [--per 40] [--seed 1] [--sheet FILE] [NAME…]

For each clone: the first-parent commit that was newest 1, 3, 6, 12 and 24 months before its newest one; random text
files of it; a random line, or five, that begin and end with a line that says something. Every reference is followed to
the newest commit. *survives*: an independent look says that the content is still there: each line of the reference that
says something stands, blanks aside, in the file of that path or in the file that `git diff -M` says it became; of such
references *located* is the share that the engine places (`fresh`, `moved` or `edited`). `--sheet` writes 200 random
answers side by side, to be checked by eye.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from scoutkit import git
from scoutkit.anchors.region import Regions
from scoutkit.model.notes import Located, Region, Verdict
from scoutkit.snapshot import Snapshot

MONTHS = (1, 3, 6, 12, 24)
FOUND = (Verdict.FRESH, Verdict.MOVED, Verdict.EDITED)


@dataclass(frozen=True)
class Answer:
    repository: Path
    months: int
    size: int
    old: str
    new: str
    region: Region
    located: Located
    survives: bool


def _git(where: Path, *args: str) -> str:
    run = subprocess.run(["git", "-C", str(where), *args], capture_output=True, check=False)  # some clones lack blobs
    return run.stdout.decode("utf-8", "replace")


def before(where: Path, months: int) -> str:
    """The newest first-parent commit that is so many months older than the newest one; "" where there is none."""
    newest = int(_git(where, "log", "-1", "--format=%ct"))
    until = newest - months * 2_629_800
    return _git(where, "log", "--first-parent", "-1", "--format=%H", f"--until={until}").strip()


def pick(snapshot: Snapshot, chance: random.Random, number: int) -> list[Region]:
    """Random references of one and of five lines, in turn."""
    files = [path for path, entry in snapshot.entries.items() if entry.mode.startswith("100")]
    found: list[Region] = []
    for _ in range(number * 20):
        path, size = chance.choice(files), (1, 5)[len(found) % 2]
        lines = snapshot.lines(path) or []
        if len(lines) < size + 2 or len(lines) > 20_000:
            continue
        start = chance.randint(1, len(lines) - size + 1)
        ends = lines[start - 1], lines[start + size - 2]
        if all(sum(character.isalnum() for character in line) >= 3 for line in ends):
            found.append(Region(path, start, start + size - 1))
            if len(found) == number:
                break
    return found


def _even(lines: list[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines]


def follow(where: Path, months: int, number: int, chance: random.Random, times: list[float]) -> list[Answer]:
    """Every answer for one repository and one age."""
    old, new = before(where, months), _git(where, "rev-parse", "HEAD").strip()
    if not old or old == new:
        return []
    raw = _git(where, "diff", "-M", "--diff-filter=R", "--name-status", "-z", old, new).split("\0")
    renamed = {raw[at + 1]: raw[at + 2] for at in range(0, len(raw) - 2, 3)}
    answers = []
    repository = git.discover(where)
    with Snapshot(where, old) as was, Snapshot(where, new) as now, Regions(repository, new) as regions:
        for region in pick(was, chance, number):
            began = time.process_time()
            located = regions.locate(region, old)
            times.append(time.process_time() - began)
            lines = _even((was.lines(region.path) or [])[region.start - 1 : region.end])
            path = region.path if region.path in now.entries else renamed.get(region.path, "")
            there = set(_even(now.lines(path) or [])) if path else set()
            survives = all(line in there for line in lines if any(map(str.isalnum, line)))
            size = region.end - region.start + 1
            answers.append(Answer(where, months, size, old, new, region, located, survives))
    return answers


def table(answers: list[Answer]) -> None:
    """Shares by age and size."""
    groups: dict[tuple[int, int], list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.months, answer.size].append(answer)
    verdicts = (*FOUND, Verdict.AMBIGUOUS, Verdict.GONE)
    print("| months | lines | references | " + " | ".join(verdicts) + " | survive | of those located |")
    print("|---|---|---|" + "---|" * (len(verdicts) + 2))
    for (months, size), group in sorted(groups.items()):
        counted = Counter(answer.located.verdict for answer in group)
        shares = " | ".join(f"{counted[verdict] / len(group):.1%}" for verdict in verdicts)
        alive = [answer for answer in group if answer.survives]
        located = sum(answer.located.verdict in FOUND for answer in alive) / max(len(alive), 1)
        print(f"| {months} | {size} | {len(group)} | {shares} | {len(alive) / len(group):.1%} | {located:.1%} |")


def sheet(answers: list[Answer], chance: random.Random, file: Path) -> None:
    """200 random answers, old beside new."""
    chosen = chance.sample(answers, min(200, len(answers)))
    parts = [f"# {len(chosen)} random answers\n"]
    for number, one in enumerate(chosen, 1):
        with Snapshot(one.repository, one.old) as was, Snapshot(one.repository, one.new) as now:
            at, place = one.region, one.located.region
            old = (was.lines(at.path) or [])[at.start - 1 : at.end]
            new = (now.lines(place.path) or [])[place.start - 1 : place.end] if place else []
        where = f"{place.path}:{place.start}-{place.end}" if place else "nowhere"
        parts.append(
            f"\n[ ] {number}. {one.repository.parent.name} {one.months} months {one.old[:10]} "
            f"{at.path}:{at.start}-{at.end}\n  {one.located.verdict} {one.located.score} {where}\n"
            + "".join(f"    - {line[:150]}\n" for line in old)
            + "".join(f"    + {line[:150]}\n" for line in new if one.located.verdict != Verdict.FRESH)
        )
    file.write_text("".join(parts), "utf-8")


def main() -> None:
    """Run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="folders below CLONES; all of them if none is named")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--per", type=int, default=40, help="references for each repository and age")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sheet", type=Path)
    args = parser.parse_args()
    chance = random.Random(args.seed)
    answers: list[Answer] = []
    times: list[float] = []
    folders = [args.folder / name for name in args.names] or sorted(args.folder.iterdir())
    for folder in folders:
        where = folder / "repo" if (folder / "repo").is_dir() else folder
        if (where / ".git").exists() or (where / "HEAD").exists():
            for months in MONTHS:
                answers += follow(where, months, args.per, chance, times)
    table(answers)
    print(f"\n{len(answers)} references in {len({one.repository for one in answers})} repositories")
    print(f"{sum(times) / len(times) * 1000:.1f} ms of CPU each, without git's")
    if args.sheet:
        sheet(answers, chance, args.sheet)


if __name__ == "__main__":
    main()
