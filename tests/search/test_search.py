from __future__ import annotations

import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoutkit.words import runs

from .conftest import Shelf
from .test_query import HOSTILE


@pytest.mark.parametrize("query", HOSTILE)
def test_any_text_is_a_query(shelf: Shelf, query: str) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.find(query, limit=5, tags=["x"], paths=["src/"])
    assert isinstance(shelf.hits(query), list)


@pytest.mark.parametrize(
    ("body", "query"),
    [
        ("calls getUserName here", "user name"),
        ("calls get_user_name here", "user name"),
        ("calls getUserName here", "get_user_name"),
        ("calls get_user_name here", "getUserName"),
        ("calls get_user_name here", "getusername"),
        ("calls `GET_USER_NAME` here", "getUserName"),
        ("the HTTPServer2 class", "http server"),
        ("uses sha256", "sha 256"),
        ("会话cookie在中间件里校验签名。", "签名"),
        ("会话cookie在中间件里校验签名。", "会话"),
        ("会话cookie在中间件里校验签名。", "cookie"),
        ("会话cookie在中间件里校验签名。", "校验签名"),
        ("会话cookie在中间件里校验签名。", "中间"),
        ("会话cookie在中间件里校验签名。", "名"),
        ("用getUser函数", "getUser"),
        ("用getUser函数", "user"),
        ("用getUser函数", "函数"),
        ("セッションの署名を検証する", "署名"),
        ("セッションの署名を検証する", "検証"),
        ("세션 쿠키를 검증한다", "쿠키"),
        ("the ＡＰＩ key", "API"),
        ("a café", "cafe"),
        ("a cafe\u0301", "café"),
        ("Straße", "straße"),
        ("verified cookies", "verify cookie"),
        ("the rate-limit of it", "rate-limit"),
        ("std::vector<int>", "std::vector"),
        ("pass --no-cache to it", "--no-cache"),
        ("since v1.2.3 it", "v1.2.3"),
        ("see src/auth/signing.py:41", "src/auth/signing.py:41"),
        ("see src/auth/signing.py", "signing.py"),
        ("C++ and C#", "c++"),
        ("a nul\0byte", "byte"),
        ("x => y || z", "=>"),
        ("it is 🔥", "🔥"),
        ("the long-lived authentication", "authent"),
        ("don't", "don't"),
    ],
)
def test_text_is_found_by(shelf: Shelf, body: str, query: str) -> None:
    shelf.write("a.md", body)
    shelf.write("b.md", "something else entirely")
    assert shelf.find(query) == ["a.md"]


@pytest.mark.parametrize("query", ["签验", "cafeteria", "nosuchword", '"cookie session"', "🦭", "limit rates"])
def test_text_is_not_found_by(shelf: Shelf, query: str) -> None:
    shelf.write("a.md", "会话cookie在中间件里校验签名。 session cookie, café, it is 🔥")
    assert shelf.find(query) == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(body=st.text(max_size=300))
def test_a_text_is_found_by_each_of_its_words(shelf: Shelf, body: str) -> None:
    body = body.encode("utf-8", "replace").decode().replace("\r", "\n")
    shelf.write("a.md", f"x {body}")
    shelf.sync()
    shelf.write("a.md", f"x {body}", age=30)
    for word in runs(unicodedata.normalize("NFC", body)):
        if len(word) >= 3 and word.strip("_"):
            assert shelf.find(word) == ["a.md"], word


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(max_size=60))
def test_any_unicode_is_a_query(shelf: Shelf, query: str) -> None:
    if not shelf.catalogue.count():
        shelf.note("a.md", "walrus 会话 getUserName", id="aaaa1111")
        shelf.sync()
    for hit in shelf.hits(query):
        assert all(hit.snippet[start:end] for start, end in hit.marks)


def test_a_title_says_more_than_a_question_that_more_than_a_description_that_more_than_a_body(shelf: Shelf) -> None:
    filler = "nothing of the sort is said in this part of the text"
    for name, place in (("1", "body"), ("3", "question"), ("2", "description"), ("4", "title")):
        keys = {key: "walrus" if key == place else filler for key in ("title", "question", "description")}
        shelf.note(f"{name}.md", "walrus" if place == "body" else filler, **keys)
    for number in range(20):
        shelf.note(f"other{number}.md", filler)
    assert shelf.find("walrus") == ["4.md", "3.md", "2.md", "1.md"]


