"""How good is the birth check? Right citations of real repositories, damaged in known ways, and what became of them.

    python benchmarks/birth/run.py FOLDER [--only NAME …] [--split tuned|held] [--most N] [--seed N] [--show KIND]

FOLDER holds clones: `owner+name/repo`, or any `name`. Every other repository, by name, is the one half (`tuned`, which
thresholds were chosen on), the rest the other (`held`). The same seed gives the same reports.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import damage
import truth
from damage import Case

from scoutkit import git
from scoutkit.knowledge import citations, verify
from scoutkit.knowledge.verify import Checked
from scoutkit.snapshot import Snapshot

ONE = (damage.shifted, damage.overlapping, damage.folder, damage.basename, damage.short, damage.beyond, damage.invented)
VERDICTS = ("supported", "corrected", "unsupported", "wrong")
BATCH = 60  # passages a report
OLDER = 200  # commits


def repositories(folder: Path) -> Iterator[tuple[str, Path]]:
    """Clones in a folder, bare or not, by name."""
    for child in sorted(folder.iterdir()):
        for path in (child / "repo", child):
            if (path / ".git").exists() or (path / "HEAD").exists():
                yield child.name, path
                break


def cases(snapshot: Snapshot, where: Path, chance: random.Random, most: int) -> list[list[Case]]:
    """Passages: one case each, or two that share a sentence."""
    known = truth.read(snapshot, chance)
    found = truth.truths(known, chance, most)
    passages = [[damage.right(one)] for one in found]
    passages += [[case] for harm in ONE for one in found if (case := harm(one, known, chance))]
    passages += [[case] for case in revised(known, where, chance, most)]
    pairs = [one for one in found if one.kind in ("definition", "head") and one.unique]
    for first, second in zip(pairs[::2], pairs[1::2], strict=False):
        apart = not _overlap((first.path, first.start, first.end), (second.path, second.start, second.end))
        if apart and not _cross(known, first, second):
            passages.append([damage.right(first), damage.right(second)])
            passages.append(damage.swapped(first, second))
    chance.shuffle(passages)
    return passages


def _cross(known: truth.Repository, first: truth.Truth, second: truth.Truth) -> bool:
    """Does either place hold what is said of the other?"""
    texts = ["\n".join(known.lines[one.path][one.start - 1 : one.end]) for one in (first, second)]
    return damage.holds(texts[1], first) or damage.holds(texts[0], second)


def revised(known: truth.Repository, where: Path, chance: random.Random, most: int) -> Iterator[Case]:
    """Definitions with the lines they had some commits before, where those do not hold the name now."""
    old = git.git(where, "rev-parse", "--verify", "--quiet", f"{known.snapshot.commit}~{OLDER}^{{commit}}")
    if old.code:
        return
    now = {(one.path, one.qualified): one for one in known.definitions if known.here[one.path, one.name] == 1}
    count = 0
    with Snapshot(where, old.text.strip()) as snapshot:
        paths = [path for path in known.lines if path in snapshot.entries]
        chance.shuffle(paths)
        for path in paths:
            if snapshot.entries[path].blob == known.snapshot.entries[path].blob or count >= most:
                continue
            text = snapshot.text(path) or ""
            for one in truth._python(path, text) if path.endswith(".py") else truth._other(path, text):
                new = now.get((path, one.qualified))
                if new is None or one.end > len(known.lines[path]) or len(one.name) < 4:
                    continue
                said = truth._of(known, new, "It does what its name says.", "definition", one.qualified)
                if damage.holds("\n".join(known.lines[path][one.start - 1 : one.end]), said):
                    continue
                count += 1
                yield Case("revision", said, path, one.start, one.end, (path, new.start, new.end), True)


def _overlap(one: tuple[str, int, int], other: tuple[str, int, int]) -> bool:
    return one[0] == other[0] and one[1] <= other[2] and other[1] <= one[2]


def check(
    snapshot: Snapshot, passages: list[list[Case]], chance: random.Random
) -> Iterator[tuple[Case, Checked | None]]:
    """Each case with what the check said of it; None where it was read as no citation."""
    parts, where, line = [], {}, 1
    for passage in passages:
        text = damage.written(passage[0], chance) if len(passage) == 1 else damage.together(passage, chance)
        for number in range(text.count("\n") + 1):
            where[line + number] = passage
        parts.append(text)
        line += text.count("\n") + 2
    got: dict[int, list[Checked]] = defaultdict(list)
    for one in verify.check(citations.read("\n\n".join(parts)), snapshot):
        got[id(where[one.reference.line])].append(one)
    for passage in passages:
        found = got[id(passage)][-len(passage) :]
        for number, case in enumerate(passage):
            yield case, found[number] if len(found) == len(passage) else None


class Tally:
    """Counts by kind of damage."""

    def __init__(self) -> None:
        self.verdicts: dict[str, Counter[str]] = defaultdict(Counter)
        self.unique: Counter[str] = Counter()
        self.exact: Counter[str] = Counter()
        self.near: Counter[str] = Counter()
        self.astray: Counter[str] = Counter()

    def add(self, case: Case, got: Checked | None) -> str:
        verdict = str(got.citation.verdict) if got else "unread"
        self.verdicts[case.kind][verdict] += 1
        place = (got.citation.path, got.citation.start, got.citation.end) if got else ("", 0, 0)
        resolved = verdict in ("corrected", "supported")
        if case.unique and case.right:
            self.unique[case.kind] += 1
            self.exact[case.kind] += resolved and place == case.right
            self.near[case.kind] += resolved and _overlap(place, case.right)
        if verdict == "corrected" and not (case.right and _overlap(place, case.right)):
            self.astray[case.kind] += 1
            return "astray"
        return verdict if not (case.unique and verdict in ("unsupported", "wrong")) else f"missed {verdict}"

    def table(self) -> str:
        rows = [
            "| damage | cases | " + " | ".join(VERDICTS) + " | unique | set right, exactly | overlapping | astray |"
        ]
        rows.append("|---|---|" + "---|" * (len(VERDICTS) + 4))
        for kind, counts in self.verdicts.items():
            total, unique = sum(counts.values()), self.unique[kind]
            shares = [f"{counts[verdict] / total:.1%}" for verdict in VERDICTS]
            right = [f"{counter[kind] / unique:.1%}" if unique else "" for counter in (self.exact, self.near)]
            cells = [kind, str(total), *shares, str(unique), *right, f"{self.astray[kind] / total:.1%}"]
            rows.append(f"| {' | '.join(cells)} |")
        return "\n".join(rows)


def _show(name: str, case: Case, got: Checked | None, outcome: str) -> None:
    said = f"{got.citation.at} ({got.why})" if got else "not read as a citation"
    print(f"{name} {case.kind}/{case.truth.kind} {outcome}: {case.truth.names} {case.truth.quote!r}")
    print(f"   {case.path}:{case.start}-{case.end}, right: {case.right}, got: {said}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--split", choices=("tuned", "held"))
    parser.add_argument("--most", type=int, default=60, help="right citations of each kind, a repository")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", default="", help="print cases of this kind of damage that went otherwise")
    options = parser.parse_args()
    tally, seconds, checked = Tally(), 0.0, 0
    for number, (name, path) in enumerate(repositories(options.folder)):
        half = "tuned" if number % 2 == 0 else "held"
        if (options.only and name not in options.only) or (options.split and options.split != half):
            continue
        chance = random.Random(options.seed * 1_000_003 + zlib.crc32(name.encode()))
        head = git.output(path, "rev-parse", "HEAD").strip()
        with Snapshot(path, head) as snapshot:
            passages = cases(snapshot, path, chance, options.most)
        begun = time.process_time()
        for at in range(0, len(passages), BATCH):
            with Snapshot(path, head) as snapshot:
                for case, got in check(snapshot, passages[at : at + BATCH], chance):
                    outcome = tally.add(case, got)
                    if options.show and options.show in (case.kind, outcome):
                        _show(name, case, got, outcome)
        count = sum(map(len, passages))
        seconds, checked = seconds + time.process_time() - begun, checked + count
        print(f"{name} ({half}) {head[:10]}: {count} citations, {time.process_time() - begun:.1f} s", file=sys.stderr)
    print(tally.table())
    print(
        f"\n{checked} citations in reports of {BATCH} passages, {1000 * seconds / max(checked, 1):.1f} ms of CPU each."
    )


if __name__ == "__main__":
    main()
