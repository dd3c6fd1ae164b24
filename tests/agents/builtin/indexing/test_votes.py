import pytest

from scoutkit.agents.builtin.indexing import votes
from scoutkit.agents.builtin.indexing.index import open_index
from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.ranking.rank import rank

QUESTION = "How are duplicate deliveries dropped?"
FILES = {
    "src/inbox.py": "def receive(message):\n    return message\n",
    "src/outbox.py": "def dispatch(message):\n    return message\n",
    "src/ledger.py": "def record(entry):\n    return entry\n",
}


@pytest.fixture
def commit(git, make):
    """Change files in the repository of `FILES` under a subject."""
    make(FILES)

    def change(subject, *paths):
        where = make({})
        for path in paths:
            where.joinpath(path).parent.mkdir(exist_ok=True)
            with where.joinpath(path).open("a") as file:
                file.write("# more\n")
        git(where, "add", "-A")
        git(where, "commit", "-q", "--allow-empty", "-m", subject)
        return where

    return change


@pytest.fixture
def voted(head):
    def count(where, question=QUESTION, paths=tuple(FILES)):
        kept = dict(votes.read(where, head(where), paths))
        return votes.count(lambda term: kept.get(term, b""), understand(question).counts)

    return count


def test_a_commit_votes_for_the_files_it_touched(commit, voted):
    where = commit("Drop duplicate deliveries", "src/outbox.py")
    commit("Count entries", "src/ledger.py")
    assert list(voted(where)) == [1]
    assert list(voted(where, "Which entries are counted?")) == [2]
    assert voted(where, "Who closes the door?") == {}


def test_a_vote_is_shared_by_the_files_and_larger_the_more_the_subject_says_the_same(commit, voted):
    commit("Drop duplicate deliveries", "src/outbox.py", "src/inbox.py")
    where = commit("Drop duplicate entries of the yearly report", "src/ledger.py")
    found = voted(where)
    assert found[0] == found[1] > found[2] > 0


def test_bulk_commits_and_files_that_are_gone_have_no_vote(commit, git, voted):
    commit("Drop duplicate deliveries everywhere", *FILES, *(f"many/{number}.py" for number in range(30)))
    where = commit("Drop duplicate deliveries at once", "gone.py")
    git(where, "rm", "-q", "gone.py")
    git(where, "commit", "-qm", "Remove what nobody needs")
    assert voted(where) == {}


def test_a_folder_without_commits_to_look_at_votes_for_nothing(make, head):
    where = make(FILES)
    assert list(votes.read(where, "0" * 40, list(FILES))) == []
    assert votes.count(lambda _: b"", understand(QUESTION).counts) == {}
    assert votes.count(dict(votes.read(where, head(where), [])).get, {}) == {}


def test_what_commits_touched_tells_equal_files_apart(commit, store, head):
    where = commit("Drop duplicate messages that were dispatched", "src/outbox.py")
    with open_index(store, where, head(where), lambda _: None) as index:
        paths = [path for path, _ in rank(index, understand("Where are duplicate messages dropped?")).files]
    assert paths[:2] == ["src/outbox.py", "src/inbox.py"]
