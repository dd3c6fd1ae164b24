from __future__ import annotations

import json
import shutil
from pathlib import Path

from .conftest import Shelf

HOSTILE = Path(__file__).parent.parent / "hostile-notes"


def test_every_hostile_note_is_listed_found_and_reported_as_expected(shelf: Shelf) -> None:
    expected = [json.loads(line) for line in (HOSTILE / "expected.jsonl").read_text("utf-8").splitlines()]
    shutil.copytree(HOSTILE / "notes", shelf.root, dirs_exist_ok=True)
    step = shelf.sync()
    assert {hit.path for hit in shelf.catalogue.list()} == {one["file"] for one in expected}
    assert {problem.path for problem in step.problems} == {one["file"] for one in expected if one["problem"]}
    assert all(problem.line > 0 and problem.hint for problem in step.problems)
    found = {one["file"]: [hit.path for hit in shelf.hits(one["word"])] for one in expected if one["word"]}
    assert found == {name: [name] for name in found}
    assert len({hit.id for hit in shelf.catalogue.list()}) == len(expected)
