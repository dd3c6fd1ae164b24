from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoutkit.anchors.document import Document
from scoutkit.anchors.linemap import LineMap, unchanged

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "}", "return x", "  return x", "def f():"]), max_size=30)


def made(lines: list[str]) -> Document:
    return Document("", "x.txt", "".join(f"{line}\n" for line in lines))


@given(LINES, LINES)
def test_the_map_is_in_order_and_joins_only_lines_that_are_the_same(old: list[str], new: list[str]) -> None:
    mapped = LineMap(made(old), made(new))
    hits = [(number, at) for number, at in enumerate(mapped.to) if at >= 0]
    assert [at for _, at in hits] == sorted({at for _, at in hits})
    assert all(old[number].split() == new[at].split() for number, at in hits)


@given(LINES, LINES)
def test_every_old_line_is_the_same_in_the_new_text_or_lies_in_a_gap(old: list[str], new: list[str]) -> None:
    mapped = LineMap(made(old), made(new))
    for number, at in enumerate(mapped.to):
        if at < 0:
            gap = mapped.gap(number)
            assert gap.old <= number < gap.old_end
            place, alike = mapped.place(number)
            assert place == -1 or (gap.new <= place < gap.new_end and 0 < alike <= 1)


@given(LINES)
def test_a_text_is_itself(lines: list[str]) -> None:
    assert unchanged(lines, lines) == list(range(len(lines)))


@given(LINES, st.integers(0, 30), st.lists(st.sampled_from(["new 1", "new 2"]), min_size=1, max_size=5))
def test_lines_put_in_between_move_what_is_below(lines: list[str], at: int, more: list[str]) -> None:
    distinct = [f"{number} {line}" for number, line in enumerate(lines)]
    at = min(at, len(distinct))
    mapped = LineMap(made(distinct), made([*distinct[:at], *more, *distinct[at:]]))
    assert mapped.to == [*range(at), *range(at + len(more), len(distinct) + len(more))]


def test_an_edited_line_becomes_the_line_most_like_it() -> None:
    old = made(["start", "total = price * count", "end"])
    new = made(["start", "log.info('x')", "total = price * count * rate", "end"])
    place, alike = LineMap(old, new).place(1)
    assert place == 2
    assert 0.5 < alike < 1
