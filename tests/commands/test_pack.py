"""pack: the notes that bear on a task, with what became of their citations, and why others are left out."""

from __future__ import annotations

import pytest
from waiting import until

from scoutkit.reuse import tokens

SIGNING = "src/auth/signing.py"
NOTE = """---
id: {id}
type: ask
title: {title}
question: {question}
status: {status}
commit: {commit}
generated: {{by: claude/2.1, at: 2026-11-01T12:00:00+00:00}}
{more}citations:
{rows}
---

# {title}

{body}
"""


@pytest.fixture
def note(repo, git):
    """A note of the first commit."""
    commit = git(repo, "rev-parse", "HEAD").strip()

    def write(name: str, body: str, *places: str, title: str = "", status: str = "stable", **more: str) -> None:
        question = more.pop("question", f"Where is {name}?")
        rows = "\n".join(f"- {{at: '{place}', verdict: supported}}" for place in places)
        extra = "".join(f"{key}: {value}\n" for key, value in more.items())
        said = {"id": name, "title": title or f"Cookies, {name}", "question": question, "status": status, "rows": rows}
        folder = repo / ".claude/notes"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(NOTE.format(**said, commit=commit, more=extra, body=body))

    return write


@pytest.fixture
def changed(repo, git, note):
    """Notes whose lines moved, changed and went away since."""
    note("moved111", f"`sign` makes the MAC of cookies (`{SIGNING}:12-14` ✓).", f"{SIGNING}:12-14")
    note("edited11", f"`verify` compares cookies (`{SIGNING}:16-18`).", f"{SIGNING}:16-18")
    note("gone1111", "How signed cookies are checked (`src/auth/middleware.py:4-6`).", "src/auth/middleware.py:4-6")
    file = repo / SIGNING
    text = file.read_text().replace("import hmac\n", "import hmac\nimport os\n")
    file.write_text(text.replace("cookie.rsplit(b'.', 1)", "cookie.rsplit(b'!', 1)"))
    (repo / "src/auth/middleware.py").unlink()
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "second")


def test_a_pack_says_of_each_citation_what_became_of_it(scoutkit, changed):
    said = scoutkit("pack", "how", "are", "cookies", "signed", "--json")
    assert said.code == 0
    verdicts = {one["id"]: one["verdicts"] for one in said.json["notes"]}
    assert verdicts == {"moved111": {"moved": 1}, "edited11": {"edited": 1}, "gone1111": {"gone": 1}}
    text = said.json["text"]
    assert f"`{SIGNING}:13-15`)." in text, "lines that moved are updated"
    assert f"(`{SIGNING}:16-18` **[edited since, now {SIGNING}:17-19: " in text
    assert "+        value, mac = cookie.rsplit(b'!', 1)" in text, "what changed is shown"
    assert "(`src/auth/middleware.py:4-6` **[gone: these lines are not there any more]**)" in text
    assert " and 1 commit ago; citations: 1 moved" in text
    assert said.json["used"] <= said.json["budget"] == 8000
    assert said.json["tokenizer"] == "cl100k_base"


def test_code_is_that_of_the_target(scoutkit, changed):
    assert "        mac = hmac.new(self.key" in scoutkit("pack", "sign", "cookies", "--code").out
    at_first = scoutkit("pack", "cookies", "--code", "--at", "HEAD~1", "--json").json
    assert {verdict for one in at_first["notes"] for verdict in one["verdicts"]} == {"fresh"}
    assert "signer.verify(request.cookie)" in at_first["text"]


