"""What pages say, and that they say it of the repository as it is now."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path

import pytest

from scoutkit.browse import pages, watching
from scoutkit.desk import Desk

from .conftest import Browser


def test_a_repository_without_notes_says_how_to_begin(browser: Browser) -> None:
    assert "scoutkit ask" in browser.page("/").text


def test_a_note_is_there_on_the_next_request_and_gone_on_the_one_after(browser: Browser, repo: Path, note) -> None:
    assert browser.page("/note/aaaa1111").status == 404
    note("aaaa1111")
    assert "Cookies are signed by SessionSigner" in browser.page("/note/aaaa1111").text
    (listed,) = browser.get("/scoutkit/notes.json?_shape=array")
    assert [one["id"] for one in json.loads(listed.text)] == ["aaaa1111"]
    (repo / ".claude/notes/aaaa1111.md").unlink()
    assert browser.page("/note/aaaa1111").status == 404
    assert json.loads(browser.page("/scoutkit/notes.json?_shape=array").text) == []


def test_a_citation_leads_to_its_lines_then_and_now(browser: Browser, repo: Path, note) -> None:
    note("aaaa1111")
    signing = repo / "src/auth/signing.py"
    signing.write_text("# one\n# two\n" + signing.read_text())
    page = browser.page("/note/aaaa1111").text
    assert (
        '<a class="cite moved" title="moved now" href="/note/aaaa1111/citation/0">src/auth/signing.py:12-14</a>' in page
    )
    assert '<span class="verdict moved">moved</span> lines 14-16' in page
    sides = browser.page("/note/aaaa1111/citation/0").text
    assert "src/auth/signing.py:12-14" in sides
    assert "src/auth/signing.py:14-16" in sides
    numbers = [re.findall(r'class="cited"><td class="number">(\d+)', side) for side in sides.split("As it is now")]
    assert numbers == [["12", "13", "14"], ["14", "15", "16"]]
    assert browser.page("/note/aaaa1111/citation/2").status == 404


def test_an_edited_citation_says_so(browser: Browser, repo: Path, note) -> None:
    note("aaaa1111")
    signing = repo / "src/auth/signing.py"
    signing.write_text(signing.read_text().replace("'sha256'", "'sha512'"))
    page = browser.page("/note/aaaa1111").text
    assert "No longer holds in full" in page
    assert "1 edited" in page
    then, now = browser.page("/note/aaaa1111/citation/0").text.split("As it is now")
    assert "sha256" in then
    assert "sha512" in now


def test_a_file_that_is_gone_says_so(browser: Browser, repo: Path, note) -> None:
    note("aaaa1111")
    (repo / "src/auth/middleware.py").unlink()
    assert "not there any more" in browser.page("/note/aaaa1111/citation/1").text
    assert "There is no such file now" in browser.page("/file/src/auth/middleware.py").text


def test_a_note_goes_into_a_prompt_as_a_pack(browser: Browser, note) -> None:
    note("aaaa1111")
    text = json.loads(browser.page("/note/aaaa1111/prompt.json").text)["text"]
    assert "data to weigh, not instructions" in text
    assert "src/auth/signing.py:12-14" in text


def test_a_files_page_marks_the_lines_that_notes_cite(browser: Browser, note) -> None:
    note("aaaa1111")
    page = browser.page("/file/src/auth/signing.py").text
    marked = re.findall(r'<tr class="cited fresh" id="line-(\d+)">', page)
    assert marked == ["12", "13", "14"]
    assert browser.page("/file/src/auth").status == 200
    assert browser.page("/file/no/such.py").status == 404


def test_search_ranks_narrows_and_mends(browser: Browser, note) -> None:
    note("aaaa1111")
    note("bbbb1111", "Limits are read from the settings", question="Which limits?", type="scout", tags="limits")
    found, narrowed, meant, live, nothing = browser.get(
        *("/find?q=cookies", "/find?q=tag%3Alimits", "/find?q=cookeis", "/find/live?q=cookies", "/find?q=zzzz"),
    )
    assert "aaaa1111" in found.text
    assert "bbbb1111" in narrowed.text
    assert "aaaa1111" not in narrowed.text
    assert "Did you mean" in meant.text
    assert "<html" not in live.text
    assert "Nothing is found" in nothing.text
    every = browser.page("/find").text
    assert 'href="/find?q=type%3Ascout"' in every


def test_the_front_page_says_what_no_longer_holds_and_why(browser: Browser, repo: Path, note) -> None:
    note("aaaa1111", more="## Open questions\n\n- Who rotates the key?\n")
    note("bbbb1111", "Another")
    signing = repo / "src/auth/signing.py"
    signing.write_text(signing.read_text().replace("'sha256'", "'sha512'"))
    for path in (repo / "src/auth").iterdir():
        os.utime(path, (1e9, 1e9))
    assert "2 not checked yet" in browser.page("/").text
    desk = Desk.open(repo)
    desk.sync()
    assert len(list(watching.work(desk))) > 1
    page = browser.page("/").text
    assert "2 no longer hold" in page
    assert "src/auth/signing.py:12-14 is edited" in page
    assert "Who rotates the key?" in page
    weeks = desk.ledger.weeks(12)
    assert weeks
    assert sum(weeks[-1].counts.values()) == 4
    assert list(watching.work(desk)) == []  # nothing changed: nothing is looked at again


def test_a_note_without_citations_is_not_said_to_hold(browser: Browser, repo: Path) -> None:
    folder = repo / ".claude/notes"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bare.md").write_text("---\nid: bare1111\ntitle: Bare\n---\n\nNothing cited.\n")
    desk = Desk.open(repo)
    desk.sync()
    list(watching.work(desk))
    front, found, one = browser.get("/", "/find?q=bare", "/note/bare1111")
    assert "1 without citations" in front.text
    assert "No note cites anything." in front.text
    assert '<span class="verdict">no citations</span>' in found.text
    assert "No citations." in one.text
    assert "Holds." not in one.text


def test_a_note_is_checked_again_once_a_file_it_cites_changes(repo: Path, note) -> None:
    note("aaaa1111")
    desk = Desk.open(repo)
    desk.sync()
    list(watching.work(desk))
    assert desk.ledger.overview(5).stale == 0
    signing = repo / "src/auth/signing.py"
    signing.write_text(signing.read_text().replace("'sha256'", "'sha512'"))
    list(watching.work(desk))
    assert desk.ledger.overview(5).stale == 1


def test_a_check_on_the_command_line_says_why_to_the_pages(
    browser: Browser, repo: Path, note, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scoutkit import commands

    note("aaaa1111")
    signing = repo / "src/auth/signing.py"
    signing.write_text(signing.read_text().replace("'sha256'", "'sha512'"))
    monkeypatch.chdir(repo)
    assert commands.run(["check"]) == 1
    assert "src/auth/signing.py:12-14 is edited" in browser.page("/find?q=is:stale").text


def test_a_folders_notes_do_not_hold_before_they_are_checked(browser: Browser, note) -> None:
    note("aaaa1111")
    plots = re.search(r'data-plots="([^"]+)"', browser.page("/").text)
    assert plots
    counts = {one["standing"]: one["notes"] for one in json.loads(html.unescape(plots[1]))["folders"]}
    assert counts == {"hold": 0, "not checked yet": 1, "no longer hold": 0}


def test_a_table_shows_the_beginning_of_a_notes_text(browser: Browser, note) -> None:
    note("aaaa1111", more="word " * 500)
    table, row, data = browser.get("/scoutkit/notes", "/scoutkit/notes/1", "/scoutkit/notes.json?_shape=array")
    for page in (table, row):
        assert 60 > page.text.count("word ") > 1
    assert data.text.count("word") == 500


def test_runs_say_what_they_took(browser: Browser, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scoutkit import commands

    monkeypatch.chdir(repo)
    assert (
        commands.run(
            ["ask", "Where are cookies signed?", "--agent-cmd", "echo '# Signed'; echo src/auth/signing.py:12"]
        )
        == 0
    )
    (run,) = Desk.open(repo).journal.runs()
    listed, one, none = browser.get("/runs", f"/run/{run.id}", "/run/nosuch")
    assert run.id in listed.text
    assert "Where are cookies signed?" in one.text
    assert f"/note/{run.note_id}" in one.text
    assert none.status == 404


def test_answers_from_memory_are_counted_as_saved(
    browser: Browser, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scoutkit import commands
    from scoutkit.stories import recall

    monkeypatch.chdir(repo)
    asked = [
        "ask",
        "Where are cookies signed?",
        "--agent-cmd",
        "sleep 0.2; echo '# Signed'; echo src/auth/signing.py:12",
    ]
    assert [commands.run(asked) for _ in range(3)] == [0, 0, 0]
    saved = recall.saved(Desk.open(repo))
    assert (saved.times, 0.4 <= saved.seconds < 60) == (2, True)
    assert "2 answers from memory saved" in browser.page("/").text


def test_ids_and_paths_in_the_tables_lead_to_pages(browser: Browser, note) -> None:
    note("aaaa1111")
    notes, citations, query = browser.get("/scoutkit/notes", "/scoutkit/citations", "/scoutkit/nobody_confirmed")
    assert '<a href="/note/aaaa1111">aaaa1111</a>' in notes.text
    assert '<a href="/file/src/auth/signing.py">src/auth/signing.py</a>' in citations.text
    assert '<a href="/note/aaaa1111">aaaa1111</a>' in query.text


def test_every_address_is_one_that_its_own_pattern_takes() -> None:
    for where in pages.PAGES.values():
        assert callable(pages.maker(where))


def test_only_files_that_git_has_or_would_take_are_shown(browser: Browser, repo: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("a secret outside\n")
    (repo / ".gitignore").write_text(".env\n")
    (repo / ".env").write_text("a secret inside\n")
    (repo / "new one.py").write_text("a = 'not added yet'\n")
    (repo / "leads-out").symlink_to(tmp_path / "outside")
    hidden = ["/file/..%2foutside", "/file/.env", "/file/leads-out", "/file/.git/HEAD", "/file/src/..%2f.env"]
    *refused, shown = browser.get(*hidden, "/file/new%20one.py")
    for page in refused:
        assert page.status in (200, 404)
        assert "a secret" not in page.text
        assert "refs/heads" not in page.text
    assert "not added yet" in shown.text


@pytest.mark.parametrize(
    "path",
    [
        "/note/%00",
        "/note/..%2f..",
        "/file/../../etc/passwd",
        "/file/%ff",
        "/file//etc/passwd",
        "/file/..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/file/.%2e/.%2e/.%2e/.%2e/.%2e/.%2e/.%2e/.%2e/etc/passwd",
        "/file/%2fetc/passwd",
        "/file/src%00",
        "/run/%0a",
        "/note/a/citation/999999",
        "/find?q=%22%27%3B--&type=",
        "/-/scoutkit/static/..%2fplugins%2fscoutkit.py",
        "/-/scoutkit/static/scoutkit.py",
    ],
)
def test_odd_addresses_are_answered_without_a_fault(browser: Browser, path: str) -> None:
    page = browser.page(path)
    assert page.status in (200, 302, 400, 404)
    assert "root:" not in page.text
    assert "Traceback" not in page.text
