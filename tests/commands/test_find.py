"""search, list, about, related, show."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def note(ask):
    """A note about signing."""
    return ask("Where is the cookie signed?", "--json").json["note"]


def test_search_finds_a_note_by_its_words(scoutkit, note):
    said = scoutkit("search", "cookie", "signing", "--json")
    assert said.code == 0
    assert said.json["hits"][0]["id"] == note["id"]


@pytest.mark.parametrize(
    "query", ['"', "a::b", "--flag", "v1.2.3", "AND", "NOT", "*", "(", "🦉", "cookie OR", "\\", "'"]
)
def test_any_text_is_a_query(scoutkit, note, query):
    said = scoutkit("search", "--json", "--", query)
    assert said.code in {0, 1}
    assert said.json["hits"] is not None


def test_nothing_found_is_exit_1_and_says_so(scoutkit, note):
    said = scoutkit("search", "zebrawood")
    assert said.code == 1
    assert said.err.startswith("nothing found for: zebrawood\n")


def test_what_narrowed_a_search_is_said_where_nothing_is_found(scoutkit, note):
    said = scoutkit("search", "cookie", "--path", "nowhere", "--type", "scout")
    assert said.code == 1
    assert said.err.startswith("nothing found for: cookie, with --path nowhere --type scout\n")


def test_a_typo_is_understood(scoutkit, note):
    scoutkit("index")
    said = scoutkit("search", "cokie")
    assert said.code == 0
    assert note["id"] in said.out


def test_an_operator_that_no_note_fits_is_told(scoutkit, note):
    said = scoutkit("search", "cookie tag:nosuch agent:nobody")
    assert "no note has tag:nosuch, agent:nobody: looked for as text\n" in said.err
    said = scoutkit("search", "cookie is:good since:yesterday")
    assert "looked for as text: is:good (is: takes fresh, stale, uncited, unchecked, draft, stable" in said.err
    assert "looked for as text: since:yesterday (since: takes a date (2026-11) or a time ago" in said.err
    assert "did you mean" not in said.err


def test_a_word_to_leave_out_is_no_option(scoutkit, note):
    assert scoutkit("search", "cookie", "-flask", "--json").json["hits"]
    assert not scoutkit("search", "cookie", "-signed", "--limit", "5", "--json").json["hits"]
    assert not scoutkit("search", "--limit", "5", "cookie", "-signed", "--json").json["hits"]
    assert scoutkit("search", "-signed", "cookie", "--json").json["hits"], "words to leave out come last"
    assert scoutkit("search", "-signed", "--json").json["hits"], "alone it is what is looked for"
    assert scoutkit("search", "-x the signed cookie", "--json").json["hits"]
    assert scoutkit("search", "--", "-nosuch", "--word").err == "nothing found for: -nosuch --word\n"
    for options in (("-f",), ("--flask",), ("--limit", "-flask"), ("-15",)):
        assert scoutkit("search", "cookie", *options).code == 2, options
    assert "Usage:" in scoutkit("search", "cookie", "-h").out


def test_filters_narrow(scoutkit, note):
    scoutkit("tag", note["id"], "auth")
    assert scoutkit("search", "cookie", "--tag", "auth", "--json").json["hits"]
    assert not scoutkit("search", "cookie", "--tag", "other", "--json").json["hits"]
    assert scoutkit("list", "--path", "src/auth", "--json").json["hits"]
    assert not scoutkit("list", "--path", "docs", "--json").json["hits"]
    assert not scoutkit("list", "--type", "decision", "--json").json["hits"]


def test_about_finds_notes_by_the_lines_they_cite(scoutkit, note, repo):
    for place in (
        "src/auth/signing.py:13",
        "src/auth/signing.py:14-20",
        "src/auth/signing.py",
        "src/auth",
        "src/auth/",
    ):
        assert scoutkit("about", place, "--json").json["hits"][0]["id"] == note["id"], place
    assert scoutkit("about", "signing.py:13", "--json", cwd=repo / "src/auth").json["hits"]
    said = scoutkit("about", "src/auth/signing.py:1-3")
    assert said.code == 1
    assert "no note cites" in said.err


@pytest.mark.parametrize("how", ["id", "prefix", "path", "title", "file"])
def test_show_knows_a_note_by(scoutkit, note, how):
    reference = {
        "id": note["id"],
        "prefix": note["id"][:5],
        "path": note["path"],
        "title": note["title"],
        "file": note["path"].rsplit("/", 1)[1],
    }[how]
    assert scoutkit("show", reference, "--json").json["note"]["id"] == note["id"]


def test_show_prints_the_file_as_it_is_when_piped(scoutkit, note, repo):
    assert scoutkit("show", note["id"]).out.strip() == (repo / note["path"]).read_text().strip()


def test_show_code_adds_the_cited_lines(scoutkit, note):
    said = scoutkit("show", note["id"], "--code")
    assert "def sign(self, value):" in said.out
    assert "`src/auth/signing.py:12-14`" in said.out
    assert (
        scoutkit("show", note["id"], "--code", "--json").json["code"][0]["lines"][0].strip() == "def sign(self, value):"
    )


def test_an_unknown_note_is_exit_1_with_a_hint(scoutkit, note):
    said = scoutkit("show", "nope")
    assert said.code == 1
    assert said.err.splitlines()[0].startswith("error: ")
    assert said.err.splitlines()[1].startswith("hint: ")


def test_a_deleted_or_renamed_note_is_not_found_any_more(scoutkit, note, repo):
    path = repo / note["path"]
    path.rename(path.with_name("renamed.md"))
    assert scoutkit("search", "cookie", "--json").json["hits"][0]["path"].endswith("renamed.md")
    path.with_name("renamed.md").unlink()
    assert scoutkit("search", "cookie").code == 1
    assert scoutkit("list", "--json").json["hits"] == []


def test_a_note_on_the_same_lines_is_related_whatever_its_words(scoutkit, ask, note):
    other = ask("Whales?", "--json", report="# Whales sing\n\nSo does `sign` (`src/auth/signing.py:12-14`).\n").json[
        "note"
    ]
    scoutkit("index")
    assert [hit["id"] for hit in scoutkit("related", other["id"], "--json").json["hits"]] == [note["id"]]
    assert other["id"] in scoutkit("related", note["id"]).out


def test_related_notes(scoutkit, ask, note):
    other = ask(
        "How is a cookie verified?", "--json", report="# Cookies are verified by SessionSigner\n\nSo it is.\n"
    ).json
    ask("Whales?", "--json", report="# Whales sing in the deep\n\nNothing else.\n")
    scoutkit("index")
    hits = scoutkit("related", note["id"], "--json").json["hits"]
    assert hits[0]["id"] == other["note"]["id"]
    assert note["id"] not in {hit["id"] for hit in hits}


@pytest.mark.parametrize("command", [("list",), ("search", "cookie"), ("about", "src"), ("runs",)])
def test_a_limit_beyond_all_numbers_is_no_limit(scoutkit, note, command):
    assert scoutkit(*command, "--limit", "9" * 30).code == 0


def test_a_limit_of_nothing_is_a_usage_error(scoutkit, repo):
    assert scoutkit("list", "--limit", "0").code == 2


@pytest.mark.parametrize("name", [b"new\nline.md", b"bad\xff\xfename.md", b"esc\x1b[2Jape.md"])
def test_names_of_files_that_are_no_line_of_text_are_shown_as_one(scoutkit, repo, name):
    folder = repo / ".claude/notes"
    folder.mkdir(parents=True)
    with open(os.fsencode(folder) + b"/" + name, "w") as file:  # noqa: PTH123 - no Path holds it
        file.write("---\nid: oddname1\ntitle: The okapi\n---\n\nWalks at night.\n")
    (folder / "plain.md").write_text("---\nid: plain111\ntitle: Another okapi\n---\n\nWalks at night too.\n")
    assert scoutkit("index").code in {0, 1}
    said = scoutkit("search", "okapis", "walk", "night")
    assert said.code == 0
    assert len(said.out.splitlines()) == 6
    assert "\x1b" not in said.out
    assert "plain111" in scoutkit("related", "oddname1").out
    assert "both engines find the same notes" in scoutkit("doctor").out
