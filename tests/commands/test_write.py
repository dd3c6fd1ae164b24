"""new, edit, tag, rm, import."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

TEXT = "The signer is in `src/auth/signing.py:12-14`, `sign`.\n"


def test_new_takes_text_from_standard_input(scoutkit, repo):
    note = scoutkit("new", "Where", "we", "sign", "--tag", "auth", "--json", stdin=TEXT).json["notes"][0]
    assert note["title"] == "Where we sign"
    assert note["tags"] == ["auth"]
    assert note["citations"][0]["verdict"] == "supported"
    assert (repo / note["path"]).read_text().startswith("---\n")


def test_an_empty_new_note_is_refused(scoutkit, repo):
    said = scoutkit("new", stdin=" \n")
    assert said.code == 2
    assert "nothing was written" in said.err
    assert not (repo / ".claude").exists()


def test_import_turns_files_into_notes(scoutkit, repo, tmp_path):
    (tmp_path / "adr-7.md").write_text(f"# We sign with HMAC\n\n{TEXT}\nAnd `gone.py:9`.\n")
    (tmp_path / "plain.md").write_text("no heading, just text about owls")
    said = scoutkit("import", tmp_path / "adr-7.md", tmp_path / "plain.md", "--type", "decision", "--json")
    assert said.code == 0
    first, second = said.json["notes"]
    assert (first["title"], first["type"]) == ("We sign with HMAC", "decision")
    assert [one["verdict"] for one in first["citations"]] == ["supported", "wrong"]
    assert (repo / second["path"]).exists()
    assert scoutkit("search", "owls", "--json").json["hits"][0]["id"] == second["id"]


def test_check_only_writes_nothing_and_tells_by_its_exit_code(scoutkit, repo, tmp_path):
    (tmp_path / "good.md").write_text(f"# T\n\n{TEXT}")
    (tmp_path / "bad.md").write_text("# T\n\n`gone.py:9`\n")
    assert scoutkit("import", "--check-only", tmp_path / "good.md", "--json").code == 0
    said = scoutkit("import", "--check-only", tmp_path / "bad.md", "--json")
    assert said.code == 1
    assert said.json["notes"][0]["path"] == ""
    assert not (repo / ".claude").exists()


def test_import_checks_against_the_commit_it_is_given(scoutkit, repo, git, tmp_path):
    first = git(repo, "rev-parse", "HEAD").strip()
    (repo / "src/auth/signing.py").write_text("# nothing left\n")
    git(repo, "commit", "-qam", "emptied")
    (tmp_path / "old.md").write_text(f"# T\n\n{TEXT}")
    assert scoutkit("import", tmp_path / "old.md", "--json").json["notes"][0]["citations"][0]["verdict"] == "wrong"
    note = scoutkit("import", tmp_path / "old.md", "--commit", first, "--json").json["notes"][0]
    assert note["citations"][0]["verdict"] == "supported"
    assert note["commit"] == first


@pytest.mark.parametrize(("raw", "says"), [(b"\x00\x01", "not text"), (b"caf\xe9 \xff", "not UTF-8")])
def test_import_refuses_what_is_no_text(scoutkit, tmp_path, raw, says):
    (tmp_path / "x.md").write_bytes(raw)
    said = scoutkit("import", tmp_path / "x.md")
    assert said.code == 2
    assert says in said.err


def test_tags_are_added_and_removed_and_the_rest_of_the_file_stays(scoutkit, repo):
    folder = repo / ".claude/notes"
    folder.mkdir(parents=True)
    text = "---\n# kept by hand\nid: aaaabbbb\ntitle: Mine\ncssclass: wide  # odd\n---\n\nBody  with  blanks \n"
    (folder / "mine.md").write_text(text)
    scoutkit("tag", "aaaabbbb", "one", "two")
    assert scoutkit("tag", "aaaabbbb", "--remove", "one", "--json").json["note"]["tags"] == ["two"]
    after = (folder / "mine.md").read_text()
    assert after.endswith("\n---\n\nBody  with  blanks \n")
    assert "# kept by hand\n" in after
    assert "cssclass: wide  # odd\n" in after


@pytest.mark.parametrize("bad", ["two words", "a,b", " ", "tab\there"])
def test_a_tag_is_one_word(scoutkit, ask, bad):
    note = ask("q", "--json").json["note"]
    for said in (scoutkit("tag", note["id"], bad), scoutkit("new", "Title", "--tag", bad, stdin="Text\n")):
        assert said.code == 2
        assert "not a tag" in said.err
    assert [hit["id"] for hit in scoutkit("list", "--json").json["hits"]] == [note["id"]]


def test_removing_a_tag_that_is_not_there_is_said(scoutkit, ask):
    note = ask("q", "--json").json["note"]
    assert "has no tag x" in scoutkit("tag", note["id"], "--remove", "x").err


def test_without_an_editor_and_a_terminal_nothing_is_started(scoutkit, ask, monkeypatch):
    note = ask("q", "--json").json["note"]
    for name in ("EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    said = scoutkit("edit", note["id"])
    assert said.code == 2
    assert "no editor is set" in said.err


def test_rm_moves_the_note_to_the_trash(scoutkit, repo, ask):
    note = ask("q", "--json").json["note"]
    said = scoutkit("rm", note["id"])
    assert said.code == 0
    assert not (repo / note["path"]).exists()
    trashed = Path(said.err.split("(now ")[1].split(")")[0])
    assert "Cookies are signed" in (trashed if trashed.is_absolute() else repo / trashed).read_text()
    assert scoutkit("list", "--json").json["hits"] == []


def test_edit_opens_the_editor_on_the_note(scoutkit, repo, ask, monkeypatch, tmp_path):
    note = ask("q", "--json").json["note"]
    editor = tmp_path / "my editor"
    editor.write_text('#!/bin/sh\necho "more about platypuses" >> "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", f"'{editor}'")
    monkeypatch.delenv("VISUAL", raising=False)
    said = scoutkit("edit", note["id"])
    assert said.code == 0, said.err
    assert scoutkit("search", "platypuses", "--json").json["hits"][0]["id"] == note["id"]


def test_an_editor_that_does_not_exist_is_said(scoutkit, ask, monkeypatch):
    note = ask("q", "--json").json["note"]
    monkeypatch.setenv("VISUAL", "no-such-editor")
    said = scoutkit("edit", note["id"])
    assert said.code == 2
    assert "no-such-editor" in said.err
    assert os.environ["VISUAL"]


def test_a_text_with_more_citations_than_a_note_can_hold_is_refused_and_nothing_written(scoutkit, repo):
    text = "".join(f"src/auth/signing.py:{at} `{'x' * 80}`\n\n" for at in range(1, 12_000))
    said = scoutkit("import", "-", stdin=text)
    assert said.code == 2
    assert "citations: at most" in said.err
    assert "hint: make several notes of it" in said.err
    assert not list((repo / ".claude").rglob("*.md"))