def test_notes_with_all_words_come_before_those_with_some_however_often(shelf: Shelf) -> None:
    shelf.write("all.md", "walrus " + "filler " * 300 + "narwhal" + " filler" * 300 + " dugong")
    shelf.note("two.md", "walrus narwhal walrus narwhal", title="walrus narwhal")
    shelf.note("one.md", "walrus " * 40, title="walrus")
    for number in range(20):
        shelf.write(f"other{number}.md", "filler")
    hits = shelf.find("walrus narwhal dugong")
    assert hits == ["all.md", "two.md"]
    assert [int(hit.score) for hit in shelf.hits("walrus narwhal dugong")] == [1, 0]


def test_without_a_note_with_all_words_those_with_most_come_first(shelf: Shelf) -> None:
    shelf.write("two.md", "narwhal and " + "filler " * 300 + " dugong")
    shelf.note("one.md", "walrus " * 40, title="walrus")
    shelf.write("none.md", "filler")
    assert shelf.find("walrus narwhal dugong manatee") == ["two.md", "one.md"]


def test_enough_notes_with_all_words_keep_the_others_out(shelf: Shelf) -> None:
    for number in range(6):
        shelf.write(f"{number}.md", "walrus narwhal dugong")
    shelf.write("two.md", "walrus narwhal")
    assert len(shelf.find("walrus narwhal dugong")) == 6


def test_scores_fall_from_first_to_last(shelf: Shelf) -> None:
    for number in range(8):
        shelf.note(f"{number}.md", "walrus " * number + "narwhal " * (number % 3), title=f"note {number}")
    shelf.sync()
    for query in ("walrus", "walrus narwhal", "walrus narwhal dugong"):
        scores = [hit.score for hit in shelf.hits(query)]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) > 4


def test_at_most_twenty_come_unless_more_are_asked_for(shelf: Shelf) -> None:
    for number in range(30):
        shelf.write(f"{number}.md", "walrus")
    assert len(shelf.find("walrus")) == 20
    assert len(shelf.find("walrus", limit=3)) == 3
    assert len(shelf.find("walrus", limit=100)) == 30


def test_filters_apply_before_the_best_are_taken(shelf: Shelf) -> None:
    for number in range(60):
        shelf.note(f"{number}.md", "walrus " * 5, title="walrus walrus", type="ask", tags="[sea]")
    keys = {"type": "scout", "status": "draft", "tags": "[Ice, cold]", "citations": "[{at: 'src/ice/a.py:3-4'}]"}
    shelf.note("sub/wanted.md", "a walrus " + "filler " * 50, **keys)
    for narrow in (
        {"types": ["scout", "decision"]},
        {"statuses": ["draft"]},
        {"tags": ["ice"]},
        {"tags": ["#cold", "ice"]},
        {"paths": ["src/ice/a.py"]},
        {"paths": ["src/ice/"]},
        {"paths": ["src/ice"]},
        {"paths": ["./src"]},
        {"paths": ["src/*/a.py"]},
        {"paths": ["s*c"]},
        {"paths": ["sub"]},
    ):
        assert shelf.find("walrus", limit=5, **narrow) == ["sub/wanted.md"], narrow
        assert shelf.find("walrus nosuchword", limit=5, **narrow) == ["sub/wanted.md"], narrow
        assert [hit.path for hit in shelf.catalogue.list(**narrow)] == ["sub/wanted.md"], narrow
        assert [hit.path for hit in shelf.catalogue.by_ids(["zzzz"], **narrow)] == []
    for narrow in ({"tags": ["ice", "sea"]}, {"paths": ["src/ice/b.py"]}, {"paths": ["src/i"]}, {"types": ["note"]}):
        assert shelf.find("walrus", **narrow) == [], narrow


