"""Paths of a run's folder, as a note says them."""

from __future__ import annotations

import pytest

from scoutkit.desk import Desk
from scoutkit.model.missions import Kind, Run, State
from scoutkit.stories import vanished

FOLDER = "/home/me/.local/state/scoutkit/runs/1a2b3c4d"


def run(kind=Kind.SCOUT):
    return Run("1a2b3c4d", kind, "t", "0" * 40, "a", State.EXITED, "none", "", FOLDER)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"see {FOLDER}/repo/src/a.py:3", "see src/a.py:3"),
        (f"cd {FOLDER}/repo && make -C {FOLDER}/repo/", "cd . && make -C ./"),
        (f'File "{FOLDER}/repo//src/a.py"', 'File "src/a.py"'),
        (f"at file://{FOLDER}/repo/a.mjs:1:1", "at a.mjs:1:1"),
        (f"-I{FOLDER}/repo/include", "-Iinclude"),
        (f"{FOLDER}/repo/.github/x", ".github/x"),
        (f"{FOLDER}/repo2/x and {FOLDER}", "‹run›/repo2/x and ‹run›"),
        (f"> {FOLDER}/scratch/tmp/out.txt", "> ‹scratch›/tmp/out.txt"),
        ("/home/me/repo/src/a.py", "/home/me/repo/src/a.py"),
    ],
)
def test_the_worktree_is_where_paths_begin_and_the_scratch_folder_is_named(repo, text, named):
    assert vanished.namer(Desk.open(repo), run())(text) == named


def test_of_research_sources_are_beside_the_proof(repo):
    name = vanished.namer(Desk.open(repo), run(Kind.RESEARCH))
    assert (
        name(f"cd {FOLDER}/proof; ls {FOLDER}/sources/lib/a.py {FOLDER}/proof/b.py")
        == "cd .; ls ../sources/lib/a.py b.py"
    )
