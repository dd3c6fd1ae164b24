"""Commits, trees and blobs as a repository has them, or lacks them."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from scoutkit import git as scout
from scoutkit.anchors.anchor import make
from scoutkit.anchors.region import Regions
from scoutkit.errors import RepositoryError
from scoutkit.model.notes import Anchor, Citation, Region, Verdict
from scoutkit.objects import FILE, FOLDER, LINK, SUBMODULE, Change, Item, Objects
from scoutkit.snapshot import Snapshot

TEXT = "".join(f"alpha_{n} = compute({n}, 'x{n}')\n" for n in range(30))
PLACE = Region("d/a.py", 3, 8)


def commit(git, where: Path, files: dict[str, str | None], tag: str) -> None:
    for name, text in files.items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
    git(where, "add", "-A")
    git(where, "commit", "-qm", tag)
    git(where, "tag", tag)


def name(git, where: Path, revision: str) -> str:
    return git(where, "rev-parse", revision).strip()


def children() -> list[int]:
    """Processes that this one started: git alone."""
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "cat-file" in line]


@pytest.fixture
def objects(repo):
    with Objects(repo) as found:
        yield found


# what is there


def test_a_revision_is_its_commit_and_its_tree(objects, repo, git):
    head, tree = name(git, repo, "HEAD"), name(git, repo, "HEAD^{tree}")

    assert objects.commit("main") == objects.commit(head) == (head, tree)
    assert objects.commit("nope") is objects.commit("") is objects.commit("HEAD:README.md") is None
    git(repo, "tag", "-am", "a tag", "v1")
    assert objects.commit("v1") == (head, tree)


def test_a_branch_that_moved_is_looked_up_anew_when_names_are_forgotten(objects, repo, git):
    before = objects.commit("main")
    commit(git, repo, {"README.md": "# Other\n"}, "second")
    assert objects.commit("main") == before
    objects.forget()
    assert objects.commit("main") == (name(git, repo, "HEAD"), name(git, repo, "HEAD^{tree}"))


def test_paths_lead_to_files_folders_links_and_submodules_but_not_beyond(objects, repo, git):
    (repo / "link").symlink_to("README.md")
    git(repo, "add", "link")
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{name(git, repo, 'HEAD')},deps/inner")
    git(repo, "commit", "-qm", "odd ones")
    _, tree = objects.commit("HEAD")

    readme = name(git, repo, "HEAD:README.md")
    assert objects.item(tree, "README.md") == Item(FILE, readme)
    assert objects.blob(readme) == b"# Sessions\n\nCookies are signed.\n"
    assert objects.item(tree, "src/auth") == Item(FOLDER, name(git, repo, "HEAD:src/auth"))
    assert objects.item(tree, "link").mode == LINK
    assert objects.item(tree, "deps/inner/file.c") == objects.item(tree, "deps/inner")
    assert objects.item(tree, "deps/inner").mode == SUBMODULE
    assert objects.item(tree, "README.md/below") is objects.item(tree, "nope/below") is None
    assert {path for path, _ in objects.files(tree)} == {*git(repo, "ls-files", "-z").split("\0")} - {""}


@pytest.mark.parametrize("odd", ["with space", "naïve-日本", "new\nline", "tab\tand \\", os.fsdecode(b"latin-\xe9")])
def test_names_are_what_the_file_system_has(objects, repo, git, odd):
    commit(git, repo, {f"odd/{odd}": "x\n"}, "odd")
    _, tree = objects.commit("HEAD")

    assert objects.item(tree, f"odd/{odd}").mode == FILE
    assert [path for path, _ in objects.files(tree, "") if path.startswith("odd/")] == [f"odd/{odd}"]


def test_what_differs_is_told_file_by_file_also_where_a_folder_became_a_file(objects, repo, git):
    git(repo, "tag", "old")
    git(repo, "rm", "-rq", "src")
    commit(git, repo, {"src": "now a file\n", "tests/test_signing.py": "changed\n", "new/deep/er.txt": "n\n"}, "new")
    old, new = (objects.commit(one)[1] for one in ("old", "new"))

    found = {change.path: (bool(change.old), bool(change.new)) for change in objects.changes(old, new)}
    assert found == {
        "src": (False, True),
        "src/auth/signing.py": (True, False),
        "src/auth/middleware.py": (True, False),
        "tests/test_signing.py": (True, True),
        "new/deep/er.txt": (False, True),
    }
    back = [Change(path, now, was) for path, was, now in objects.changes(old, new)]
    assert sorted(back) == sorted(objects.changes(new, old))
    assert list(objects.changes(new, new)) == []
    assert {one.path for one in objects.changes("", new)} == {path for path, _ in objects.files(new)}


def test_sha256_names_are_longer(tmp_path, git):
    git(tmp_path, "init", "-q", "--object-format=sha256", "long")
    commit(git, tmp_path / "long", {"d/a.py": TEXT}, "one")
    with Objects(tmp_path / "long") as objects:
        _, tree = objects.commit("one")
        item = objects.item(tree, "d/a.py")
        assert len(item.id) == 64
        assert objects.blob(item.id) == TEXT.encode()


# git dies


def test_a_git_that_was_killed_is_started_again_and_nothing_is_missing(objects, repo):
    _, tree = objects.commit("HEAD")
    for number, path in enumerate(("README.md", "src/auth/signing.py", "tests/test_signing.py")):
        (pid,) = children()
        os.kill(pid, signal.SIGKILL)
        if number:  # dead and known to be, or just about to die
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        item = objects.item(tree, path)
        assert item is not None
        assert objects.blob(item.id) == (repo / path).read_bytes()


def test_a_git_that_dies_in_the_middle_of_a_blob_gives_no_half_of_it(repo, git, monkeypatch, tmp_path):
    real = git(repo, "--exec-path").strip()
    commit(git, repo, {"big.txt": TEXT * 2000}, "big")
    once = tmp_path / "died"
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *cat-file*)\n'
        f'  [ -e {once} ] || {{ touch {once}; {real}/git "$@" | head -c 70000; exit; }}\n'
        "esac\n"
        f'exec {real}/git "$@"\n'
    )
    program.chmod(0o755)
    blob = name(git, repo, "big:big.txt")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    with Objects(repo) as objects:
        assert objects.blob(blob) == (TEXT * 2000).encode()
    assert once.exists()


def test_a_corrupt_object_is_not_here_and_the_others_are(objects, repo, git):
    broken = name(git, repo, "HEAD:README.md")
    loose = repo / ".git/objects" / broken[:2] / broken[2:]
    loose.chmod(0o644)
    loose.write_bytes(b"not zlib")

    assert objects.blob(broken) is None
    assert objects.blob(name(git, repo, "HEAD:src/auth/signing.py")) == (repo / "src/auth/signing.py").read_bytes()


def test_a_folder_that_cannot_be_read_is_not_empty(objects, repo, git):
    broken = name(git, repo, "HEAD:src")
    (repo / ".git/objects" / broken[:2] / broken[2:]).unlink()
    _, tree = objects.commit("HEAD")

    with pytest.raises(RepositoryError, match=f"not in this clone: the folder {broken}"):
        objects.item(tree, "src/auth/signing.py")
    with pytest.raises(RepositoryError):
        list(objects.files(tree))
    assert objects.item(tree, "README.md") is not None


# a partial clone lacks what was not asked for


@pytest.fixture
def source(tmp_path, git):
    """Three commits: `one`; `two`, with lines above and a copy; `three`, in which the file has another name."""
    where = tmp_path / "source"
    git(tmp_path, "init", "-q", where)
    git(where, "config", "uploadpack.allowFilter", "true")
    git(where, "config", "uploadpack.allowAnySHA1InWant", "true")
    above = "# licence\n# more\n"
    commit(git, where, {"d/a.py": TEXT, "README": "r\n"}, "one")
    commit(git, where, {"d/a.py": above + TEXT, "e/copy.py": above + TEXT + "# end\n"}, "two")
    commit(git, where, {"d/a.py": None, "e/copy.py": None, "d/b.py": above + TEXT + "last = 1\n"}, "three")
    commit(git, where, {"d/b.py": None}, "four")
    return where


def clone(git, source: Path, kind: str, *fetched: str) -> Path:
    where = source.parent / "clone"
    git(source.parent, "clone", "-q", "--bare", f"--filter={kind}", f"file://{source}", where)
    for one in fetched:  # as a checkout would
        git(where, "cat-file", "-p", one)
    return where


def located(where: Path, git, to: str, anchor: Anchor | None = None, old: str = "one"):
    with Regions(scout.discover(where), name(git, where, to)) as regions:
        return regions.locate(PLACE, name(git, where, old) if old else "", anchor)


def test_a_blob_that_is_missing_is_no_blob_and_is_not_fetched(source, git):
    where = clone(git, source, "blob:none")
    with Objects(where) as objects:
        _, tree = objects.commit("two")
        item = objects.item(tree, "d/a.py")
        assert objects.partial
        assert objects.blob(item.id) is None
    assert f"?{item.id}" in git(where, "rev-list", "--objects", "--missing=print", "--all")


def test_a_whole_clone_is_not_partial(source):
    with Objects(source) as objects:
        assert not objects.partial


@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
@pytest.mark.parametrize("to", ["two", "three"])
def test_lines_of_a_file_that_is_not_in_the_clone_are_not_gone(source, git, kind, to):
    where = clone(git, source, kind, "one:d/a.py")

    assert located(where, git, "one").verdict is Verdict.FRESH
    with pytest.raises(RepositoryError, match="not in this clone") as caught:
        located(where, git, to)
    assert "git fetch --refetch" in caught.value.hint


def test_a_copy_that_is_in_the_clone_is_not_taken_for_a_file_that_is_not(source, git):
    where = clone(git, source, "blob:none", "one:d/a.py", "two:e/copy.py")

    with pytest.raises(RepositoryError, match=r"not in this clone: d/a\.py as it is"):
        located(where, git, "two")


def test_with_the_blobs_of_both_ends_the_commits_between_may_be_missing(source, git):
    where = clone(git, source, "blob:none", "one:d/a.py", "three:d/b.py")

    found = located(where, git, "three")

    assert (found.verdict, found.region) == (Verdict.MOVED, Region("d/b.py", 5, 10))


def test_what_no_file_of_a_partial_clone_holds_is_gone_where_all_that_differ_are_there(source, git):
    where = clone(git, source, "blob:none", "one:d/a.py")

    assert located(where, git, "four").verdict is Verdict.GONE


def test_without_the_commit_a_missing_file_is_not_gone_either(source, git):
    where = clone(git, source, "blob:none")
    with Snapshot(source, name(git, source, "one")) as snapshot:
        made = make(Citation("d/a.py", 3, 8), snapshot)
    assert made

    with pytest.raises(RepositoryError, match="not in this clone"):
        located(where, git, "two", made, old="")
