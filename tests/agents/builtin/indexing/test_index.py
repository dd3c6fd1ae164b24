import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from scoutkit import git, languages, symbols
from scoutkit.agents.builtin.indexing import chunks, reading, terms, tree
from scoutkit.agents.builtin.indexing.index import open_index
from scoutkit.agents.builtin.indexing.store import Store, version
from scoutkit.agents.builtin.ranking import bare

SIGN = "def sign(value):\n    return value\n"


def opened(store, where, head, said=None, **options):
    return open_index(store, where, head(where), said.append if said is not None else lambda _: None, **options)


def where_is(index, term):
    """Paths of the files that hold a term in a chunk."""
    chunks = [index.chunk_bases[one.piece] + at for one in index.postings(term) for at in one.chunks]
    return sorted(index.paths[number] for chunk in chunks for number in index.paths_of.get(index.file_of(chunk), ()))


def test_terms_definitions_paths_and_places_are_found(store, make, head):
    where = make({"src/signing.py": SIGN, "README.md": "# Cookies\n\nThey are signed.\n", "logo.png": b"\x89PNG\0"})
    with opened(store, where, head) as index:
        assert where_is(index, "sign") == ["README.md", "src/signing.py"]
        chunk = index.defined("sign")
        assert [index.paths[number] for number in index.paths_of[index.file_of(chunk[0])]] == ["src/signing.py"]
        assert index.defined("Sign") == []
        assert [index.paths[number] for number in index.path_postings("sign")[0]] == ["src/signing.py"]
        place = index.places(index.file_of(chunk[0]))[chunk[0] - index.first_chunk(index.file_of(chunk[0]))]
        assert (place.qualified, place.start, place.end) == ("sign", 1, 2)
        assert index.unread["binary"] == [1, "logo.png"]


def test_the_next_commit_reads_only_what_is_new(store, make, head, monkeypatch):
    where = make({"a.py": SIGN, "b.py": "def verify(): pass\n"})
    with opened(store, where, head) as index:
        assert where_is(index, "sign") == ["a.py"]
    make({"a.py": "def seal(): pass\n", "c.py": SIGN})
    read = []
    digest = reading.digest
    monkeypatch.setattr(reading, "digest", lambda *args, **more: (read.extend(args[2]), digest(*args, **more)))
    with opened(store, where, head) as index:
        assert [one.path for one in read] == ["a.py"]  # c.py's blob is known
        assert where_is(index, "sign") == ["c.py"]
        assert where_is(index, "seal") == ["a.py"]
        assert index.chunk_count == 3
    with opened(store, where, head):
        assert len(read) == 1


def test_equal_files_are_one_file_with_two_paths_and_languages_are_told_apart(store, make, head):
    where = make({"a/x.py": SIGN, "b/x.py": SIGN, "x.txt": SIGN})
    with opened(store, where, head) as index:
        assert sorted(map(len, index.paths_of.values())) == [1, 2]
        assert len(index.defined("sign")) == 1


def test_what_is_no_text_of_its_own_is_left_unread_and_said_so(store, make, head):
    note = "---\ntype: ask\n---\n\n# Signing\n\n<!-- scoutkit:anchors\n-->\n"
    where = make(
        {
            "big.txt": b"word " * 1_100_000,
            "model.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "notes/a.md": note,
            ".claude/notes/b.md": "# Signing\n",
            "a.py": SIGN,
        }
    )
    with opened(store, where, head) as index:
        assert (index.unread["huge"], index.unread["pointer"]) == ([1, "big.txt"], [1, "model.bin"])
        assert index.unread["note"] == [1, "notes/a.md"]
        assert where_is(index, "sign") == ["a.py"]


def test_links_and_submodules_are_no_files(store, make, head, git):
    where = make({"a.py": SIGN})
    (where / "link.py").symlink_to("a.py")
    git(where, "update-index", "--add", "--cacheinfo", f"160000,{head(where)},sub")
    git(where, "add", "link.py")
    git(where, "commit", "-q", "-m", "link")
    with opened(store, where, head) as index:
        assert index.paths == ["a.py"]


