"""import: Markdown that exists becomes notes; what cannot be read stops nothing else."""

from __future__ import annotations

import os
import time

import pytest

from scoutkit.knowledge.folder import LARGEST

SIGN = "`SessionSigner.sign` makes the MAC: `src/auth/signing.py:12-14`.\n"


@pytest.fixture
def file(tmp_path):
    def call(name, text):
        path = tmp_path / "given" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return call


def verdicts(said):
    return [(one["path"], one["start"], one["end"], one["verdict"]) for one in said.json["notes"][0]["citations"]]


def test_the_text_stays_as_it_is(scoutkit, repo, file):
    text = f"# Signing\n\n{SIGN}\nTwo  blanks, a\ttab; nobody: `gone.py:3`\n\n* one\n- two\n"
    note = scoutkit("import", file("a.md", text), "--json").json["notes"][0]
    assert note["body"] == text.rstrip("\n")
    assert text in (repo / note["path"]).read_text()


def test_check_only_says_for_each_citation_verdict_place_line_and_why(scoutkit, repo, file):
    path = file(
        "a.md",
        f"---\nowner: us\n---\n\n# Signing\n\n{SIGN}\n`sign` again: `src/auth/signing.py:1-2`\n\nand `gone.py:9`.\n",
    )
    said = scoutkit("import", "--check-only", path)
    assert said.code == 1
    lines = said.out.splitlines()
    assert lines[0] == f"{path}: 3 citations"
    assert lines[1].split() == ["LINE", "VERDICT", "PLACE", "WHY"]
    assert lines[2].startswith("7     supported  src/auth/signing.py:12-14")
    assert lines[3].startswith("9     corrected  src/auth/signing.py:12-1")
    assert "(was src/auth/signing.py:1-2)" in lines[3]
    assert lines[4].split()[:3] == ["11", "wrong", "gone.py:9"]
    assert lines[5] == "3 citations in 1 file: 1 supported, 1 corrected, 1 wrong"
    rows = scoutkit("import", "--check-only", path, "--json").json["checked"]
    assert [(one["line"], one["verdict"]) for one in rows] == [(7, "supported"), (9, "corrected"), (11, "wrong")]
    assert all(one["why"] for one in rows)
    assert not (repo / ".claude").exists()


def test_one_bad_file_is_said_and_the_others_are_imported(scoutkit, repo, file):
    good, bad = file("good.md", SIGN), file("bad.md", b"\xff\xfe\x00")
    said = scoutkit("import", bad, file("empty.md", " \n"), file("latin.md", b"caf\xe9"), "no-such.md", good, "--json")
    assert said.code == 2
    assert [one["title"] for one in said.json["notes"]]
    assert len(said.json["failed"]) == 4
    for text in ("not text", "empty:", "not UTF-8", "cannot read no-such.md"):
        assert text in said.err
    assert said.err.count("hint:") == 4
    assert len(list((repo / ".claude/notes").glob("*.md"))) == 1


def test_a_text_that_is_a_note_already_is_skipped_unless_forced(scoutkit, repo, file):
    path = file("a.md", SIGN)
    first = scoutkit("import", path, "--json").json["notes"][0]
    again = scoutkit("import", path, path, "--json")
    assert again.code == 0
    assert again.json["notes"] == []
    assert [one["path"] for one in again.json["skipped"]] == [first["path"]] * 2
    assert first["path"] in again.err
    assert len(scoutkit("import", path, "--force", "--json").json["notes"]) == 1
    assert len(list((repo / ".claude/notes").glob("*.md"))) == 2


def test_the_same_file_named_twice_is_imported_once(scoutkit, repo, file):
    path = file("a.md", SIGN)
    said = scoutkit("import", path, path, "--json")
    assert (len(said.json["notes"]), len(said.json["skipped"])) == (1, 1)


def test_a_folder_stands_for_the_markdown_files_in_it(scoutkit, repo, git):
    docs = repo / "docs/adr"
    docs.mkdir(parents=True)
    (docs / "0001-sign.md").write_text(f"# 1. We sign\n\n{SIGN}")
    (docs / "deep").mkdir()
    (docs / "deep/0002-verify.markdown").write_text("# 2. We verify\n\ntext\n")
    (docs / "picture.png").write_bytes(b"\0")
    (repo / ".claude/notes").mkdir(parents=True)
    (repo / ".claude/notes/mine.md").write_text("mine")
    assert [one["title"] for one in scoutkit("import", "docs", "--json").json["notes"]] == ["We sign", "We verify"]
    assert "docs: 2 Markdown files" in scoutkit("import", "docs").err
    assert scoutkit("import", ".", "--check-only", "--json").code == 0
    (repo / "none").mkdir()
    said = scoutkit("import", "none")
    assert said.code == 2
    assert "no Markdown file" in said.err


