import pytest

from scoutkit.agents.builtin.indexing.index import open_index
from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.ranking.rank import rank

FILES = {
    "src/auth/signing.py": (
        "class SessionSigner:\n"
        '    """Signs session cookies."""\n\n'
        "    def sign(self, value):\n        return value + self.mac(value)\n\n"
        "    def verify(self, cookie):\n        return self.sign(cookie[:-1]) == cookie\n"
    ),
    "src/auth/middleware.py": "def check_cookie(request):\n    return signer.verify(request.cookie)\n",
    "src/http/jar.py": "def cookie_jar():\n    return {}\n",
    "src/util/text.py": "def shorten(text):\n    return text[:10]\n",
    "src/util/numbers.py": "def clamp(value, low, high):\n    return max(low, min(value, high))\n",
    "tests/test_signing.py": "def test_session_cookie_is_signed_and_verified():\n    assert sign(1) and verify(2)\n",
    "docs/sessions.md": "# Sessions\n\nThe session cookie is signed and verified.\n",
    "types/signing.d.ts": "export function sign(session: string): string\n",
}


@pytest.fixture
def best(store, make, head):
    where = make(FILES)

    def answer(question, **options):
        with open_index(store, where, head(where), lambda _: None) as index:
            return rank(index, understand(question, **options))

    return answer


def test_source_comes_before_tests_documents_and_declarations(best):
    ranking = best("Where is the session cookie signed and verified?")
    assert ranking.files[0][0] == "src/auth/signing.py"
    assert ranking.margin == pytest.approx(ranking.files[0][1] / ranking.files[1][1])
    assert ranking.ranges[0].path == "src/auth/signing.py"
    assert {"session", "cooki", "sign"} <= ranking.ranges[0].terms


def test_tests_and_documents_are_ranked_apart(best):
    ranking = best("Where is the session cookie signed and verified?")
    assert [one.place.name for one in ranking.tests] == ["test_session_cookie_is_signed_and_verified"]
    assert [one.path for one in ranking.documents] == ["docs/sessions.md"]


def test_asked_for_tests_they_come_first(best):
    assert best("Which tests cover session cookies being signed and verified?").files[0][0] == "tests/test_signing.py"


def test_asked_for_documentation_it_counts_in_full(best):
    files = dict(best("Where is it documented that the session cookie is signed and verified?").files)
    plain = dict(best("Where is it said that the session cookie is signed and verified?").files)
    assert files["docs/sessions.md"] > plain["docs/sessions.md"]


def test_a_name_spelled_out_finds_its_definition_even_in_tests(best):
    ranking = best("What does `test_session_cookie_is_signed_and_verified` check?")
    assert ranking.files[0][0] == "tests/test_signing.py"
    assert best("clamp").files[0][0] == "src/util/numbers.py"


def test_words_in_a_path_count(best):
    assert best("jar").files[0][0] == "src/http/jar.py"
    assert best("middleware").files[0][0] == "src/auth/middleware.py"


def test_the_last_frame_of_a_traceback_comes_first(best):
    ranking = best(
        '  File "/x/src/util/numbers.py", line 2, in clamp\n'
        '  File "/x/src/util/text.py", line 2, in f\nValueError: session'
    )
    assert ranking.ranges[0].path == "src/util/text.py"


def test_words_that_are_nowhere_are_named(best):
    ranking = best("Where is the teapot signed? 茶壶 ünter")
    assert ranking.absent == ("teapot", "茶壶", "ünter")
    assert "sign" in ranking.rare


def test_nothing_to_go_on_is_an_empty_ranking(best):
    for question in ("", "the of and with", "xyzzy", "🦀"):
        ranking = best(question)
        assert (ranking.files, ranking.ranges, ranking.margin) == ((), (), 0.0)


def test_the_same_question_has_the_same_answer(best):
    assert best("session cookie value") == best("session cookie value")


def test_equal_files_share_a_score_and_the_shorter_path_comes_first(store, make, head):
    where = make({"pkg/long/path/sign.py": "def seal(): pass\n", "a/sign.py": "def seal(): pass\n"})
    with open_index(store, where, head(where), lambda _: None) as index:
        ranking = rank(index, understand("seal"))
    assert [path for path, _ in ranking.files] == ["a/sign.py", "pkg/long/path/sign.py"]


def test_asked_about_a_test_that_test_comes_first(best):
    told = "the session cookie being signed and verified"
    assert best(f"Why does the test that checks {told} add nothing?").files[0][0] == "tests/test_signing.py"


def test_two_words_of_the_question_find_their_one_word_in_code(store, make, head):
    where = make(
        {"src/a.py": "def deepcopy(tree):\n    return tree\n", "src/b.py": "def shallow(tree):\n    return tree\n"}
    )
    with open_index(store, where, head(where), lambda _: None) as index:
        ranking = rank(index, understand("Where is deep copying of a tree?"))
    assert ranking.files[0][0] == "src/a.py"
    assert "deepcopi" not in ranking.rare


@pytest.mark.parametrize(
    ("path", "place"),
    [("src/util/numbers.py", 1), ("numbers.py", 1), ("old/util/numbers.py:2", 1), ("`src/util/numbers.py`", 1)],
)
def test_a_path_that_is_written_puts_its_file_first(best, path, place):
    ranking = best(f"How is the session cookie of {path} signed and verified?")
    assert (ranking.ranges[0].path, ranking.ranges[0].place.start) == ("src/util/numbers.py", place)
    assert ranking.files[0][0] == "src/util/numbers.py"


def test_a_path_that_several_files_end_in_puts_none_first(store, make, head):
    where = make({"a/x.py": "def seal(): pass\n", "b/x.py": "def other(): pass\n", "c.py": "def melt(): pass\n"})
    with open_index(store, where, head(where), lambda _: None) as index:
        assert rank(index, understand("Does x.py melt?")).files[0][0] == "c.py"
