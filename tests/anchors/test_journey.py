"""Lines followed through the commits between, where a look at the two ends leaves doubt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from scoutkit import git as scout
from scoutkit import history
from scoutkit.anchors import score
from scoutkit.anchors.guess import Found, Lines
from scoutkit.anchors.journey import Journey
from scoutkit.anchors.pair import Pair
from scoutkit.anchors.region import Regions
from scoutkit.anchors.targets import CommitFiles, Target
from scoutkit.model.notes import Region, Verdict
from scoutkit.objects import Objects

BODY = [
    f"    {word} = settings.get('{word}', default_{word})" for word in ("host", "port", "user", "path", "mode", "zone")
]
OTHER = [f"def other_{n}(queue):\n    return queue.push({n})\n" for n in range(6)]


class Road:
    """A repository that is committed to, and a journey through it whose looks are counted."""

    def __init__(self, root: Path, git) -> None:
        self.root, self._git = root, git
        root.mkdir()
        git(root, "init", "-q")
        self.commits: list[str] = []
        self.looks = 0

    def commit(self, **files: str | None) -> str:
        """Files by name, `__` for `/` and `_py` for `.py`; None removes one."""
        for name, text in files.items():
            path = self.root / name.replace("__", "/").replace("_py", ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text)
        self._git(self.root, "add", "-A")
        self._git(self.root, "commit", "-qm", "x", "--allow-empty")
        branch = (self.root / ".git/HEAD").read_text().strip().removeprefix("ref: ")
        self.commits.append((self.root / ".git" / branch).read_text().strip())
        return self.commits[-1]

    def travel(
        self, path: str, start: int, end: int, *, without: Sequence[int] = (), where: Path | None = None
    ) -> tuple[Found, Found]:
        """What a look at the ends says of lines (from 0), and what the journey does. Without some stations."""
        with Objects(where or self.root) as objects:
            known: dict[str, CommitFiles | None] = {}
            pairs: dict[tuple[str, str], Pair] = {}

            def files(commit: str) -> CommitFiles | None:
                if commit not in known:
                    found = objects.commit(commit)
                    lost = commit in {self.commits[number] for number in without}
                    known[commit] = CommitFiles(objects, found[1]) if found and not lost else None
                return known[commit]

            def pair(old: CommitFiles, new: Target) -> Pair:
                assert isinstance(new, CommitFiles)
                self.looks += 1
                return pairs.setdefault((old.tree, new.tree), Pair(objects, old, new, ""))

            old, new = files(self.commits[0]), files(self.commits[-1])
            assert old
            assert new
            document = old.document(path)
            assert document
            lines = Lines(document, start, end)
            stations = history.mainline(self.root, self.commits[0], self.commits[-1])[:-1]
            direct = Pair(objects, old, new, "").find(path, lines)
            return direct, Journey(stations, files, new, pair).find(path, lines, direct)


@pytest.fixture
def road(tmp_path, git) -> Road:
    return Road(tmp_path / "road", git)


def text(*parts: str) -> str:
    return "\n".join(parts) + "\n"


def load(*body: str) -> str:
    return "\n".join(["def load(settings):", *body])


def place(found: Found) -> tuple[str, int, int] | None:
    return (found.guess.path, found.guess.start, found.guess.end) if found.guess else None


def rewritten(road: Road) -> tuple[int, int]:
    """Every line of `load` becomes another, one a commit, while the file around it grows. Where it begins, then and
    in the end."""
    body = [load(), *BODY]
    road.commit(a_py=text(*OTHER, *body))
    begin = (road.root / "a.py").read_text().splitlines().index(body[0])
    for number, word in enumerate(("host", "port", "user", "path", "mode", "zone")):
        body[number + 1] = f"    yield environment.require({word.upper()!r}, {number})"
        road.commit(a_py=text(*OTHER[number:], *(f"EXTRA_{n} = {n}" for n in range(number + 1)), *body))
    body[0] = "async def variables(environment):"
    road.commit(a_py=text(*OTHER[5:], *(f"EXTRA_{n} = {n}" for n in range(6)), *body))
    return begin, (road.root / "a.py").read_text().splitlines().index(body[0])


def test_lines_that_became_others_step_by_step_are_found(road):
    begin, now = rewritten(road)

    direct, found = road.travel("a.py", begin, begin + 6)

    assert not score.clear(direct)
    assert place(direct) != place(found) == ("a.py", now, now + 6)
    assert found.score < 0.9


def test_a_file_that_was_renamed_and_then_rewritten_is_found_by_the_commit_that_renamed_it(road):
    road.commit(src__a_py=text(*OTHER, load(*BODY)), zz_py="x = 1\n")
    for number in range(5):
        road.commit(zz_py=f"x = {number}\n")
    road.commit(src__a_py=None, lib__config_py=text(*OTHER, load(*BODY)))
    head: list[str] = []
    for number in range(10):
        head.append(f"class Made{number}:\n    made_{number} = {number}\n    more_{number} = None\n")
        road.commit(lib__config_py=text(*head, *OTHER[number // 2 + 1 :], load(*BODY)))

    begin = text(*OTHER, load(*BODY)).splitlines().index("def load(settings):")
    _, found = road.travel("src/a.py", begin, begin + 6)

    now = (road.root / "lib/config.py").read_text().splitlines().index("def load(settings):")
    assert place(found) == ("lib/config.py", now, now + 6)
    assert found.guess
    assert found.guess.kept


def test_what_was_taken_out_on_the_way_is_not_found(road):
    road.commit(a_py=text(*OTHER, load(*BODY)))
    road.commit(a_py=text(*OTHER))
    road.commit(a_py=text(*OTHER, "x = 1"))
    begin = text(*OTHER, load(*BODY)).splitlines().index("def load(settings):")

    _, found = road.travel("a.py", begin, begin + 6)

    assert found.guess is None
    assert found.score > 0.5


def test_lines_that_went_and_came_back_are_found(road):
    whole = text(*OTHER, load(*BODY))
    road.commit(a_py=whole)
    road.commit(a_py=None, b_py="x = 1\n")
    road.commit(a_py=whole)
    begin = whole.splitlines().index("def load(settings):")

    _, found = road.travel("a.py", begin, begin + 6)

    assert place(found) == ("a.py", begin, begin + 6)
    assert road.looks == 0  # the ends are clear


def test_of_many_commits_few_are_looked_at(road):
    road.commit(a_py=text(*OTHER, load(*BODY)), n="0")
    for number in range(60):
        road.commit(n=str(number))
    road.commit(a_py=None, new__b_py=text(load(*BODY), *(f"y_{n} = {n}" for n in range(30))))
    for number in range(60):
        road.commit(n=f"after {number}")
    begin = text(*OTHER, load(*BODY)).splitlines().index("def load(settings):")

    _, found = road.travel("a.py", begin, begin + 6)

    assert place(found) == ("new/b.py", 0, 6)
    assert road.looks <= 20


@pytest.mark.parametrize("without", [[1, 2, 3, 4, 5, 6], [3], [1], [6]])
def test_where_commits_between_are_not_here_the_ends_decide(road, without):
    begin, now = rewritten(road)

    direct, found = road.travel("a.py", begin, begin + 6, without=without)

    assert place(found) in (place(direct), ("a.py", now, now + 6))
    if len(without) == 6:
        assert found == direct


def test_where_folders_of_the_commits_between_are_not_here_the_ends_decide(road, git, tmp_path):
    begin, _ = rewritten(road)
    git(road.root, "config", "uploadpack.allowFilter", "true")
    git(road.root, "config", "uploadpack.allowAnySHA1InWant", "true")
    where = tmp_path / "treeless"
    git(tmp_path, "clone", "-q", "--bare", "--filter=tree:0", f"file://{road.root}", where)
    for end in (road.commits[0], road.commits[-1]):
        git(where, "cat-file", "-p", f"{end}:a.py")

    direct, found = road.travel("a.py", begin, begin + 6, where=where)

    assert found == direct


def test_the_engine_asks_the_commits_between_and_says_so_in_its_score(road):
    begin, now = rewritten(road)
    with Regions(scout.discover(road.root), road.commits[-1]) as regions:
        found = regions.locate(Region("a.py", begin + 1, begin + 7), road.commits[0])

    assert (found.verdict, found.region) == (Verdict.EDITED, Region("a.py", now + 1, now + 7))
    assert found.score < 0.9