def test_links_in_a_file_of_the_repository_are_read_from_its_folder_and_from_the_root(scoutkit, repo):
    (repo / "docs/adr").mkdir(parents=True)
    (repo / "docs/adr/1.md").write_text(
        "# Links\n\n"
        "- [`SessionSigner.sign`](../../src/auth/signing.py#L12-L14)\n"
        "- [`check_cookie`](../../src/auth/middleware.py#L4)\n"
        "- `test_sign`: `tests/test_signing.py:4`\n"
    )
    assert verdicts(scoutkit("import", "docs/adr/1.md", "--json")) == [
        ("src/auth/signing.py", 12, 14, "supported"),
        ("src/auth/middleware.py", 4, 4, "supported"),
        ("tests/test_signing.py", 4, 4, "supported"),
    ]
    (repo / "src/auth/NOTES.md").write_text(
        "# Here\n\n`test_sign` is in [it](../../tests/test_signing.py#L4), `sign`: signing.py:12\n"
    )
    assert {row[0] for row in verdicts(scoutkit("import", "NOTES.md", "--json", cwd=repo / "src/auth"))} == {
        "tests/test_signing.py",
        "src/auth/signing.py",
    }


def test_an_adr_keeps_its_own_front_matter_and_is_a_decision(scoutkit, repo, file):
    text = (
        "---\nstatus: accepted\ndate: 2024-01-02  # of the meeting\ndeciders: [Ann, Bo]\n---\n\n# Use HMAC\n\n"
        f"## Context and Problem Statement\n\nCookies.\n\n## Decision Outcome\n\n{SIGN}"
    )
    note = scoutkit("import", file("0007-hmac.md", text), "--json").json["notes"][0]
    assert (note["title"], note["type"], note["status"]) == ("Use HMAC", "decision", "stable")
    kept = (repo / note["path"]).read_text()
    assert "date: 2024-01-02  # of the meeting\ndeciders: [Ann, Bo]\n" in kept
    assert "imported: {from: 0007-hmac.md, status: accepted}\n" in kept
    assert scoutkit("index", "--json").json["problems"] == []


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_front_matter_in_toml_is_read_and_kept_in_yaml(scoutkit, repo, file, line_end):
    text = (
        '+++\ntitle = "Use HMAC: why"\ndate = 2024-01-02T10:00:00Z\nTags = [\n  "auth",\n  "cookies",\n]\n'
        'draft = false\nsummary = """Two\nlines é"""\n\n[params]\nauthor = "Ann"\n+++\n\n' + SIGN
    )
    said = scoutkit("import", file("hmac.md", text.replace("\n", line_end)), "--json")
    (note,) = said.json["notes"]
    assert (note["title"], note["tags"], said.err) == ("Use HMAC: why", ["auth", "cookies"], "")
    assert "+++" not in note["body"]
    assert said.json["checked"][0]["line"] == text[: text.index("src/auth")].count("\n") + 1
    kept = (repo / note["path"]).read_text()
    for line in (
        "date: 2024-01-02 10:00:00+00:00",
        "draft: false",
        r'summary: "Two\nlines é"',
        'params: {"author": "Ann"}',
    ):
        assert f"\n{line}\n" in kept
    assert scoutkit("index", "--json").json["problems"] == []


@pytest.mark.parametrize(
    "block", ["title = Use HMAC\n", "title = 'a'\ntitle = 'b'\n", '"a b" = 1\n', "a = " + "[" * 9999 + "\n"]
)
def test_front_matter_in_toml_that_cannot_be_read_stays_in_the_text_and_is_told(scoutkit, file, block):
    said = scoutkit("import", file("hmac.md", f"+++\n{block}+++\n\n{SIGN}"), "--json")
    assert "its TOML front matter cannot be read and stays in the text: " in said.err
    assert said.json["notes"][0]["body"].startswith("+++\n")
    assert said.code == 0


@pytest.mark.parametrize(
    "text",
    [
        "---\nstatus: superseded by ADR-0009\n---\n\n# Old\n\ntext that is long enough\n",
        "# 3. Old\n\nDate: 2020-01-01\n\n## Status\n\nSuperseded by [9. New](0009-new.md)\n\n## Decision\n\nWe did.\n",
        "# Old\n\n* Status: deprecated\n* Deciders: Ann\n\n## Decision Outcome\n\nWe did.\n",
    ],
)
def test_a_decision_that_no_longer_applies_by_its_own_word_is_deprecated(scoutkit, file, text):
    said = scoutkit("import", file("old.md", text), "--json")
    assert said.json["notes"][0]["status"] == "deprecated"
    assert "kept as deprecated" in said.err
    assert len(scoutkit("import", file("old.md", text), "--json").json["skipped"]) == 1


