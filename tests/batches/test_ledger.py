"""What is durable of a batch: read back after anything."""

from __future__ import annotations

import threading

import pytest

from scoutkit.batches import ledger
from scoutkit.batches.ledger import Ledger
from scoutkit.errors import NotFound, ScoutError
from scoutkit.model.batches import Plan, Task
from scoutkit.model.missions import Kind, Limits, Mission


def a_plan(name: str = "7k3m9q2d", started: str = "2026-11-30T09:00:00.000+00:00") -> Plan:
    mission = Mission(Kind.ASK, "where\udcff?", "0" * 40, "command", "echo", Limits(timeout=3), setup=("make",))
    task = Task(0, 1, 7, mission, "command", "first", ("a",), 2, (3,))
    return Plan(name, "m.txt", started, 3, "/r", (task,), force=True)


def test_a_plan_reads_back_as_it_was(tmp_path):
    Ledger.create(tmp_path / "batches", a_plan())
    assert ledger.find(tmp_path / "batches", "7k3").plan == a_plan()
    assert [one.plan.id for one in ledger.ledgers(tmp_path / "batches")] == ["7k3m9q2d"]


def test_half_a_line_is_not_read_and_the_next_one_is(tmp_path):
    book = Ledger.create(tmp_path / "batches", a_plan())
    book.note(task=0, run="r1")
    with (book.folder / ledger.LEDGER).open("ab") as file:
        file.write(b'{"task": 0, "run": "r1", "end')
    book.note(task=0, run="r1", ended="done", note="n1", path="p")
    again = Ledger(book.folder)
    again.refresh()
    (attempt,) = again.of(0).attempts
    assert (attempt.run, attempt.ended, attempt.note, attempt.path) == ("r1", "done", "n1", "p")


def test_the_first_word_on_how_a_run_ended_stands(tmp_path):
    book = Ledger.create(tmp_path / "batches", a_plan())
    book.note(task=0, run="r1", ended="failed", why="because")
    book.note(task=0, run="r1", ended="done")
    assert [one.ended for one in book.of(0).attempts] == ["failed"]


def test_many_write_at_once_and_nothing_is_lost(tmp_path):
    book = Ledger.create(tmp_path / "batches", a_plan())

    def write(number: int) -> None:
        for count in range(20):
            Ledger(book.folder).note(task=number, run=f"{number}-{count}", sync=False)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    book.refresh()
    assert {number: len(book.of(number).attempts) for number in range(4)} == dict.fromkeys(range(4), 20)


def test_one_process_at_a_time_sees_to_a_batch(tmp_path):
    book = Ledger.create(tmp_path / "batches", a_plan())
    with book.held() as first, Ledger(book.folder).held() as second:
        assert (first, second) == (True, False)
    with book.held() as again:
        assert again


def test_batches_are_found_by_the_start_of_their_id_newest_first(tmp_path):
    for name, hour in (("aa1", 9), ("aa2", 11), ("b", 10)):
        Ledger.create(tmp_path, a_plan(name, f"2026-11-30T{hour:02}:00:00.000+00:00"))
    (tmp_path / "torn").mkdir()
    assert [one.plan.id for one in ledger.ledgers(tmp_path)] == ["aa2", "b", "aa1"]
    with pytest.raises(NotFound, match="begins several"):
        ledger.find(tmp_path, "aa")
    with pytest.raises(NotFound, match="no batch"):
        ledger.find(tmp_path, "c")


def test_a_plan_that_cannot_be_read_is_one_clear_error(tmp_path):
    book = Ledger.create(tmp_path, a_plan())
    (book.folder / ledger.PLAN).write_text("{")
    assert ledger.ledgers(tmp_path) == []
    with pytest.raises(ScoutError, match="cannot be read"):
        _ = Ledger(book.folder).plan