def test_what_is_left_out_is_said_with_its_reason(scoutkit, repo, note):
    note("first111", "Cookies are signed here.", question="How are cookies signed?")
    note("again111", "Signed they are, all the cookies.", question="how are COOKIES signed")
    note("older111", "Cookies were signed there.", status="deprecated", superseded_by="first111")
    note("draft111", "Cookies may be signed.", status="draft")
    note("long1111", "Cookies. " + "They are signed in many ways. " * 90)
    said = scoutkit("pack", "cookies signed", "--budget", "700", "--note", "long1111", "--json").json
    assert said["notes"][0] | {"tokens": 0, "score": 0} == {
        "id": "long1111",
        "path": ".claude/notes/long1111.md",
        "title": "Cookies, long1111",
        "verdicts": {},
        "cut": True,
        "tokens": 0,
        "score": 0,
        "why": "asked for by name",
    }
    assert [one["id"] for one in said["notes"]][-1] == "draft111", "drafts come last"
    assert "draft: no finished answer" in said["text"]
    why = {one["id"]: one["why"] for one in said["dropped"]}
    assert why["older111"] == "superseded by first111"
    assert why[{"first111", "again111"}.intersection(why).pop()].startswith("asked the same as ")
    told = scoutkit("pack", "cookies signed", "--explain")
    assert "  left out: older111, superseded by first111: Cookies, older111" in told.err.splitlines()
    assert "bears on the task; no citations: Cookies, draft111" in told.err


def test_a_draft_of_a_run_that_left_no_report_is_left_out_unless_it_is_asked_for(scoutkit):
    question = "Where are zebrawood cookies signed?"
    failed = scoutkit("ask", question, "--agent-cmd", "exit 3", "--json").json["note"]["id"]
    said = scoutkit("pack", "zebrawood", "--json")
    assert (said.code, said.json["notes"]) == (1, [])
    assert [(one["id"], one["why"]) for one in said.json["dropped"]] == [(failed, "its run left no report")]
    assert scoutkit("pack", "--note", failed, "--json").json["notes"][0]["id"] == failed


def test_the_task_may_come_from_stdin_and_nothing_found_is_exit_1(scoutkit, note):
    note("first111", "Cookies are signed here.")
    assert "Cookies are signed here." in scoutkit("pack", "-", stdin="sign the cookies\n").out
    assert scoutkit("pack", "zzxx").code == 1
    empty = scoutkit("pack", "-", stdin=" ")
    assert (empty.code, empty.err.splitlines()[0]) == (2, "error: nothing to pack for: the task is empty")


def test_what_cannot_be_copied_is_an_error_with_a_hint(scoutkit, note, monkeypatch, tmp_path):
    from scoutkit.reuse import clipboard

    note("first111", "Cookies are signed here.")
    monkeypatch.setattr(clipboard, "TERMINAL", tmp_path / "none/tty")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "TMUX", "WSL_DISTRO_NAME", "WSL_INTEROP"):
        monkeypatch.delenv(name, raising=False)
    said = scoutkit("pack", "cookies", "--copy")
    assert said.code == 5
    assert "no clipboard here" in said.err
    assert "hint: install wl-clipboard" in said.err


def test_a_bare_repository_is_followed_to_its_head(scoutkit, repo, git, note, tmp_path):
    note("first111", f"Cookies are signed (`{SIGNING}:12-14`).", f"{SIGNING}:12-14")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "notes")
    git(tmp_path, "clone", "-q", "--bare", repo, "bare")
    folder = tmp_path / "bare/scoutkit/notes"
    folder.mkdir(parents=True)
    (folder / "first111.md").write_bytes((repo / ".claude/notes/first111.md").read_bytes())
    said = scoutkit("pack", "cookies", "--code", "--json", cwd=tmp_path / "bare")
    assert [one["verdicts"] for one in said.json["notes"]] == [{"fresh": 1}]


def test_the_first_pack_lays_the_vocabulary_out_and_later_ones_count_alike(scoutkit, changed, home):
    file = home / ".cache/scoutkit/tokens/cl100k_base-1.db"
    file.unlink()
    tokens._best.cache_clear()  # as in a process of its own
    first = scoutkit("pack", "cookies", "--json").json
    until(file.exists)
    tokens._best.cache_clear()
    again = scoutkit("pack", "cookies", "--json").json
    assert file.with_suffix(".counted").exists()
    assert (again["used"], again["tokenizer"]) == (first["used"], "cl100k_base")


def test_a_task_is_words_and_no_query(scoutkit, note):
    note("kept0001", f"The cookie of the flask is signed (`{SIGNING}:12-14`).", f"{SIGNING}:12-14")
    for task in ("cookie -flask", "fix type:scout of the cookie", "cookie is:stale since:1d --signed"):
        assert [one["id"] for one in scoutkit("pack", task, "--json").json["notes"]] == ["kept0001"], task
    assert scoutkit("search", "cookie -flask").code == 1