@pytest.mark.parametrize("moved", [False, True])
def test_a_permalinks_lines_are_those_of_its_commit(scoutkit, repo, git, file, moved):
    commit = git(repo, "rev-parse", "HEAD").strip()
    path = repo / "src/auth/signing.py"
    path.write_text("# one\n# two\n# three\n" + path.read_text())
    if moved:
        git(repo, "add", ".")
        (repo / "lib").mkdir()
        git(repo, "mv", "src/auth/signing.py", "lib/signing.py")
    git(repo, "commit", "-qam", "moved")
    text = (
        f"# Links\n\nThe MAC is made here: https://git.example/a/b/blob/{commit}/src/auth/signing.py#L12-L14\n\n"
        f"`check_cookie` is [there](https://git.example/a/b/blob/{commit[:12]}/src/auth/middleware.py#L4-L6).\n\n"
        f"`SessionSigner.verify` is [here](https://git.example/a/b/blob/{commit}/src/auth/signing.py#L16-L18)\n"
    )
    said = scoutkit("import", file("wiki.md", text), "--json")
    name = "lib/signing.py" if moved else "src/auth/signing.py"
    assert verdicts(said) == [
        (name, 15, 17, "corrected"),
        ("src/auth/middleware.py", 4, 6, "supported"),
        (name, 19, 21, "corrected"),
    ]
    assert said.json["notes"][0]["citations"][0]["was"] == "src/auth/signing.py:12-14"
    assert f"at {commit[:10]}" in said.json["checked"][0]["why"]
    assert f"blob/{commit}/src/auth/signing.py#L12-L14" in said.json["notes"][0]["body"]
    at_then = scoutkit("import", file("then.md", f"{text}\n"), "--commit", commit, "--force", "--json")
    assert [one[3] for one in verdicts(at_then)] == ["unsupported", "supported", "supported"]


def test_a_permalink_to_a_commit_that_is_not_here_is_said(scoutkit, file):
    link = f"https://git.example/a/b/blob/{'1234567890' * 4}/src/auth/signing.py#L12-L14"
    said = scoutkit("import", file("a.md", f"# T\n\n`SessionSigner.sign`: {link}\n"), "--json")
    assert verdicts(said) == [("src/auth/signing.py", 12, 14, "supported")]
    assert "is not here" in said.err


def test_a_permalink_into_another_repository_is_no_citation_of_this_one(scoutkit, repo, git, file):
    git(repo, "remote", "add", "origin", "git@git.example:me/Sessions.git")
    commit = "1234567890" * 4
    text = (
        "# T\n\n"
        f"[theirs](https://git.example/a/other/blob/{commit}/lib/x.py#L1), "
        f"[ours](https://git.example/a/sessions/blob/{commit}/lib/y.py#L1)\n"
    )
    said = scoutkit("import", file("a.md", text), "--json")
    assert verdicts(said) == [("lib/y.py", 1, 1, "wrong")]
    assert "of other repositories, not checked: a/other" in said.err


@pytest.mark.parametrize(
    "raw",
    [
        f"# Signing\r\n\r\n{SIGN}".replace("\n", "\r\n").replace("\r\r", "\r").encode(),
        b"\xef\xbb\xbf# Signing\n\n" + SIGN.encode(),
        f"# Signing\n\n{SIGN}\n[[Session cookies]] and [[signing|the signer]]\n".encode(),
        b"# Signing\n\n`SessionSigner.sign` is in `src\\auth\\signing.py:12-14`\n",
        f"# Signing\n\n{SIGN}\n---\n\nmore\n".encode(),
        f"---\nnot: [closed\n---\n\n# Signing\n\n{SIGN}".encode(),
        f"---\nimported: {{from: x}}\nid: ADR-7\ntags: [auth]\n---\n# Signing\n\n{SIGN}".encode(),
    ],
)
def test_any_markdown_can_be_imported(scoutkit, repo, file, raw):
    said = scoutkit("import", file("a.md", raw), "--json")
    assert said.code == 0, said.err
    assert ("src/auth/signing.py", 12, 14, "supported") in verdicts(said)
    assert (repo / said.json["notes"][0]["path"]).exists()