def test_a_sparse_checkout_limits_what_is_looked_at(store, make, head, git):
    where = make({"in/a.py": SIGN, "out/b.py": SIGN.replace("value", "other")})
    git(where, "sparse-checkout", "set", "in")
    with opened(store, where, head) as index:
        assert index.paths == ["in/a.py"]
    git(where, "sparse-checkout", "disable")
    with opened(store, where, head) as index:
        assert index.paths == ["in/a.py", "out/b.py"]


def test_a_worktree_without_files_and_a_bare_repository_are_read_in_full(store, make, head, git, tmp_path):
    where = make({"a.py": SIGN})
    git(where, "worktree", "add", "-q", "--detach", "--no-checkout", tmp_path / "empty")
    git(tmp_path, "clone", "-q", "--bare", where, "bare.git")
    for place in (tmp_path / "empty", tmp_path / "bare.git"):
        with opened(store, place, head) as index:
            assert where_is(index, "sign") == ["a.py"]


def test_a_repository_that_borrows_objects_is_the_one_it_borrows_from(make, git, tmp_path):
    where = make({"a.py": SIGN})
    git(tmp_path, "clone", "-q", "--shared", where, "borrowed")
    assert tree._objects(tmp_path / "borrowed") == tree._objects(where)


def test_names_that_are_no_utf8_and_files_without_a_name_for_their_language(store, make, head):
    where = make({os.fsdecode(b"caf\xe9.py"): SIGN, "run": "#!/usr/bin/env python3\ndef seal(): pass\n"})
    with opened(store, where, head) as index:
        assert sorted(index.paths) == sorted([os.fsdecode(b"caf\xe9.py"), "run"])
        assert len(index.defined("seal")) == 1


def test_a_commit_without_files_has_an_index(store, make, head):
    with opened(store, make({}), head) as index:
        assert (index.paths, index.chunk_count, index.postings("sign")) == ([], 0, [])


def test_two_workers_read_what_one_process_would(store, make, head, monkeypatch, tmp_path):
    monkeypatch.setattr(reading, "_WORTH_WORKERS", 1)
    monkeypatch.setattr(reading, "_FILES", 7)
    where = make({f"m{number}.py": f"def sign{number}():\n    return {number}\n" for number in range(40)})
    with (
        opened(store, where, head) as index,
        Store(tmp_path / "other") as alone,
        opened(alone, where, head, workers=1) as other,
    ):
        assert len(index.pieces) == len(other.pieces) == 6
        for number in range(40):
            assert where_is(index, f"sign{number}") == where_is(other, f"sign{number}") == [f"m{number}.py"]


def test_what_a_dead_worker_had_is_read_all_the_same(store, make, head, monkeypatch):
    monkeypatch.setattr(reading, "_WORTH_WORKERS", 1)
    monkeypatch.setattr(reading.process, "spawn", _dying(reading.process.spawn))
    where = make({"a.py": SIGN})
    with opened(store, where, head) as index:
        assert where_is(index, "sign") == ["a.py"]


def _dying(spawn, last="os.kill(os.getpid(), 9)"):
    def start(argv, **options):
        dead = [sys.executable, "-c", f"import os; {last}"]
        return spawn(dead if "scoutkit.agents.builtin.indexing.reading" in argv else argv, **options)

    return start


def test_a_tree_spread_over_too_many_segments_is_read_again(store, make, head, monkeypatch):
    monkeypatch.setattr(tree, "_CROWD", 3)
    for number in range(7):
        where = make({f"m{number}.py": f"def sign{number}(): pass\n"})
        with opened(store, where, head) as index:
            assert len(index.pieces) <= 4
            assert where_is(index, f"sign{number}") == [f"m{number}.py"]
    assert len(index.defined("sign0")) == 1


def test_the_cache_lets_go_of_what_was_not_used_for_longest(store, make, head):
    first, second = make({"a.py": SIGN}, "first"), make({"b.py": SIGN + "\n"}, "second")
    for where in (first, second):
        with opened(store, where, head):
            pass
    store.connection.execute("UPDATE segments SET used = 1 WHERE id = 1")
    store.connection.execute("UPDATE segments SET used = 2 WHERE id = 2")
    store.trim(capacity=0)
    assert store.connection.execute("SELECT count(*) FROM segments").fetchone() == (0,)
    for where, path in ((first, "a.py"), (second, "b.py")):
        with opened(store, where, head) as index:
            assert where_is(index, "sign") == [path]


