from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scoutkit.model.found import Problem
from scoutkit.model.missions import Kind, Result, Run, State, Usage

from .conftest import Shelf


def test_a_new_note_is_found_and_a_changed_one_by_its_new_words_only(shelf: Shelf) -> None:
    shelf.note("a.md", "about walruses", id="aaaa1111")
    assert shelf.find("walruses") == ["a.md"]
    shelf.note("a.md", "about narwhals", id="aaaa1111")
    assert shelf.find("narwhals") == ["a.md"]
    assert shelf.find("walruses") == []
    assert shelf.catalogue.damage() == []


def test_a_deleted_note_is_gone_with_everything_about_it(shelf: Shelf) -> None:
    path = shelf.note("a.md", "walrus", id="aaaa1111", tags="[sea]", citations="[{at: 'src/a.py:1-2'}]")
    shelf.note("b.md", "narwhal", id="bbbb1111")
    shelf.sync()
    path.unlink()
    assert shelf.sync().removed == 1
    assert shelf.find("walrus") == []
    assert [hit.path for hit in shelf.catalogue.list()] == ["b.md"]
    assert shelf.catalogue.citing(["src/a.py"]) == []
    tables = ("notes", "files", "hidden_words", "tags", "citations", "notes_fts_docsize")
    counts = [shelf.catalogue.connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables]
    assert counts == [1, 1, 1, 0, 0, 1]


def test_a_renamed_note_is_found_under_its_new_name_once(shelf: Shelf) -> None:
    path = shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.sync()
    path.rename(path.with_name("b.md"))
    assert shelf.find("walrus") == ["b.md"]
    assert [hit.id for hit in shelf.catalogue.list()] == ["aaaa1111"]


def test_an_edited_note_keeps_its_row_number(shelf: Shelf) -> None:
    shelf.note("b.md", "narwhal")
    shelf.sync()
    shelf.note("a.md", "walrus")
    shelf.note("b.md", "dugong")
    shelf.sync()
    keys = dict(shelf.catalogue.connection.execute("SELECT path, key FROM notes").fetchall())
    assert keys == {"b.md": 1, "a.md": 2}


def test_a_row_number_is_never_given_to_another_note(shelf: Shelf) -> None:
    keys = []
    for turn in range(3):
        path = shelf.note(f"{turn}.md", f"word{turn}x")
        shelf.sync()
        keys += [row[0] for row in shelf.catalogue.connection.execute("SELECT key FROM notes")]
        path.unlink()
        shelf.sync()
    assert len(set(keys)) == 3


def test_nothing_is_written_when_nothing_changed(shelf: Shelf) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.write("b.md", b"caf\xe9")
    shelf.unreadable["c.md"] = "no"
    first = shelf.sync()
    changes = shelf.catalogue.connection.total_changes
    second = shelf.sync()
    assert shelf.catalogue.connection.total_changes == changes
    assert second == (0, 0, first.problems, False, "", "", "")


def test_a_touched_file_is_not_taken_for_a_changed_one(shelf: Shelf) -> None:
    path = shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.sync()
    generation = shelf.catalogue.generation
    os.utime(path, (1, 1))
    assert shelf.sync().changed == 0
    assert shelf.catalogue.generation == generation
    changes = shelf.catalogue.connection.total_changes
    shelf.sync()
    assert shelf.catalogue.connection.total_changes == changes


def test_a_change_within_one_tick_of_the_clock_is_noticed(shelf: Shelf) -> None:
    path = shelf.write("a.md", "walrus one", age=0)
    shelf.sync()
    about = path.stat()
    path.write_text("walrus two")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert shelf.find("two") == ["a.md"]


def test_a_file_read_at_once_is_settled_once_its_time_has_passed(shelf: Shelf) -> None:
    path = shelf.write("a.md", "walrus", age=0)
    shelf.sync()
    settled = "SELECT settled FROM files"
    assert shelf.catalogue.connection.execute(settled).fetchone() == (0,)
    os.utime(path, (time.time() - 60, time.time() - 60))
    shelf.sync()
    assert shelf.catalogue.connection.execute(settled).fetchone() == (1,)