@pytest.mark.parametrize("spread", ["bodies", "headings", "titles"])
def test_of_very_many_notes_with_a_word_those_named_by_it_and_those_asked_for_are_found(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, spread: str
) -> None:
    monkeypatch.setattr("scoutkit.search.ranking._ROWS", 10)
    shelf.note("00.md", "text", id="aaaa0000", title="Walrus", tags=["first"])
    shelf.note("01.md", "the walrus", id="aaaa0001", title="Other", tags=["second"])
    for number in range(10, 70):
        title = "A walrus" if spread == "titles" else "Other"
        head = "## Walrus\n\n" if spread == "headings" else ""
        shelf.note(f"{number}.md", f"{head}a walrus", id=f"bbbb00{number}", title=title)
    found = shelf.find("walrus")
    assert len(found) == 20
    assert ("00.md" in found) == (spread != "titles")  # of very many that are named so: the newest
    assert shelf.find("walrus", tags=["first"]) == ["00.md"]
    assert shelf.find("walrus", tags=["second"]) == ["01.md"]
    assert len(shelf.find("walrus", limit=100)) == 62
    assert shelf.find("walrus text nobody wrote", limit=1) == ["00.md"]


def test_a_note_that_goes_while_it_is_looked_for_is_not_shown(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.note("a.md", "walrus", id="aaaa1111")
    shelf.sync()
    monkeypatch.setattr("scoutkit.search.ranking.best", lambda *_: [(77, 1.0), (1, 0.5)])
    assert [hit.path for hit in shelf.hits("walrus")] == ["a.md"]


def test_no_text_gives_the_newest(shelf: Shelf) -> None:
    for day in (1, 3, 2):
        shelf.note(f"{day}.md", "x", generated=f"{{by: me, at: 2026-01-0{day}T00:00:00+00:00}}")
    assert shelf.find("  ", limit=2) == ["3.md", "2.md"]


def test_a_note_without_a_date_is_as_old_as_its_file(shelf: Shelf) -> None:
    shelf.write("old.md", "x", age=9_000_000)
    shelf.note("middle.md", "x", generated="{by: me, at: 2026-01-01T00:00:00+00:00}")
    path = shelf.write("new.md", "x")
    stamp = 1_800_000_000
    import os

    os.utime(path, (stamp, stamp))
    os.utime(shelf.root / "old.md", (1_600_000_000, 1_600_000_000))
    shelf.sync()
    assert [hit.path for hit in shelf.catalogue.list()] == ["new.md", "middle.md", "old.md"]


def test_a_whole_note_is_indexed_however_long(shelf: Shelf) -> None:
    shelf.write("a.md", "filler " * 150_000 + "walrus")
    hits = shelf.find("walrus")
    assert hits == ["a.md"]
    assert shelf.hits("walrus")[0].snippet.endswith("walrus")


IMPORTED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from scoutkit.search.catalogue import Catalogue
from scoutkit.search import following
class Same:
    def files(self): return [("a.md", int(sys.argv[3]), int(sys.argv[4]))], []
catalogue = Catalogue(Path(sys.argv[1]))
step = catalogue.sync(Same())
assert not step.changed, step
catalogue.runs_from([])
assert catalogue.search("walrus") and catalogue.list() and not catalogue.citing(["src/b.py"])
assert not catalogue.search("nosuch")
print(*sorted(name for name in sys.modules if name.split(".")[0] in sys.argv[5:]))
"""


def test_a_search_without_news_imports_nothing_heavy(shelf: Shelf) -> None:
    path = shelf.write("a.md", "walrus")
    shelf.sync()
    about = path.stat()
    heavy = [
        "whoosh",
        "sqlite_utils",
        "yaml",
        "ruamel",
        "rich",
        "markdown_it",
        "secrets",
        "hashlib",
        "difflib",
        "inspect",
    ]
    done = subprocess.run(
        [
            *(sys.executable, "-c", IMPORTED, str(shelf.catalogue.path), str(Path(__file__).parent)),
            *(str(about.st_mtime_ns), str(about.st_size), *heavy),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() in ([], ["inspect"])  # dataclasses of older Pythons need it