def test_the_cap_takes_the_older_half_and_gives_the_disk_its_space_back(store, make, head):
    for name in ("old", "new"):
        with opened(store, make({"a.py": "".join(f"def {name}{at}(): pass\n" for at in range(3000))}, name), head):
            pass
    store.connection.execute("UPDATE segments SET used = id")
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    before = store._path.stat().st_size
    store.trim(capacity=before - 1)
    assert store.connection.execute("SELECT id FROM segments").fetchall() == [(2,)]
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    assert store._path.stat().st_size < 0.7 * before


def test_what_was_used_within_the_hour_goes_only_where_the_cap_is_far_exceeded(store, make, head):
    for number in range(3):
        with opened(store, make({"a.py": SIGN + f"\n# {number}\n"}, f"made{number}"), head):
            pass
    segments = "SELECT id FROM segments ORDER BY id"
    store.trim(capacity=store._size() - 1)
    assert store.connection.execute(segments).fetchall() == [(1,), (2,), (3,)]
    store.trim(capacity=1, keep={2})
    assert store.connection.execute(segments).fetchall() == [(2,)]


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(terms, "VERSION", 0), (chunks, "VERSION", 0), (symbols, "VERSION", 0), (languages, "EMBEDDED", {})],
)
def test_another_way_to_read_files_is_another_cache(monkeypatch, module, name, value):
    before = version()
    monkeypatch.setattr(module, name, value)
    assert version() != before


def test_a_cache_that_no_version_used_for_a_month_goes(store):
    for name, days in (("0" * 12, 31), ("1" * 12, 29)):
        path = store.folder / f"{name}.db"
        path.write_bytes(b"")
        os.utime(path, (time.time() - days * 86_400,) * 2)
    store.trim()
    assert {path.name for path in store.folder.glob("*.db")} == {store._path.name, "1" * 12 + ".db"}


def test_what_is_held_open_stays_though_others_let_go(store, make, head):
    where = make({"a.py": SIGN})
    with opened(store, where, head) as index:
        with Store(store.folder) as other:
            other.connection.execute("UPDATE segments SET used = 1")
            other.trim(capacity=0)
        assert where_is(index, "sign") == ["a.py"]


def test_a_damaged_cache_is_made_again(store, make, head):
    where = make({"a.py": SIGN})
    path = store._path
    store.connection.close()
    for damage in (b"no database at all" * 1000, b""):
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        path.write_bytes(damage)
        with Store() as again, opened(again, where, head) as index:
            assert where_is(index, "sign") == ["a.py"]


def test_a_cache_that_is_damaged_inside_is_made_again_when_it_is_asked(make, head, cache):
    where = make({f"m{at}.py": f"def sign{at}(): pass\n" * 50 for at in range(30)})
    for _ in range(2):
        found = bare.places(where, head(where), "sign7", lambda _: None)
        assert [one.path for one in found.ranges][:1] == ["m7.py"]
        (path,) = cache.glob("*.db")
        path.write_bytes(path.read_bytes()[:8192] + b"\x55" * (path.stat().st_size - 8192))


def test_a_full_disk_is_no_reason_to_fail(store, make, head):
    where = make({"a.py": "".join(f"def sign{at}(): pass\n" for at in range(3000))})
    pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
    store.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with opened(store, where, head) as index:
        assert not store.shared
        assert len(index.defined("sign7")) == 1


def test_what_was_read_before_patience_ended_is_kept(store, make, head):
    where = make({f"m{at}.py": f"def sign{at}(): pass\n" for at in range(9)})
    left = iter(range(5))

    def hurry(_):
        next(left)

    with pytest.raises(StopIteration):
        reading.digest(store, where, wanted(where, head), hurry, docs=True)
    assert store.connection.execute("SELECT count(*) FROM blobs").fetchone() == (5,)


def test_who_has_no_time_reads_a_part_each_time(store, make, head):
    where = make({f"m{at}.py": SIGN.replace("sign", f"sign{at}") for at in range(6)})
    for _ in range(2):
        with pytest.raises(tree.Cold), opened(store, where, head, most=70):
            pass
    with opened(store, where, head, most=70) as index:
        assert where_is(index, "sign3") == ["m3.py"]


def wanted(where, head):
    entries = git.tree(where, head(where))
    return [reading.Wanted(entry.blob, "python", entry.path) for entry in entries]


