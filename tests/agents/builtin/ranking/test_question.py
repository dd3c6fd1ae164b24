import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.agents.builtin.indexing.paths import Role
from scoutkit.agents.builtin.ranking.question import understand


def test_words_that_say_nothing_are_left_out():
    asked = understand("Where is the session cookie signed and verified?")
    assert list(asked.said) == ["session", "cookie", "signed", "verified"]
    assert asked.phrases == (("session", "cookie", "signed"), ("verified",))


def test_vague_words_count_less_and_the_projects_own_name_least():
    counts = understand("How does flask handle cookies", project="flask").counts
    assert counts["cooki"] == 1.0 > counts["handl"] > counts["flask"] > 0


def test_what_code_calls_it_for_short_counts_a_little():
    counts = understand("authentication token").counts
    assert 0 < counts["auth"] < counts["token"]


def test_identifiers_are_known_by_their_shape_or_by_backticks():
    asked = understand("Does `save` call get_user, parseHeader, Reply.send and run() or walk?")
    assert asked.names == ("save", "get_user", "parseHeader", "Reply", "send", "run")


def test_a_question_of_one_word_means_that_word():
    assert understand("get").said.keys() == {"get"}
    assert understand("get").names == ("get",)
    assert understand("how do I get it to work").said == {}


def test_frames_of_a_traceback_are_places_not_words():
    asked = understand(
        'Why?\nTraceback (most recent call last):\n  File "/usr/lib/site-packages/app/sign.py", line 12, in sign\n'
        "    at verify (C:\\app\\src\\check.js:7:3)\n"
    )
    assert asked.frames == (("/usr/lib/site-packages/app/sign.py", 12), ("C:/app/src/check.js", 7))
    assert "packages" not in asked.said


def test_addresses_and_log_lines_of_a_pasted_issue_are_left_out():
    asked = understand("see https://example.org/cookie/jar\n2024-01-02 10:11:12 ERROR teapot\nsigning fails")
    assert {"cookie", "teapot"}.isdisjoint(asked.said)
    assert "signing" in asked.said


def test_how_it_is_asked_is_not_what_about():
    assert list(understand("What would break if we removed lazyfree?").said) == ["lazyfree"]


def test_kinds_of_files_are_meant_by_their_words():
    assert Role.TEST in understand("how is signing tested").means
    assert not understand("how is signing tested").wants_tests
    assert understand("which unit tests cover signing").wants_tests
    assert understand("Where is the test class that covers signing defined?").wants_tests
    assert not understand("Where is the tested class defined?").wants_tests
    assert Role.DOCUMENT in understand("where is it documented").means


def test_a_long_question_is_cut_and_a_strange_one_understood():
    assert len(understand("word " * 100_000).text) <= 20_000
    assert list(understand("会话 cookie 在哪里签名？").said) == ["会话", "cookie", "在哪里签名"]


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200))
def test_no_text_breaks_it(text):
    asked = understand(text, project=text[:5])
    assert all(value > 0 for value in asked.counts.values())


@pytest.mark.parametrize(
    ("question", "joined"),
    [
        ("Where is the deep copying hook?", "deepcopi"),
        ("How is the assignment name processed?", "assignname"),
        ("Where is the named tuple read?", "namedtuple"),
        ("How does it read time out values?", None),
    ],
)
def test_words_beside_each_other_may_be_one_in_code(question, joined):
    found = understand(question).joined
    assert joined in found if joined else "timeout" not in found


def test_long_questions_join_no_more_words_than_can_be_looked_up():
    assert len(understand(" ".join(f"word{number}x" for number in range(500))).joined) == 40


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Why does the test that checks redirects follow none?", True),
        ("Where is the test helper class that makes paths?", True),
        ("Where are tests collected?", False),
        ("Where is the tested class made?", False),
    ],
)
def test_a_question_about_a_test_is_told_from_one_that_only_says_so(question, asked):
    assert understand(question).of_test is asked


@pytest.mark.parametrize("filler", ["\n", "\n \n", "at ", "at (at ", "."])
def test_what_is_pasted_around_a_frame_is_passed_over_at_once(filler):
    text = filler * (10_000 // len(filler)) + "\nat work (src/app.js:12:5)\n"
    assert [frame[:2] for frame in understand(text).frames] == [("src/app.js", 12)]
