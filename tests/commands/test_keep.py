"""check and confirm."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

SIGNING = "src/auth/signing.py"
TEXT = f"The signer is in `{SIGNING}:12-14`, `sign`, and `verify` in `{SIGNING}:16-18`.\n"


@pytest.fixture
def note(scoutkit, repo) -> Path:
    """A note on two functions, checked at the first commit."""
    return repo / scoutkit("new", "Signing", "--json", stdin=TEXT).json["notes"][0]["path"]


@pytest.fixture
def change(repo, git):
    """Change the signing module and commit."""

    def call(old: str, new: str, *, author: str = "Ada <ada@example.org>", count: int = 1) -> None:
        path = repo / SIGNING
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, count))
        git(repo, "commit", "-qm", "change", f"--author={author}", "--", SIGNING)

    return call


def verdicts(said) -> list[str]:
    return [one["verdict"] for one in said.json["notes"][0]["citations"]]


def test_notes_whose_lines_are_as_they_were_hold(scoutkit, note):
    said = scoutkit("check", "--json")
    assert said.code == 0
    assert (said.json["held"], said.json["not"]) == (1, 0)
    one = said.json["notes"][0]["citations"][0]
    assert one["now"] == {"path": SIGNING, "start": 12, "end": 14}
    assert (one["verdict"], one["commits"], one["last"]) == ("fresh", 0, None)
    said = scoutkit("check")
    assert said.out == "1 note holds: of 2 citations 2 fresh\n"


def test_lines_that_only_moved_hold_and_nothing_is_written(scoutkit, note, change):
    before = note.read_bytes()
    change("import hmac\n", "import hmac\nimport os\nimport sys\n")
    said = scoutkit("check", "--json")
    assert said.code == 0
    assert verdicts(said) == ["moved", "moved"]
    assert said.json["notes"][0]["citations"][0]["now"] == {"path": SIGNING, "start": 14, "end": 16}
    assert note.read_bytes() == before


def test_edited_lines_do_not_hold_and_are_told_with_who_and_how_often(scoutkit, note, change):
    change("'sha256'", "'sha512'", author="Bob <bob@example.org>")
    change("'sha512'", "'blake2b'")
    said = scoutkit("check", "--json")
    assert said.code == 1
    assert (said.json["held"], said.json["not"]) == (0, 1)
    one = said.json["notes"][0]["citations"][0]
    assert (one["verdict"], one["commits"], one["last"]["author"]) == ("edited", 2, "Ada")
    assert 0 < one["similarity"] < 1
    said = scoutkit("check")
    assert said.code == 1
    assert f"edited: {SIGNING}:12-14, " in said.out
    assert "2 commits, last by Ada just now" in said.out
    assert "Signing" in said.out
    assert "16-18" not in said.out
    assert "16-18" in scoutkit("check", "--all").out
    assert said.out.endswith("0 notes hold, 1 does not: of 2 citations 1 fresh, 1 edited\n")


def test_a_change_that_is_not_committed_counts_and_no_commit_is_blamed(scoutkit, note, repo):
    path = repo / SIGNING
    path.write_text(path.read_text().replace("'sha256'", "'md5'"))
    said = scoutkit("check", "--json")
    assert said.code == 1
    assert said.json["notes"][0]["citations"][0]["commits"] == 0
    assert scoutkit("check", "--at", "HEAD").code == 0


def test_a_deleted_file_is_gone(scoutkit, note, repo, git):
    git(repo, "rm", "-q", SIGNING)
    git(repo, "commit", "-qm", "no signing any more")
    said = scoutkit("check", "--json")
    assert said.code == 1
    for one in said.json["notes"][0]["citations"]:
        assert (one["verdict"], one["now"], one["commits"]) == ("gone", None, 1)


def test_time_travel(scoutkit, note, change, repo, git):
    git(repo, "tag", "v1")
    change("'sha256'", "'sha512'")
    git(repo, "tag", "v2")
    change("'sha512'", "'sha256'")
    assert scoutkit("check", "--at", "v1").code == 0
    assert scoutkit("check", "--at", "v2").code == 1
    assert scoutkit("check").code == 0
    said = scoutkit("check", "--at", "v3")
    assert said.code == 3
    assert "no such revision: v3" in said.err


def test_what_was_wrong_at_birth_stays_wrong_and_does_not_count(scoutkit, repo):
    scoutkit("new", "Two", stdin=f"{TEXT}\nAnd `src/gone.py:9`.\n")
    said = scoutkit("check", "--json")
    assert said.code == 0
    assert verdicts(said)[-1] == "wrong"
    assert said.json["notes"][0]["citations"][-1]["score"] is None


def test_notes_are_named_by_id_and_deprecated_ones_only_so(scoutkit, note, repo, change):
    other = scoutkit("new", "Other", "--json", stdin="Nothing cited.\n").json["notes"][0]
    change("'sha256'", "'sha512'")
    assert scoutkit("check", other["id"]).code == 0
    assert scoutkit("check", note.name).code == 1
    note.write_text(note.read_text().replace("status: stable", "status: deprecated"))
    assert scoutkit("check").code == 0
    assert scoutkit("check", "Signing").code == 1
    assert scoutkit("check", "nosuchnote").code == 1


def test_since_takes_notes_that_were_made_or_confirmed_lately(scoutkit, note):
    text = note.read_text()
    note.write_text(re.sub(r", at: [^}]*}", ", at: 2020-01-01T00:00:00+00:00}", text, count=1))
    assert not scoutkit("check", "--since", "30", "--json").json["notes"]
    confirmed = "verified:\n- {by: human:Ada, at: 2999-01-01T00:00:00+00:00}\n"
    note.write_text(note.read_text().replace("verified: []\n", confirmed))
    assert len(scoutkit("check", "--since", "30", "--json").json["notes"]) == 1
    assert scoutkit("check", "--since", "-1").code == 2


def test_only_notes_that_cite_staged_files(scoutkit, note, repo, git):
    assert not scoutkit("check", "--staged", "--json").json["notes"]
    (repo / "README.md").write_text("# Other\n")
    git(repo, "add", "README.md")
    assert not scoutkit("check", "--staged", "--json").json["notes"]
    (repo / SIGNING).write_text("# nothing left\n")
    assert not scoutkit("check", "--staged", "--json").json["notes"]
    git(repo, "add", SIGNING)
    said = scoutkit("check", "--staged", "--json", cwd=repo / "src")
    assert (said.code, len(said.json["notes"])) == (1, 1)


def test_a_note_that_cannot_be_read_does_not_hold_and_stops_no_other(scoutkit, note, repo):
    bad = note.with_name("bad.md")
    bad.write_text("---\nid: aaaabbbb\ntitle: [open\n---\n\ntext\n")
    said = scoutkit("check", "--json")
    assert said.code == 1
    assert (said.json["held"], said.json["not"]) == (1, 1)
    assert "bad.md:" in scoutkit("check").out


def test_a_shallow_clone_compares_with_the_anchors(scoutkit, note, repo, git, change, tmp_path):
    change("import hmac\n", "import hmac\nimport os\n")
    git(repo, "add", ".claude")
    git(repo, "commit", "-qm", "note")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "shallow")
    shallow = tmp_path / "shallow"
    said = scoutkit("check", "--json", cwd=shallow)
    assert verdicts(said) == ["moved", "moved"]
    path = shallow / SIGNING
    path.write_text(path.read_text().replace("'sha256'", "'md5'"))
    one = scoutkit("check", "--json", cwd=shallow).json["notes"][0]["citations"][0]
    assert one["verdict"] in ("edited", "gone")
    assert one["commits"] is None


def test_notes_that_a_sparse_checkout_leaves_out_are_counted(scoutkit, note, repo, git):
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "note")
    assert scoutkit("check").err == ""
    git(repo, "sparse-checkout", "set", "src")
    said = scoutkit("check")
    assert (said.code, said.out) == (0, "no note to check\n")
    assert said.err == (
        "1 note is left out by the sparse checkout and not checked: git sparse-checkout add .claude/notes\n"
    )
    assert "1 note is left out" in scoutkit("refresh", "--dry-run").err
    git(repo, "sparse-checkout", "add", ".claude/notes")
    said = scoutkit("check")
    assert (said.out, said.err) == ("1 note holds: of 2 citations 2 fresh\n", "")


def test_a_linked_worktree_checks_its_own_tree(scoutkit, note, repo, git, tmp_path):
    git(repo, "worktree", "add", "-q", tmp_path / "linked")
    linked = tmp_path / "linked"
    (linked / SIGNING).write_text("# nothing left\n")
    assert scoutkit("check", cwd=linked).code == 1
    assert scoutkit("check").code == 0


def test_a_bare_repository_checks_head_and_says_so(scoutkit, note, repo, git, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    folder = tmp_path / "bare.git/scoutkit/notes"
    folder.mkdir(parents=True)
    (folder / "n.md").write_bytes(note.read_bytes())
    said = scoutkit("check", "--json", cwd=tmp_path / "bare.git")
    assert (said.code, said.json["held"]) == (0, 1)
    assert "checked against HEAD" in said.err
    assert "checked against" not in scoutkit("check", "--at", "HEAD", cwd=tmp_path / "bare.git").err


@pytest.mark.parametrize(
    "args",
    [
        ["--fix", "--at", "HEAD"],
        ["--fix", "--at", ""],
        ["--json", "--format", "github"],
        *(["--since", days] for days in ("soon", "-1", "nan", "")),
    ],
)
def test_options_that_do_not_go_together_are_usage(scoutkit, args):
    said = scoutkit("check", *args)
    assert said.code == 2
    assert "\nhint: " in said.err


@pytest.mark.parametrize("revision", ["", "nope", "--help", "HEAD^{tree}", f"HEAD:{SIGNING}"])
def test_a_revision_that_is_none_is_never_taken_for_the_working_tree(scoutkit, note, revision):
    said = scoutkit("check", "--at", revision)
    assert (said.code, said.out) == (3, "")
    assert "\nhint: " in said.err


def test_annotations_name_the_new_place_or_the_note(scoutkit, note, change, repo):
    title = note.read_text().replace("title: Signing", "title: 'Signing: a, b 100%'")
    note.write_text(title)
    change("'sha256'", "'sha512'")
    change("    def verify(self, cookie):\n        value, mac = cookie.rsplit(b'.', 1)\n"
           "        return hmac.compare_digest(self.sign(value), cookie)\n", "")  # fmt: skip
    said = scoutkit("check", "--format", "github")
    assert said.code == 1
    edited, gone = said.out.splitlines()
    assert edited.startswith(f"::warning file={SIGNING},line=12,endLine=14,title=edited%3A Signing%3A a%2C b 100%25::")
    assert "%0Ain the note .claude/notes/" in edited
    name = note.relative_to(repo).as_posix()
    line = next(n for n, row in enumerate(note.read_text().splitlines(), 1) if row.startswith("The signer"))
    assert gone.startswith(f"::warning file={name},line={line},title=gone%3A ")


def test_fix_rewrites_moved_lines_and_no_other_byte(scoutkit, note, change):
    note.write_text(
        note.read_text().replace("id: ", "# mine\ncssclass: wide  # odd\nid: ").replace("`sign`", "`sign`  \tx")
    )
    before = note.read_text()
    change("import hmac\n", "import hmac\nimport os\nimport sys\n")
    said = scoutkit("check", "--fix", "--json")
    assert (said.code, verdicts(said)) == (0, ["fresh", "fresh"])
    body, comment = before.split("<!-- scoutkit:anchors")
    after, same = note.read_text().split("<!-- scoutkit:anchors")
    assert same == comment
    head, text = body.split("\n---\n")
    assert after.split("\n---\n")[1] == text.replace(":12-14", ":14-16").replace(":16-18", ":18-20")
    for old, new in (("12-14", "14-16"), ("16-18", "18-20")):
        head = head.replace(f"{SIGNING}:{old}", f"{SIGNING}:{new}")  # of the citations, and in the description
    pieces = after.split("\n---\n")[0]
    assert re.sub(r", base: '[^']*'", "", pieces) == head
    assert f"base: '{SIGNING}:12-14'" in pieces
    assert scoutkit("check", "--json").json["notes"][0]["citations"][0]["verdict"] == "fresh"


def test_where_notes_cannot_be_rewritten_the_answer_is_given_all_the_same(scoutkit, note, change, repo):
    change("import hmac\n", "import hmac\nimport os\n")
    lock = repo / ".git/scoutkit/notebook.lock"
    lock.unlink()
    lock.mkdir()  # nobody gets it, not even root
    before = note.read_bytes()
    said = scoutkit("check", "--fix", "--json")
    assert said.code == 1
    assert said.err.startswith(f"error: cannot write {note.relative_to(repo)}: ")
    assert verdicts(said) == ["moved", "moved"]
    assert note.read_bytes() == before


def test_fix_twice_is_fix_once_and_going_back_leaves_the_note_as_it_was(scoutkit, note, change):
    before = note.read_bytes()
    change("import hmac\n", "import hmac\nimport os\n")
    scoutkit("check", "--fix")
    once = note.read_bytes()
    assert once != before
    scoutkit("check", "--fix")
    assert note.read_bytes() == once
    change("import os\n", "")
    scoutkit("check", "--fix")
    assert note.read_bytes() == before


def test_fix_leaves_what_does_not_hold(scoutkit, note, change):
    change("'sha256'", "'sha512'")
    before = note.read_bytes()
    assert scoutkit("check", "--fix").code == 1
    assert note.read_bytes() == before


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_fix_keeps_line_ends_and_byte_order_marks(scoutkit, note, change, mark, line_end):
    note.write_bytes(mark + note.read_bytes().replace(b"\n", line_end))
    change("import hmac\n", "import hmac\nimport os\n")
    before = note.read_bytes()
    said = scoutkit("check", "--fix")
    assert said.code == 0
    after = note.read_bytes()
    assert b":13-15`" in after
    assert after.startswith(mark + b"---" + line_end)
    assert after.count(b"\n") == before.count(b"\n")
    assert after.count(b"\r\n") == before.count(b"\r\n")


def test_fix_follows_a_renamed_file(scoutkit, note, repo, git):
    (repo / "lib").mkdir()
    git(repo, "mv", SIGNING, "lib/sign.py")
    git(repo, "commit", "-qm", "moved")
    assert scoutkit("check", "--fix").code == 0
    text = note.read_text()
    assert "is in `lib/sign.py:12-14`, `sign`" in text
    assert "{at: 'lib/sign.py:12-14', verdict: supported" in text
    assert scoutkit("check", "--json").json["held"] == 1


def test_the_check_is_the_same_from_a_sub_folder(scoutkit, note, change, repo):
    change("'sha256'", "'sha512'")
    assert scoutkit("check", cwd=repo / "src/auth").out == scoutkit("check").out


def on_a_terminal(repo: Path, home: Path, *args: str) -> tuple[int, str]:
    """Exit status and what a terminal of 40 columns shows, colours aside."""
    import pty

    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(repo)
        os.environ.update(HOME=str(home), TERM="xterm", COLUMNS="40", LINES="20")
        os.execv(sys.executable, [sys.executable, "-m", "scoutkit", *args])
    shown = b""
    while True:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), re.sub(r"\x1b\[[0-9;]*m", "", shown.decode())


def test_on_a_terminal_no_line_is_wider(note, change, repo, home):
    change("'sha256'", "'sha512'")
    code, shown = on_a_terminal(repo, home, "check")
    assert (code, "edited" in shown) == (1, True)
    assert max(map(len, shown.splitlines())) <= 40


def test_whoever_reads_a_note_on_a_terminal_is_told_that_it_no_longer_holds(note, change, repo, home, scoutkit):
    assert "no longer holds" not in on_a_terminal(repo, home, "show", "Signing")[1]
    change("'sha256'", "'sha512'")
    code, shown = on_a_terminal(repo, home, "show", "Signing")
    assert (code, f"no longer holds: {SIGNING}" in shown, "is edited" in shown) == (0, True, True)
    piped = scoutkit("show", "Signing")
    assert (piped.out.rstrip("\n"), piped.err) == (note.read_text().rstrip("\n"), "")


def test_confirm_says_who_and_moves_the_baseline(scoutkit, note, change, repo, git):
    change("import hmac\n", "import hmac\nimport os\n")
    change("'sha256'", "'sha512'")
    assert scoutkit("check").code == 1
    body = note.read_text()
    said = scoutkit("confirm", "Signing", "--json")
    assert said.code == 0
    one = said.json["notes"][0]
    assert one["verified"]["by"] == "human:A"
    assert one["edited"] == [f"{SIGNING}:12-14"]
    assert "the text had changed" in said.err
    assert one["commit"] == git(repo, "rev-parse", "HEAD").strip()
    assert [(one["start"], one["end"]) for one in one["citations"]] == [(13, 15), (17, 19)]
    text = note.read_text()
    assert "- {by: 'human:A', at: " in text or "- {by: human:A, at: " in text
    assert f"`{SIGNING}:13-15`" in text
    assert "base:" not in text
    assert text.count("blob=") == body.count("blob=") == 2
    said = scoutkit("check", "--json")
    assert (said.code, verdicts(said)) == (0, ["fresh", "fresh"])
    scoutkit("confirm", "Signing")
    assert note.read_text().count("by: human:A") == 3  # generated, and twice verified


def test_confirm_refuses_what_cannot_be_found_until_it_is_taken_out(scoutkit, note, change):
    change("    def verify(self, cookie):\n        value, mac = cookie.rsplit(b'.', 1)\n"
           "        return hmac.compare_digest(self.sign(value), cookie)\n", "")  # fmt: skip
    before = note.read_bytes()
    said = scoutkit("confirm", "Signing")
    assert said.code == 1
    assert f"{SIGNING}:16-18 (gone)" in said.err
    assert "hint: take it out" in said.err
    assert note.read_bytes() == before
    note.write_text(note.read_text().replace(f", and `verify` in `{SIGNING}:16-18`", ""))
    said = scoutkit("confirm", "Signing", "--json")
    assert (said.code, said.json["notes"][0]["dropped"]) == (0, [f"{SIGNING}:16-18"])
    assert scoutkit("check").code == 0


def test_confirm_refuses_changes_that_are_not_committed(scoutkit, note, repo):
    path = repo / SIGNING
    path.write_text(path.read_text() + "# more\n")
    before = note.read_bytes()
    said = scoutkit("confirm", "Signing")
    assert said.code == 1
    assert f"not committed: {SIGNING}" in said.err
    assert note.read_bytes() == before


def test_confirm_takes_in_what_was_written_by_hand(scoutkit, repo):
    folder = repo / ".claude/notes"
    folder.mkdir(parents=True)
    (folder / "mine.md").write_text(f"---\nid: aaaabbbb\ntitle: Mine\nmood: good  # kept\n---\n\n{TEXT}")
    before = scoutkit("check", "--json").json
    assert (before["held"], before["not"], before["uncited"]) == (0, 0, 1)
    said = scoutkit("confirm", "aaaabbbb", "--json")
    assert said.json["notes"][0]["added"] == [f"{SIGNING}:12-14", f"{SIGNING}:16-18"]
    text = (folder / "mine.md").read_text()
    assert "mood: good  # kept\n" in text
    assert f"\n{TEXT}" in text
    assert verdicts(scoutkit("check", "--json")) == ["fresh", "fresh"]


def test_a_note_without_citations_is_said_to_have_none_and_is_no_failure(scoutkit, note, repo):
    bare = scoutkit("new", "Bare", "--json", stdin="Nothing cited.\n").json["notes"][0]["id"]
    said = scoutkit("check", "--all")
    assert (said.code, said.out.splitlines()[-1]) == (0, "1 note holds, 1 has no citations: of 2 citations 2 fresh")
    assert f"{bare}  Bare\n          .claude/notes/" in said.out
    assert "\n          no citations\n" in said.out
    assert [one["id"] for one in scoutkit("search", "is:uncited", "--json").json["hits"]] == [bare]
    assert f"{bare}  Bare  (no citations)\n" in scoutkit("list").out
    assert "2 notes (1 without citations), in step with the files" in scoutkit("doctor").out
    assert "no citations by which to tell whether it holds; --force" in scoutkit("refresh", bare, "--dry-run").err
    (repo / ".claude/notes/broken.md").write_text("---\ntitle: [\n---\n\nText.\n")
    assert scoutkit("list").out.count("no citations") == 1, "of what cannot be read nothing is said"
    assert "3 notes (1 without citations)" in scoutkit("doctor").out


def test_one_note_that_is_refused_does_not_keep_another_from_being_confirmed(scoutkit, note, repo, git):
    other = scoutkit("new", "Other", "--json", stdin="Nothing cited.\n").json["notes"][0]
    git(repo, "rm", "-q", SIGNING)
    git(repo, "commit", "-qm", "gone")
    said = scoutkit("confirm", "Signing", other["id"], "--json")
    assert said.code == 1
    assert [one["id"] for one in said.json["notes"]] == [other["id"]]


def test_reading_and_checking_a_note_refresh_nothing(scoutkit, note, change):
    change("import hmac\n", "import hmac\nimport os\n")
    before = note.read_bytes()
    for args in (["show", "Signing"], ["search", "signer"], ["about", SIGNING], ["check"], ["check", "--at", "HEAD~1"]):
        scoutkit(*args)
    assert note.read_bytes() == before
