"""Old batches go, one that somebody may still want a while later."""

from __future__ import annotations

import os

import pytest

from scoutkit.batches import expiring, ledger
from scoutkit.batches.ledger import Ledger
from scoutkit.model.batches import Plan, Task
from scoutkit.model.missions import Kind, Mission

DAY = 86_400


@pytest.fixture
def batch(tmp_path):
    """A batch of one mission whose last step was so many days ago."""

    def call(name, days, **line):
        mission = Mission(Kind.ASK, "Where?", "0" * 40, "builtin")
        made = Plan(name, "m.txt", "2026-01-01T00:00:00", 1, "/", (Task(0, 1, 1, mission, "builtin"),))
        book = Ledger.create(tmp_path / "batches", made)
        if line:
            book.note(task=0, **line)
        for path in book.folder.iterdir():
            os.utime(path, (NOW - days * DAY,) * 2)
        return book

    return call


NOW = 2_000_000_000.0


def names(tmp_path) -> list[str]:
    return [path.name for path in expiring.expired(tmp_path / "batches", NOW)]


def test_what_is_done_goes_after_a_month_and_what_is_open_after_three(batch, tmp_path):
    batch("done-29", 29, run="r", ended="done")
    batch("done-31", 31, run="r", ended="done")
    batch("known-31", 31, memory="n")
    batch("failed-31", 31, run="r", ended="failed")
    batch("waiting-89", 89)
    batch("waiting-91", 91)
    batch("failed-91", 91, run="r", ended="failed")
    assert names(tmp_path) == ["done-31", "failed-91", "known-31", "waiting-91"]


def test_its_last_step_counts_not_its_beginning(batch, tmp_path):
    book = batch("a", 200)
    os.utime(book.folder / ledger.PLAN, (NOW - 200 * DAY,) * 2)
    book.note(task=0, run="r", ended="done")
    os.utime(book.folder / ledger.LEDGER, (NOW - 2 * DAY,) * 2)
    assert names(tmp_path) == []


def test_what_cannot_be_read_is_kept_as_long_as_what_is_open(batch, tmp_path):
    for days in (40, 100):
        book = batch(f"torn-{days}", days)
        (book.folder / ledger.PLAN).write_text("{")
        os.utime(book.folder / ledger.PLAN, (NOW - days * DAY,) * 2)
    assert names(tmp_path) == ["torn-100"]


def test_one_that_was_killed_while_it_was_made_goes_after_a_month(tmp_path):
    for days in (1, 31):
        (tmp_path / f"batches/half-{days}").mkdir(parents=True)
        os.utime(tmp_path / f"batches/half-{days}", (NOW - days * DAY,) * 2)
    assert names(tmp_path) == ["half-31"]


def test_a_link_is_no_batch(batch, tmp_path):
    (tmp_path / "batches").mkdir()
    (tmp_path / "else").mkdir()
    os.utime(tmp_path / "else", (0, 0))
    (tmp_path / "batches/link").symlink_to(tmp_path / "else")
    assert names(tmp_path) == []


def test_one_that_goes_on_is_left_alone(batch, tmp_path):
    book = batch("a", 100)
    with book.held() as mine:
        assert mine
        assert not expiring.drop(book.folder)
    assert ledger.ledgers(tmp_path / "batches")
    assert expiring.drop(book.folder)
    assert not book.folder.exists()
