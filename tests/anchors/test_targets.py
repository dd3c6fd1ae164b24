"""The working tree of a sparse checkout: what is left out on disk is not gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoutkit import git as scout
from scoutkit.anchors.region import Regions
from scoutkit.errors import RepositoryError
from scoutkit.model.notes import Region, Verdict

TEXT = "".join(f"alpha_{n} = compute({n}, 'x{n}')\n" for n in range(30))
PLACE = Region("far/a.py", 3, 8)


@pytest.fixture
def source(tmp_path, git) -> Path:
    """`one`, and `two` with a line above."""
    where = tmp_path / "source"
    git(tmp_path, "init", "-q", where)
    for option in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(where, "config", option, "true")
    for text, tag in ((TEXT, "one"), (f"# above\n{TEXT}", "two")):
        for path in (where / "far/a.py", where / "near/b.py"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text if path.parent.name == "far" else f"near = {tag!r}\n")
        git(where, "add", ".")
        git(where, "commit", "-qm", tag)
        git(where, "tag", tag)
    return where


@pytest.fixture
def sparse(source, git) -> Path:
    """A clone in which `near` alone is on disk."""
    where = source.parent / "sparse"
    git(source.parent, "clone", "-q", "--no-checkout", f"file://{source}", where)
    git(where, "sparse-checkout", "set", "near")
    git(where, "checkout", "-q", "main")
    assert not (where / "far").exists()
    return where


def located(where: Path, old: str):
    repository = scout.discover(where)
    with Regions(repository) as regions:
        return regions.locate(PLACE, scout.resolve(repository, old))


@pytest.mark.parametrize(("old", "verdict", "start"), [("one", Verdict.MOVED, 4), ("two", Verdict.FRESH, 3)])
def test_a_file_that_is_left_out_is_as_in_the_index(sparse, old, verdict, start):
    found = located(sparse, old)
    assert (found.verdict, found.region) == (verdict, Region("far/a.py", start, start + 5))


def test_a_file_that_was_put_there_all_the_same_counts_as_it_is_on_disk(sparse):
    (sparse / "far").mkdir()
    (sparse / "far/a.py").write_text("# more\n# above\n" + TEXT)
    assert located(sparse, "one").region == Region("far/a.py", 5, 10)


def test_lines_that_moved_into_a_file_that_is_left_out_are_found(sparse, git):
    git(sparse, "sparse-checkout", "disable")
    git(sparse, "mv", "far/a.py", "far/b.py")
    git(sparse, "commit", "-qm", "renamed")
    git(sparse, "sparse-checkout", "set", "near")
    assert not (sparse / "far").exists()

    found = located(sparse, "one")

    assert (found.verdict, found.region) == (Verdict.MOVED, Region("far/b.py", 4, 9))


@pytest.mark.parametrize("committed", [True, False])
def test_a_file_that_was_removed_is_gone(sparse, git, committed):
    git(sparse, "rm", "-q", "--cached", "--sparse", "far/a.py")
    if committed:
        git(sparse, "commit", "-qm", "removed")
    assert located(sparse, "one").verdict is Verdict.GONE


def test_without_a_sparse_checkout_a_file_that_is_not_on_disk_is_gone(source):
    (source / "far/a.py").unlink()
    assert located(source, "one").verdict is Verdict.GONE


@pytest.fixture
def lean(source, git) -> Path:
    """A sparse and partial clone: the blobs of `far` were never fetched, but for that of `one`."""
    where = source.parent / "lean"
    git(source.parent, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{source}", where)
    git(where, "sparse-checkout", "set", "near")
    git(where, "checkout", "-q", "main")
    git(where, "cat-file", "-p", "one:far/a.py")
    return where


def test_a_file_that_is_neither_on_disk_nor_in_the_clone_is_not_gone(lean):
    with pytest.raises(RepositoryError, match=r"not in this clone: far/a\.py as it is"):
        located(lean, "one")


def test_a_file_that_was_removed_from_a_partial_clone_is_gone_where_nothing_else_is_lacking(lean, git):
    git(lean, "rm", "-q", "--cached", "--sparse", "far/a.py")
    assert located(lean, "one").verdict is Verdict.GONE