def test_what_cannot_be_read_is_not_taken_for_deleted(shelf: Shelf) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.note("sub/b.md", "narwhal", id="bbbb1111")
    shelf.sync()
    shelf.unreadable = {"a.md": "Permission denied", "sub": "Permission denied"}
    step = shelf.sync()
    assert step.removed == 0
    assert [problem.path for problem in step.problems] == ["a.md", "sub"]
    assert step.problems_changed
    assert shelf.find("walrus narwhal") == ["a.md", "sub/b.md"]
    shelf.unreadable = {}
    step = shelf.sync()
    assert step.problems == ()
    assert step.problems_changed


class Refusing(Shelf):
    """Lists everything and cannot read one."""

    def bytes_of(self, path: str) -> bytes:
        if path == "bad.md":
            raise PermissionError(13, "Permission denied")
        if path == "gone.md":
            raise FileNotFoundError(2, os.strerror(2))
        return super().bytes_of(path)


def test_a_note_that_cannot_be_read_stops_no_other(tmp_path: Path) -> None:
    shelf = Refusing(tmp_path)
    for name in ("a.md", "bad.md", "gone.md", "z.md"):
        shelf.write(name, "walrus")
    assert shelf.find("walrus") == ["a.md", "z.md"]
    assert shelf.catalogue.problems() == (
        Problem("bad.md", 1, "unreadable: Permission denied", "check it and its permissions"),
    )


def test_one_bad_note_is_found_and_reported_with_its_line(shelf: Shelf) -> None:
    shelf.write("bad.md", "---\nid: aaaa1111\ntitle: a: b: c\n---\n\nwalrus\n")
    shelf.write("good.md", "walrus")
    assert sorted(shelf.find("walrus")) == ["bad.md", "good.md"]
    assert [(problem.path, problem.line) for problem in shelf.catalogue.problems()] == [("bad.md", 3)]


def test_the_number_of_problems_is_said_when_it_changes_and_not_again(shelf: Shelf) -> None:
    assert not shelf.sync().problems_changed
    shelf.write("bad.md", b"caf\xe9")
    assert shelf.sync().problems_changed
    assert not shelf.sync().problems_changed
    shelf.write("bad.md", "cafe")
    assert shelf.sync().problems_changed


def test_notes_with_the_same_id_are_both_there_and_reported(shelf: Shelf) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    second = shelf.note("b.md", "narwhal", id="aaaa1111")
    step = shelf.sync()
    assert [(problem.path, problem.line) for problem in step.problems] == [("a.md", 2), ("b.md", 2)]
    ids = {hit.path: hit.id for hit in shelf.catalogue.list()}
    assert ids["a.md"] == "aaaa1111"
    assert ids["b.md"] != "aaaa1111"
    assert shelf.catalogue.resolve(ids["b.md"]).path == "b.md"
    assert [hit.path for hit in shelf.catalogue.by_ids([ids["b.md"], ids["a.md"]])] == ["b.md", "a.md"]
    second.unlink()
    assert shelf.sync().problems == ()


def test_the_id_is_free_again_when_the_note_that_had_it_goes(shelf: Shelf) -> None:
    first = shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.note("b.md", "narwhal", id="aaaa1111")
    shelf.sync()
    first.unlink()
    shelf.sync()
    assert [hit.id for hit in shelf.catalogue.list()] == ["aaaa1111"]


def test_a_note_without_an_id_goes_by_its_path_always_the_same(shelf: Shelf, tmp_path: Path) -> None:
    shelf.write("a.md", "walrus")
    shelf.sync()
    first = shelf.catalogue.list()[0].id
    shelf.catalogue.discard()
    shelf.sync()
    assert shelf.catalogue.list()[0].id == first
    assert len(first) == 8


