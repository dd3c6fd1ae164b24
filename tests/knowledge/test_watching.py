"""Whatever changes in the notes folder is heard; where it cannot be, something may always have changed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scoutkit.knowledge.watching import Watch

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel tells on Linux alone")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "drafts").mkdir(parents=True)
    (folder / "a.md").write_text("a")
    (folder / "drafts/b.md").write_text("b")
    return folder


@pytest.fixture
def watch(notes: Path) -> Iterator[Watch]:
    watch = Watch(notes)
    assert watch.changed(), "what was before the first look is not known"
    assert not watch.changed()
    yield watch
    watch.close()


def write_in_place(notes: Path) -> None:
    with (notes / "a.md").open("r+") as file:
        file.write("b")


def add(notes: Path) -> None:
    (notes / "c.md").write_text("c")


def rename_over(notes: Path) -> None:
    (notes.parent / "fresh").write_text("n")
    (notes.parent / "fresh").rename(notes / "a.md")


def add_in_a_folder_of_it(notes: Path) -> None:
    (notes / "drafts/d.md").write_text("d")


def delete(notes: Path) -> None:
    (notes / "drafts/b.md").unlink()


def make_unreadable(notes: Path) -> None:
    (notes / "a.md").chmod(0)


def another_in_its_place(notes: Path) -> None:
    notes.parent.joinpath("other").mkdir()
    notes.rename(notes.parent / "old")
    notes.parent.joinpath("other").rename(notes)


def no_folder_at_all(notes: Path) -> None:
    shutil.rmtree(notes)


@pytest.mark.parametrize(
    "change",
    [
        *(write_in_place, add, rename_over, add_in_a_folder_of_it, delete, make_unreadable),
        *(another_in_its_place, no_folder_at_all),
    ],
    ids=lambda change: change.__name__,
)
def test_a_change_is_heard(notes: Path, watch: Watch, change: Callable[[Path], None]) -> None:
    change(notes)
    assert watch.changed()


def test_a_change_in_a_new_folder_is_heard(notes: Path, watch: Watch) -> None:
    (notes / "new/deep").mkdir(parents=True)
    assert watch.changed()
    assert not watch.changed()
    (notes / "new/deep/e.md").write_text("e")
    assert watch.changed()


def test_reading_is_no_change(notes: Path, watch: Watch) -> None:
    (notes / "a.md").read_text()
    assert list(notes.iterdir())
    assert not watch.changed()


def test_a_folder_with_links_may_always_have_changed(notes: Path, watch: Watch, tmp_path: Path) -> None:
    (notes / "elsewhere").symlink_to(tmp_path)
    assert watch.changed()
    assert watch.changed()


def test_a_folder_that_is_not_there_may_come(tmp_path: Path) -> None:
    watch = Watch(tmp_path / "none")
    assert watch.changed()
    assert watch.changed()
