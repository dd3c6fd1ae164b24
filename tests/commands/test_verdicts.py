"""What is said of a citation."""

from __future__ import annotations

import pytest

from scoutkit.anchors.check import Followed
from scoutkit.commands import verdicts
from scoutkit.model.notes import Citation, Located, Note, Region, Verdict
from scoutkit.stories.standing import Checkup


@pytest.mark.parametrize(
    ("similarity", "said"), [(1.0, "text added to it"), (0.997, "99 % the same"), (0.5, "50 % the same")]
)
def test_text_was_only_added_where_all_of_the_old_is_there(similarity, said):
    now = Region("src/a.py", 4, 9)
    located = Located(Verdict.EDITED, now, 0.9, similarity=similarity)
    followed = Followed(Citation("src/a.py", 1, 6), Region("src/a.py", 1, 6), Verdict.EDITED, located)

    assert verdicts.sentence(followed, None) == f"edited: src/a.py:1-6 → 4-9, {said}"


def test_what_was_wrong_from_the_start_is_told_apart_from_what_changed():
    cited = [("a.py", Verdict.FRESH), ("b.py", Verdict.EDITED), ("c.py", Verdict.WRONG)]
    followed = tuple(Followed(Citation(path, 1, 2), Region(path, 1, 2), verdict) for path, verdict in cited)
    one = Checkup(Note("n", "T"), followed, {})

    assert verdicts.summary([one]) == (
        "0 notes hold, 1 does not: of 3 citations 1 fresh, 1 edited, 1 wrong from the start"
    )
    assert verdicts.summary([Checkup(Note("n", "T"), followed[2:], {})]) == (
        "0 notes hold, 1 has no citation that counts: of 1 citation 1 wrong from the start"
    )


def test_notes_without_citations_neither_hold_nor_do_not():
    place = Region("a.py", 1, 2)
    holding = Checkup(Note("n", "T"), (Followed(Citation("a.py", 1, 2), place, Verdict.FRESH),), {})
    bare = Checkup(Note("b", "B"), (), {})
    broken = Checkup(Note("c", "C"), (), {}, "c.md:2: no YAML")

    assert [one.holds for one in (holding, bare, broken)] == [True, None, False]
    assert verdicts.summary([bare]) == "0 notes hold, 1 has no citations"
    assert verdicts.summary([holding, bare, bare, broken]) == (
        "1 note holds, 1 does not, 2 have no citations: of 1 citation 1 fresh"
    )


def test_where_nothing_is_checked_that_is_said():
    assert verdicts.summary([]) == "no note to check"