def test_names_that_differ_in_case_or_composition_are_different_notes(shelf: Shelf) -> None:
    names = ["Note.md", "note.md", "caf\u00e9.md", "cafe\u0301.md", "a b.md", "a_b.md", "🦭.md"]
    for name in names:
        shelf.write(name, f"walrus {name}")
    assert sorted(shelf.find("walrus")) == sorted(names)


def test_a_path_may_hold_any_bytes(shelf: Shelf) -> None:
    path = Path(os.fsdecode(os.fsencode(shelf.root) + b"/caf\xe9.md"))
    path.write_text("walrus")
    os.utime(path, (1, 1))
    assert shelf.find("walrus") == [path.name]
    assert shelf.sync().changed == 0
    assert shelf.catalogue.resolve(path.name).path == path.name
    path.unlink()
    assert shelf.find("walrus") == []


def test_many_notes_come_in_several_transactions_and_are_all_there(shelf: Shelf) -> None:
    for number in range(450):
        shelf.note(
            f"{number}.md", f"walrus number{number}x", id=f"n{number:07}", citations=f"[{{at: 'a.py:{number + 1}'}}]"
        )
    step = shelf.sync()
    assert step.changed == 450
    assert shelf.catalogue.count() == 450
    assert len(shelf.catalogue.citing(["a.py"])) == 450
    assert shelf.find("number449x") == ["449.md"]
    assert shelf.catalogue.damage() == []
    parts = "SELECT count(DISTINCT segid) FROM notes_fts_idx"
    assert shelf.catalogue.connection.execute(parts).fetchone() == (1,)  # a search goes through each


def test_worktrees_keep_their_notes_apart(shelves: Callable[[str], Shelf], tmp_path: Path) -> None:
    main, other = shelves(""), shelves(str(tmp_path / "other"))
    main.note("a.md", "walrus main", id="aaaa1111")
    other.note("a.md", "walrus other", id="aaaa1111")
    assert main.find("walrus other") == ["a.md"]
    assert other.find("walrus main") == ["a.md"]
    assert [hit.snippet for hit in main.hits("walrus")] == ["walrus main"]
    assert [hit.snippet for hit in other.hits("walrus")] == ["walrus other"]
    assert other.sync().problems == ()


def test_notes_of_a_worktree_that_is_not_there_any_more_go(shelves: Callable[[str], Shelf], tmp_path: Path) -> None:
    main, other = shelves(""), shelves(str(tmp_path / "other"))
    other.note("a.md", "walrus", id="aaaa1111")
    other.sync()
    (tmp_path / "other").rename(tmp_path / "elsewhere")
    main.note("b.md", "narwhal", id="bbbb1111")
    main.sync()
    assert main.catalogue.connection.execute("SELECT path FROM notes").fetchall() == [("b.md",)]


def test_a_catalogue_of_another_version_is_made_anew_and_said_once(shelf: Shelf) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.sync()
    shelf.catalogue.close()
    with sqlite3.connect(shelf.catalogue.path) as other:
        other.execute("PRAGMA user_version = 99")
        other.execute("CREATE TABLE added (x)")
    other.close()
    step = shelf.sync()
    assert "another version" in step.rebuilt
    assert shelf.sync().rebuilt == ""
    assert shelf.find("walrus") == ["a.md"]
    tables = shelf.catalogue.connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'added'").fetchone()
    assert tables == (0,)


@pytest.mark.parametrize("damage", [b"not a database at all" * 400, b""])
def test_a_file_that_is_no_catalogue_is_made_anew(shelf: Shelf, damage: bytes) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.catalogue.path.parent.mkdir(parents=True)
    shelf.catalogue.path.write_bytes(damage)
    step = shelf.sync()
    assert bool(step.rebuilt) == bool(damage)
    assert shelf.find("walrus") == ["a.md"]


