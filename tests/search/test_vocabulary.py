from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.search import vocabulary
from scoutkit.search.fulltext import Fulltext
from scoutkit.search.vocabulary import Vocabulary, words_of

from .conftest import Shelf

WORDS = st.lists(st.text("abс会", min_size=1, max_size=5), max_size=12)


@settings(max_examples=80)
@given(words=WORDS, more=WORDS, asked=st.text("abс会", min_size=1, max_size=3))
def test_words_are_found_by_how_they_begin_and_end(words: list[str], more: list[str], asked: str) -> None:
    every = sorted({*words, *more})
    known = Vocabulary.of(words).and_those(more)
    assert known.beginning(asked) == [word for word in every if word.startswith(asked)]
    ends = [word for word in every if word.endswith(asked) and len(word) <= len(asked) + 2]
    assert sorted(set(known.ending(asked, before=2))) == ends


def test_words_are_those_of_the_index(shelf: Shelf, tmp_path: Path) -> None:
    shelf.note("a.md", "## Ünder_score", id="aaaa1111", title="getUserName İn 会话 v1.2")
    shelf.sync()
    fulltext = Fulltext(tmp_path / "whoosh", shelf.catalogue)
    fulltext.update()
    with fulltext.index.opened() as index, index.reader() as reader:
        theirs = {word.decode() for word in reader.lexicon("words")}
    kept = (fulltext.index.folder / vocabulary.FILE).read_text("utf-8")
    assert set(kept.split("\n")[1:-1]) == theirs
    assert words_of("İn v1.2") <= theirs


def test_words_of_new_notes_are_added_and_lost_ones_laid_out_again(shelf: Shelf, tmp_path: Path) -> None:
    fulltext = Fulltext(tmp_path / "whoosh", shelf.catalogue)
    shelf.note("a.md", "", id="aaaa1111", title="Walrus feeding")
    shelf.sync()
    fulltext.update()
    shelf.note("b.md", "", id="bbbb1111", title="Penguin feeding")
    shelf.sync()
    assert fulltext.suggest("wallrus pengiun") == "walrus penguin"
    (fulltext.index.folder / vocabulary.FILE).unlink()
    assert fulltext.suggest("wallrus pengiun") == "walrus penguin"
    (fulltext.index.folder / vocabulary.FILE).write_bytes(b"\xff\xfe")
    assert fulltext.suggest("wallrus pengiun") == "walrus penguin"
    (shelf.root / "b.md").unlink()
    shelf.sync()
    assert fulltext.suggest("wallrus pengiun") == "walrus pengiun"


def test_a_text_with_very_many_unknown_words_is_not_taken_for_typing_errors(shelf: Shelf, tmp_path: Path) -> None:
    fulltext = Fulltext(tmp_path / "whoosh", shelf.catalogue)
    shelf.note("a.md", "", id="aaaa1111", title="Walrus feeding")
    shelf.sync()
    fulltext.update()
    unknown = " ".join(f"qqq{chr(97 + at)}zz" for at in range(20))
    assert fulltext.suggest(f"{unknown} wallrus") is None
    assert fulltext.suggest(f"wallrus {unknown}") == f"walrus {unknown}"


def test_an_index_of_many_new_notes_is_in_one_piece(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoutkit.search.index._BATCH", 2)
    for number in range(6):
        shelf.note(f"{number}.md", "", id=f"aaaa111{number}", title="Walrus feeding")
    shelf.sync()
    several, one = Fulltext(tmp_path / "several", shelf.catalogue), Fulltext(tmp_path / "one", shelf.catalogue)
    several.update()
    monkeypatch.setattr("scoutkit.search.index._BULK", 5)
    one.update()
    assert len(list(one.index.folder.glob("*.seg"))) == 1 < len(list(several.index.folder.glob("*.seg")))
    assert len(one.fuzzy("wallrus")) == len(several.fuzzy("wallrus")) == 6
    assert one.difference() == several.difference() == ""