def test_a_pasted_answer_from_standard_input_becomes_a_note(scoutkit, repo):
    said = scoutkit("import", "-", "--tag", "auth", "--json", stdin=f"The answer.\n\n{SIGN}")
    assert said.json["notes"][0]["tags"] == ["auth"]


def test_another_repositorys_note_gets_an_id_of_its_own_and_no_persons_word(scoutkit, repo, file):
    text = (
        "---\nid: aaaabbbb\ntype: ask\ntitle: Signing\ndescription: how\nquestion: How?\nstatus: stable\n"
        f"commit: {'a' * 40}\nverified:\n- {{by: 'human:Ann', at: 2024-01-02T00:00:00+00:00}}\nmine: yes\n---\n\n{SIGN}"
    )
    note = scoutkit("import", file("n.md", text), "--json").json["notes"][0]
    kept = (repo / note["path"]).read_text()
    assert note["id"] != "aaaabbbb"
    assert note["type"] == "ask"
    assert "question: How?" in kept
    assert "human:Ann" not in kept
    assert "mine: yes\n" in kept


def test_an_unknown_commit_is_exit_code_3_and_nothing_is_written(scoutkit, repo, file):
    assert scoutkit("import", file("a.md", SIGN), "--commit", "nowhere").code == 3
    assert not (repo / ".claude").exists()


def test_an_empty_name_is_not_the_folder_one_is_in(scoutkit, repo):
    said = scoutkit("import", "")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: an empty FILE\nhint: ")
    assert not (repo / ".claude").exists()


def test_a_pipe_in_a_folder_is_not_waited_for(scoutkit, file):
    folder = file("a.md", SIGN).parent
    os.mkfifo(folder / "pipe.md")
    said = scoutkit("import", folder, "--json")
    assert (said.code, len(said.json["notes"])) == (0, 1)


@pytest.mark.parametrize("size", [LARGEST + 1, 10**12])
def test_a_file_that_is_too_large_for_a_note_is_said_and_leaves_none(scoutkit, repo, file, size):
    path = file("a.md", "# Large\n")
    with path.open("r+b") as large:
        large.truncate(size)
    said = scoutkit("import", path)
    assert (said.code, said.out) == (2, "")
    assert said.err == f"error: larger than 64 MB: {path}\nhint: give parts of it\n"
    assert not (repo / ".claude").exists()


def test_a_file_with_a_merge_conflict_is_not_imported(scoutkit, repo, file):
    path = file("a.md", "# A\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
    said = scoutkit("import", path)
    assert (said.code, said.out) == (2, "")
    assert said.err == f"error: merge conflict markers: {path}:3\nhint: resolve the conflict\n"
    example = file("b.md", "# B\n\n```\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n```\n")
    assert scoutkit("import", example).code == 0


def test_what_a_partial_clone_lacks_is_not_called_wrong(scoutkit, repo, git, file, tmp_path):
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", repo.as_uri(), "partial")
    partial = tmp_path / "partial"
    git(partial, "remote", "set-url", "origin", (tmp_path / "gone").as_uri())
    path = file("a.md", f"{SIGN}\n`SessionSigner` is in `src/auth/signing.py:90`; see `src/auth/nope.py:3`.\n")
    said = scoutkit("import", path, "--json", cwd=partial)
    assert (said.code, verdicts(said)) == (
        0,
        [
            ("src/auth/signing.py", 12, 14, "unsupported"),
            ("src/auth/signing.py", 90, 90, "unsupported"),
            ("src/auth/nope.py", 3, 3, "wrong"),
        ],
    )
    assert said.json["checked"][0]["why"] == "its file is not in this clone and cannot be fetched"
    assert scoutkit("check", cwd=partial).code == 1
    assert scoutkit("confirm", said.json["notes"][0]["id"], cwd=partial).code == 1


def test_a_megabyte_takes_seconds(scoutkit, file):
    text = "# Long\n\n" + "".join(f"Paragraph {at} of plain words, `name_{at}` among them.\n\n" for at in range(20_000))
    path = file("long.md", text + SIGN)
    began = time.process_time()
    said = scoutkit("import", path, "--json")
    assert said.code == 0, said.err
    assert time.process_time() - began < 20
    assert verdicts(said) == [("src/auth/signing.py", 12, 14, "supported")]


def test_a_megabyte_without_a_blank_takes_seconds(scoutkit, file):
    path = file("a.md", "x" * 1_000_000)
    began = time.process_time()
    assert scoutkit("import", "--check-only", path).code == 0
    assert time.process_time() - began < 20