def test_a_catalogue_damaged_while_it_is_used_mends_itself(shelf: Shelf) -> None:
    for number in range(60):
        shelf.note(f"{number}.md", f"walrus {number} " + "ballast " * 200)
    shelf.sync()
    shelf.catalogue.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shelf.catalogue.close()
    raw = bytearray(shelf.catalogue.path.read_bytes())
    raw[8192:] = os.urandom(len(raw) - 8192)
    shelf.catalogue.path.write_bytes(raw)
    step = shelf.sync()
    assert len(shelf.catalogue.search("walrus", limit=100)) == 60
    assert "damaged" in step.rebuilt or "could not be read" in step.rebuilt
    assert shelf.catalogue.damage() == []


def test_a_catalogue_whose_own_message_is_no_text_is_made_anew(shelf: Shelf) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.sync()
    shelf.catalogue.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shelf.catalogue.close()
    raw = shelf.catalogue.path.read_bytes()
    assert b"CREATE TABLE " in raw
    shelf.catalogue.path.write_bytes(raw.replace(b"CREATE TABLE ", b"\x92\x93EATE TABLE "))
    assert shelf.sync().rebuilt
    assert shelf.find("walrus") == ["a.md"]


def test_an_index_that_lost_its_tables_is_mended_by_the_question_that_meets_it(shelf: Shelf) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.sync()
    shelf.catalogue.connection.execute("DROP TABLE notes_fts")
    assert [hit.path for hit in shelf.hits("walrus")] == ["a.md"]
    assert "damaged" in shelf.sync().rebuilt