def test_of_a_file_that_crashes_the_parser_only_lines_are_read(store, make, head, monkeypatch):
    monkeypatch.setattr(reading, "_WORTH_WORKERS", 1)
    monkeypatch.setattr(
        reading.process, "spawn", _dying(reading.process.spawn, "os.write(1, b'..'); os.kill(os.getpid(), 11)")
    )
    where = make({f"m{at}.py": f"def sign{at}():\n    pass\n" for at in range(3)})
    with opened(store, where, head) as index:
        assert [len(index.defined(f"sign{at}")) for at in range(3)] == [1, 0, 1]
        assert where_is(index, "sign1") == ["m1.py"]


def test_a_cache_folder_that_cannot_be_used_is_no_reason_to_fail(make, head, monkeypatch, tmp_path):
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    where = make({"a.py": SIGN})
    with Store() as store, opened(store, where, head) as index:
        assert not store.shared
        assert where_is(index, "sign") == ["a.py"]


def test_the_cache_is_private(store):
    assert store.folder.stat().st_mode & 0o777 == 0o700


def test_kill_at_any_point_leaves_a_cache_that_goes_on(make, head, cache):
    """Every killed run leaves whole segments: the next one has fewer files to read, and the same answers."""
    where = make({f"m{number}.py": f"def sign{number}():\n    return {number}\n" * 30 for number in range(60)})
    code = (
        "import sys; from pathlib import Path\n"
        "from scoutkit.agents.builtin.indexing import reading\n"
        "from scoutkit.agents.builtin.indexing.store import Store\n"
        "from scoutkit.agents.builtin.indexing.index import open_index\n"
        "reading._FILES = 5\n"
        "with Store() as store, open_index(store, Path(sys.argv[1]), sys.argv[2], print, workers=1): print('there')\n"
    )
    argv = [sys.executable, "-c", code, str(where), head(where)]
    for wait in (0.12, 0.2, 0.25, 0.3, 0.35):
        child = subprocess.Popen(argv, stdout=subprocess.PIPE)
        time.sleep(wait)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        for database in cache.glob("*.db"):
            assert sqlite3.connect(database).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with Store() as store, opened(store, where, head) as index:
        assert len(index.paths_of) == 60
        assert all(len(index.defined(f"sign{number}")) == 30 for number in range(60))


def test_several_at_once_read_once(make, head, cache):
    where = make({f"m{number}.py": f"def sign{number}(): pass\n" * 200 for number in range(120)})
    code = (
        "import sys; from pathlib import Path\n"
        "from scoutkit.agents.builtin.indexing.store import Store\n"
        "from scoutkit.agents.builtin.indexing.index import open_index\n"
        "with Store() as store, open_index(store, Path(sys.argv[1]), sys.argv[2], print) as index:\n"
        "    print(len(index.defined('sign7')))\n"
    )
    argv = [sys.executable, "-c", code, str(where), head(where)]
    started = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = [child.communicate(timeout=100)[0].splitlines() for child in started]
    assert [lines[-1] for lines in said] == ["200"] * 4
    with Store() as store:
        assert store.connection.execute("SELECT count(*), count(DISTINCT segment) FROM blobs").fetchone() == (120, 1)


@pytest.mark.parametrize("holder_dies", [True, False])
def test_who_waits_says_so_and_goes_on_when_the_reader_is_done_or_dead(store, make, head, holder_dies):
    where = make({"a.py": SIGN})
    code = (
        "import sys; from scoutkit.agents.builtin.indexing.store import Store\n"
        "with Store() as store, store.builder(sys.argv[1], lambda: None):\n"
        "    print('held', flush=True); sys.stdin.readline()\n"
    )
    argv = [sys.executable, "-c", code, tree._objects(where)]
    holder = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdin
    assert holder.stdout
    assert holder.stdout.readline() == b"held\n"
    said = []

    def say(text):
        said.append(text)
        if holder_dies:
            holder.kill()
        elif not holder.stdin.closed:
            holder.stdin.close()

    with open_index(store, where, head(where), say) as index:
        assert where_is(index, "sign") == ["a.py"]
    assert "waiting" in said[0]
    holder.kill()
    holder.wait()
    holder.stdout.close()
    holder.stdin.close()
