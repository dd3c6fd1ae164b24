"""The report as a reader meets it, and its citations as the birth check does."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoutkit.agents.builtin.indexing.index import open_index
from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.ranking.rank import rank
from scoutkit.agents.builtin.reporting.findings import find
from scoutkit.agents.builtin.reporting.report import write
from scoutkit.knowledge import citations, headline, verify
from scoutkit.model.notes import Verdict
from scoutkit.snapshot import Snapshot

FILES = {
    "README.md": "# Shop\n\n## Sessions\n\nA session cookie is signed with `SessionSigner`, see src/nowhere.py:99.\n",
    "src/auth/signing.py": (
        '"""Signing."""\n\nimport hmac\nimport os\n\nKEY = os.environ["SIGNING_KEY"]\n\n\n'
        "class SessionSigner:\n"
        '    """Signs session cookies, see src/old.py:12 and `nothing`."""\n\n'
        "    def __init__(self, key):\n        self.key = key\n\n"
        "    @property\n"
        "    def digest(self):\n"
        '        return config["cookie.digest"]\n\n'
        "    def sign(self, value):\n"
        '        """Append a MAC to a session cookie."""\n'
        "        return value + make_mac(self.key, value)\n\n"
        "    def verify(self, cookie):\n"
        "        # the session cookie that was signed\n"
        "        value, mac = cookie.rsplit(b'.', 1)\n"
        "        return self.sign(value) == cookie\n\n\n"
        "def make_mac(key, value):\n"
        '    name = os.environ.get("COOKIE_DIGEST")\n'
        "    return hmac.new(key, value, name).digest()\n"
    ),
    "src/auth/middleware.py": (
        "from auth.signing import SessionSigner\n\n\ndef check_cookie(request, key):\n"
        "    signer = SessionSigner(key)\n    return signer.verify(request.cookie)\n"
    ),
    "src/other.py": "\n\n".join(f"def other{number}(value):\n    return value * {number}\n" for number in range(30)),
    "tests/test_signing.py": (
        "from auth.signing import SessionSigner\n\n\ndef test_session_cookie_is_signed():\n"
        "    assert SessionSigner(b'k').sign(b'v')\n"
    ),
    "web/a b.js": "it('signs a `session` cookie', () => {\n  sign(cookie)\n})\n",
    "web/x`y.js": "function signSessionCookie () { return 'session cookie signed' }\n",
}
QUESTION = "Where is the session cookie signed and verified?"


@pytest.fixture
def report(store, make, head):
    where = make(FILES)

    def write_one(question=QUESTION, where=where):
        commit = head(where)
        with Snapshot(where, commit) as snapshot, open_index(store, where, commit, lambda _: None) as index:
            asked = understand(question)
            text = write(find(asked, rank(index, asked), index, snapshot, where))
            return text, verify.check(citations.read(text), snapshot)

    return write_one


def sections(text):
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


def test_every_citation_is_supported(report):
    text, checked = report()
    assert len(checked) >= 8
    assert [
        f"{one.reference.sentence}: {one.why}" for one in checked if one.citation.verdict is not Verdict.SUPPORTED
    ] == []
    assert len(checked) == len(citations.read(text))


def test_the_title_says_what_was_found_and_where(report):
    text, _ = report()
    title, description = headline.read(text, question=QUESTION)
    assert title.startswith(f"{QUESTION} SessionSigner.")
    assert title.endswith(" in src/auth/signing.py")
    assert "SessionSigner.sign at src/auth/signing.py:19-21" in description
    assert description.endswith("; confidence high.")
    assert text.startswith(f"# {title}\n")


def test_words_that_are_nowhere_are_said_first_where_they_are_half_of_the_question(report):
    text, _ = report("Where are blockchain wallets signed?")
    assert text.split("\n\n")[1].startswith("Nowhere in this code: blockchain, wallets; what follows fits only")
    assert "Nowhere in this code" not in report("Where is the session cookie of the teapot signed?")[0].split("\n\n")[1]


def test_sections_stand_in_their_order(report):
    assert sections(report()[0]) == [
        *(
            "Start here",
            "How it hangs together",
            "Tests and docs",
            "Settings",
            "Changes",
            "What this does not tell",
        )
    ]


def test_what_answers_is_shown_with_its_first_lines_and_what_the_code_says_of_it(report):
    text, _ = report()
    assert "`src/auth/signing.py:19-21` `SessionSigner.sign` — Append a MAC to a session cookie" in text
    assert "  ```python\n  def sign(self, value):\n      return value + make_mac(self.key, value)\n  ```" in text


def test_callers_and_callees_are_told_with_their_places(report):
    text, _ = report()
    assert "- `check_cookie` calls `verify` at `src/auth/middleware.py:6`" in text
    assert "- `SessionSigner.sign` calls `make_mac` at `src/auth/signing.py:21`" in text
    assert "`__init__`" not in text.split("## How it hangs together")[1]


def test_tests_documents_and_settings_are_told(report):
    text, _ = report()
    beside = text.split("## Tests and docs")[1].split("## ")[0]
    assert "`test_session_cookie_is_signed`" in beside
    assert "`README.md:3` `Sessions`" in beside
    assert "- `COOKIE_DIGEST` (environment variable) at `src/auth/signing.py:30`" in text.split("## Settings")[1]


def test_changes_are_told_without_bulk_commits(report, make, git, tmp_path):
    where = tmp_path / "made"
    for subject in ("Bump version to 2", "Fix src/gone.py:77 and `x`", "style: run black"):
        with (where / "src/auth/signing.py").open("a") as file:
            file.write("# more\n")
        git(where, "commit", "-qam", subject)
    text, checked = report(where=where)
    changes = text.split("## Changes")[1].split("## ")[0]
    assert "Fix src/gone.py:77 and `x`" in changes
    assert "Bump" not in changes
    assert "black" not in changes
    assert {one.citation.verdict for one in checked} == {Verdict.SUPPORTED}


def test_a_shallow_clone_says_that_its_history_is_cut_off(report, git, tmp_path):
    git(tmp_path, "-C", "made", "commit", "-q", "--allow-empty", "-m", "more")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{tmp_path / 'made'}", "shallow")
    assert "The history is not all here" in report(where=tmp_path / "shallow")[0]


def test_what_could_not_be_told_is_said(report):
    text, _ = report("Where is the teapot signed with a session cookie?")
    assert "Nowhere in this code: teapot.\n" in text
    assert "- What is “teapot” called here? The word is nowhere in the code.\n" in text.split("## Open questions")[1]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("xyzzyplugh frobnicate", "# Nothing in this code matches: xyzzyplugh, frobnicate\n"),
        ("the of and with", "# The question says too little to find a place in the code\n"),
        ("", "# The question says too little to find a place in the code\n"),
        ("🦀🦀", "# The question says too little to find a place in the code\n"),
    ],
)
def test_a_question_without_an_answer_gets_an_honest_report(report, question, title):
    text, checked = report(question)
    assert text.startswith(title)
    assert "`README.md:1-2` `Shop`" in text
    assert {one.citation.verdict for one in checked} == {Verdict.SUPPORTED}


def test_files_that_no_report_can_name_are_passed_over(report):
    assert "x`y" not in report("sign session cookie")[0]


@pytest.mark.parametrize("files", [{}, {"logo.png": b"\x89PNG\0\0"}, {"empty.py": ""}])
def test_a_commit_with_nothing_to_read_gets_an_honest_report(report, make, files):
    text, checked = report(where=make(files, "bare of text"))
    assert text.startswith("# The commit has no files" if not files else "# Nothing in this code matches: session")
    assert checked == []


QUESTIONS = [
    *("Where is the cookie signed?", "How is the cookie signed?", "What happens when a cookie is signed?"),
    *("What calls sign?", "What breaks if I rename sign?", "Which setting is for the cookie?", "Why is it signed?"),
    *("signCookie", 'Traceback (most recent call last):\n  File "src/sign.py", line 2, in sign\nE: no'),
]
CODE = st.text(alphabet="def sign(cookie):\n\t`#:/*.,[]<>_-12\"'{}é会\r\0", max_size=200)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(code=CODE, prose=CODE, question=st.sampled_from(QUESTIONS))
def test_no_code_makes_a_citation_that_does_not_hold(report, make, code, prose, question):
    files = {
        "src/sign.py": f"def sign(cookie):\n    '''{code}'''\n    return cookie\n",
        "src/sign.js": f"/** {prose} */\nfunction signCookie () {{}}\n{code}",
        "docs/sign.md": f"# sign {code}\n\n{prose}\n",
        "tests/sign.test.js": f"it('signs {code}', () => {{ sign(cookie) }})\n",
    }
    _, checked = report(question, where=make(files, "hostile"))
    assert [one.why for one in checked if one.citation.verdict is not Verdict.SUPPORTED] == []