def test_where_no_file_can_be_made_the_catalogue_is_kept_in_memory(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    shelf = Shelf(tmp_path)
    shelf.note("a.md", "walrus", id="aaaa1111")
    step = shelf.sync()
    assert str(shelf.catalogue.path) in step.memory
    assert shelf.find("walrus") == ["a.md"]
    assert not shelf.catalogue.on_disk


def test_a_catalogue_in_memory_begins_with_what_is_on_disk(shelf: Shelf) -> None:
    from scoutkit.search import opening

    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.sync()
    shelf.catalogue.close()
    opened = opening.kept(shelf.catalogue.path, OSError("read-only file system"))
    assert opened.connection.execute("SELECT path FROM notes").fetchall() == [("a.md",)]
    assert "read-only" in opened.memory


SYNC = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from conftest import Shelf
shelf = Shelf(Path(sys.argv[1]))
step = shelf.sync()
assert not (step.behind or step.memory or step.rebuilt), step
print(shelf.catalogue.count(), len(shelf.hits("walrus", limit=1000)))
"""


def start(shelf: Shelf) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", SYNC, str(shelf.root.parent), str(Path(__file__).parent)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_many_first_opens_at_once_all_succeed(shelf: Shelf) -> None:
    for number in range(150):
        shelf.note(f"{number}.md", f"walrus {number}")
    running = [start(shelf) for _ in range(6)]
    for one in running:
        out, err = one.communicate(timeout=100)
        assert (out.strip(), err) == ("150 150", "")
    assert shelf.catalogue.damage() == []


def test_a_first_sync_that_is_killed_is_finished_by_the_next(shelf: Shelf) -> None:
    for number in range(400):
        shelf.note(f"{number}.md", f"walrus {number}")
    for wait in (0.25, 0.45):
        one = start(shelf)
        time.sleep(wait)
        one.send_signal(signal.SIGKILL)
        one.communicate()
    shelf.sync()
    assert len(shelf.hits("walrus", limit=1000)) == 400
    assert shelf.catalogue.damage() == []


def test_a_lock_that_stays_leaves_the_catalogue_behind_and_readable(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.sync()
    shelf.catalogue.connection.execute("PRAGMA busy_timeout = 50")
    with sqlite3.connect(shelf.catalogue.path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        shelf.note("b.md", "narwhal", id="bbbb1111")
        step = shelf.sync()
        assert step.behind
        assert [hit.path for hit in shelf.hits("walrus")] == ["a.md"]
        shelf.catalogue.runs_from([run("r1")])
    other.close()
    assert shelf.find("narwhal") == ["b.md"]


def run(name: str, **more: object) -> Run:
    values: dict[str, object] = {
        "id": name,
        "kind": Kind.ASK,
        "text": "Where?",
        "base": "0" * 40,
        "agent": "builtin",
        "state": State.REMOVED,
        "isolation": "none",
        "started": "2026-11-29T12:00:00+00:00",
        "folder": "/x",
        **more,
    }
    return Run(**values)  # type: ignore[arg-type]


def test_runs_are_what_the_journal_says_and_lead_to_their_notes(shelf: Shelf) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.sync()
    done = run("r1", result=Result.DONE, note_id="aaaa1111", seconds=2.5, usage=Usage(10, 20, 0.5))
    shelf.catalogue.runs_from([done, run("r2", state=State.RUNNING, text="half \ud800 a pair\0")])
    connection = shelf.catalogue.connection
    rows = connection.execute(
        "SELECT runs.id, state, result, seconds, cost_usd, notes.id FROM runs LEFT JOIN notes ON key = note ORDER BY 1"
    ).fetchall()
    assert rows == [("r1", "removed", "done", 2.5, 0.5, "aaaa1111"), ("r2", "running", None, None, None, None)]
    changes = connection.total_changes
    shelf.catalogue.runs_from([done, run("r2", state=State.RUNNING, text="half \ud800 a pair\0")])
    assert connection.total_changes == changes
    shelf.catalogue.runs_from([done])
    assert connection.execute("SELECT id FROM runs").fetchall() == [("r1",)]


def test_a_run_finds_its_note_again_when_that_comes_later_or_is_renamed(shelf: Shelf) -> None:
    shelf.catalogue.runs_from([run("r1", note_id="aaaa1111")])
    path = shelf.note("a.md", "walrus", id="aaaa1111")
    linked = "SELECT path FROM runs JOIN notes ON key = note"
    shelf.sync()
    assert shelf.catalogue.connection.execute(linked).fetchall() == [("a.md",)]
    path.rename(path.with_name("b.md"))
    shelf.sync()
    assert shelf.catalogue.connection.execute(linked).fetchall() == [("b.md",)]
    (path.with_name("b.md")).unlink()
    shelf.sync()
    assert shelf.catalogue.connection.execute("SELECT note FROM runs").fetchall() == [(None,)]


def test_a_note_already_asked_is_known_by_its_question_but_for_case_and_punctuation(shelf: Shelf) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111", type="ask", question="Where is the `cookie` signed?")
    shelf.note("b.md", "walrus", id="bbbb1111", type="scout", question="Where is the cookie signed?")
    shelf.note("c.md", "walrus", id="cccc1111", type="ask")
    shelf.sync()
    assert shelf.catalogue.asked("where is the COOKIE signed", "ask") == ["a.md"]
    assert shelf.catalogue.asked("where was the cookie signed", "ask") == []
    assert shelf.catalogue.asked("?", "ask") == []


def test_a_process_that_looks_often_does_not_compare_again_and_misses_nothing(shelf: Shelf) -> None:
    shelf.catalogue.seen = {}
    shelf.note("a.md", "walrus")
    shelf.note("b.md", "seal")
    for _ in range(2):
        shelf.sync()
    assert len(shelf.catalogue.seen) == 1
    asked: list[str] = []
    shelf.catalogue.connection.set_trace_callback(asked.append)
    shelf.sync()
    assert not any("FROM files" in sql for sql in asked)
    path = shelf.note("a.md", "otters")  # of the same size, as if long ago
    assert shelf.find("otters") == ["a.md"]
    path.write_text("manatee")
    assert shelf.find("manatee") == ["a.md"]
    path.unlink()
    assert [hit.path for hit in (shelf.sync(), shelf.catalogue.list())[1]] == ["b.md"]
    for _ in range(2):
        shelf.sync()
    shelf.catalogue.discard()
    assert shelf.find("seal") == ["b.md"]
