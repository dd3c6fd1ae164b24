"""Notes that change while they are looked at: what was followed from one text is never written into another."""

from __future__ import annotations

import pytest

from scoutkit.desk import Desk
from scoutkit.errors import Refused
from scoutkit.model.notes import Note
from scoutkit.stories import confirming, standing

NUMBERS = "".join(f"value {number}\n" for number in range(1, 31))
TEXT = "".join(f"- `value {line}` is at a.txt:{line}\n" for line in range(1, 21))


@pytest.fixture
def desk(repo, git) -> Desk:
    """A note that cites twenty lines, each of which has since moved to where the next but one was."""
    (repo / "a.txt").write_text(NUMBERS)
    git(repo, "add", "a.txt")
    git(repo, "commit", "-qm", "numbers")
    found = Desk.open(repo)
    from scoutkit.stories.intake import Keeper, Source

    with Keeper(found) as keeper:
        keeper.keep(Source(f"# Numbers\n\n{TEXT}"))
    found.sync()
    (repo / "a.txt").write_text(f"zero\nzero\n{NUMBERS}")
    return found


def only(desk: Desk) -> Note:
    return standing.choose(desk)[0]


def looked_at(desk: Desk) -> standing.Checkup:
    return standing.survey(desk, [only(desk)], "")[0]


def test_of_two_that_fix_a_note_at_once_the_second_moves_nothing_twice(desk):
    first, second = looked_at(desk), looked_at(desk)
    done, _ = standing.fix(desk, first)
    raw = desk.notebook.bytes_of(done.note.path)
    assert b"- `value 20` is at a.txt:22\n" in raw
    again, missed = standing.fix(desk, second)
    assert desk.notebook.bytes_of(done.note.path) == raw
    assert (again.note.citations, missed) == (done.note.citations, ())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"# Numbers", b"# Numbers and more"),
        (b"at a.txt:7\n", b"at a.txt:8\n"),
        (b"'a.txt:7'", b"'a.txt:8'"),
        (b"status: stable", b"status: deprecated"),
    ],
)
def test_a_note_that_somebody_edited_meanwhile_is_not_rewritten(desk, repo, git, old, new):
    checkup, note = looked_at(desk), only(desk)
    path = repo / note.path
    edited = path.read_bytes().replace(old, new)
    assert edited != path.read_bytes()
    path.write_bytes(edited)
    with pytest.raises(Refused, match="changed meanwhile"):
        standing.fix(desk, checkup)
    git(repo, "commit", "-qam", "moved")
    with pytest.raises(Refused, match="changed meanwhile"):
        confirming.confirm(desk, note)
    assert path.read_bytes() == edited


@pytest.mark.parametrize("name", ["with space.txt", "co:lon.txt", "glob*[a].txt", "-dash.txt", "a,b.txt", "it's.txt"])
def test_a_place_in_the_text_that_is_not_rewritten_is_named_with_its_line(repo, git, name):
    (repo / name).write_text(NUMBERS)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "numbers")
    head = git(repo, "rev-parse", "HEAD").strip()
    path = repo / ".claude/notes/odd.md"
    path.parent.mkdir(parents=True)
    quoted = name.replace("'", "''")
    text = (
        f"---\nid: abcdefgh\ntitle: Odd\ncommit: {head}\n"
        f"citations:\n- {{at: '{quoted}:5-7', verdict: supported}}\n---\n"
        f"See {name}:5-7.\n\n```\n{name}:5-7\n```\n\nNot {name}:5-70 and not x{name}:5-7.\n"
    )
    path.write_text(text)
    (repo / name).write_text(f"zero\n{NUMBERS}")
    desk = Desk.open(repo)
    desk.sync()
    _, missed = standing.fix(desk, looked_at(desk))
    after = path.read_text().split("---\n")[2]
    if after == text.split("---\n")[2]:
        assert missed == (f".claude/notes/odd.md:8: {name}:5-7",)
    else:
        assert (after.splitlines()[0], missed) == (f"See {name}:6-8.", ())
