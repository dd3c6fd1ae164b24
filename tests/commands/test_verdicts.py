"""What is said of a citation."""

from __future__ import annotations

import pytest

from scoutkit.anchors.check import Followed
from scoutkit.commands import verdicts
from scoutkit.model.notes import Citation, Located, Region, Verdict


@pytest.mark.parametrize(
    ("similarity", "said"), [(1.0, "text added to it"), (0.997, "99 % the same"), (0.5, "50 % the same")]
)
def test_text_was_only_added_where_all_of_the_old_is_there(similarity, said):
    now = Region("src/a.py", 4, 9)
    located = Located(Verdict.EDITED, now, 0.9, similarity=similarity)
    followed = Followed(Citation("src/a.py", 1, 6), Region("src/a.py", 1, 6), Verdict.EDITED, located)

    assert verdicts.sentence(followed, None) == f"edited: src/a.py:1-6 → 4-9, {said}"


def test_where_nothing_is_checked_that_is_said():
    assert verdicts.summary([]) == "no note to check"
