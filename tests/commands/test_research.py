"""`research`, end to end: real repositories as sources, real agents, what the note says and what is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest
from waiting import running, sleeper, until

from scoutkit import config
from scoutkit.dispatch import mirrors, sandbox

KEPT_IN = any(one.ok for one in sandbox.possible() if one.name in ("bwrap", "landlock"))
inside = pytest.mark.skipif(not KEPT_IN, reason="neither bubblewrap nor Landlock works here")
HELLO = 'import os\n\n\ndef greet(name):\n    """Say hello."""\n    return "hello " + name\n'


@pytest.fixture
def lib(tmp_path, git):
    """A source: one module, tagged v1, that has moved on since."""
    folder = tmp_path / "lib"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "src/hello.py").write_text(HELLO)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "tag", "v1")
    (folder / "src/hello.py").write_text("# Greetings\n" + HELLO)
    git(folder, "commit", "-q", "-a", "-m", "second")
    return folder


@pytest.fixture
def sha(lib, git):
    """The full id of a revision of the source."""
    return lambda revision="HEAD", where=lib: git(where, "rev-parse", revision).strip()


@pytest.fixture
def research(scoutkit, lib):
    """Send a command agent that does something and leaves `report`."""

    def call(report, *options, does="", repositories=None, question="Can we greet?"):
        sources = [part for one in repositories or [str(lib)] for part in ("--repo", one)]
        command = f"exec 3>&1 >&2\n{does}\ncat >&3 <<'REPORT'\n{report}\nREPORT"
        return scoutkit("research", question, *sources, "--agent-cmd", command, *options)

    return call


def cited(said):
    return [(one["path"], one["start"], one["end"], one["verdict"]) for one in said.json["note"]["citations"]]


def note_of(repo, said):
    return (repo / said.json["note"]["path"]).read_text()


@inside
def test_a_note_cites_sources_at_the_commit_that_was_shown(research, lib, repo, sha):
    at = sha("v1")
    proof = "```python\nprint(greet('you'))\n```\n\n```\n$ python poc.py\nhello you\n```"
    report = f"# It greets\n\n**Feasible**: `greet` says hello (`lib@{at[:9]}:src/hello.py:4-6`).\n\n{proof}"
    said = research(report, "--json", repositories=[f"{lib}@v1"])
    assert said.code == 0, said.err
    assert cited(said) == [(f"lib@{at}:src/hello.py", 4, 6, "supported")]
    note = said.json["note"]
    assert (note["type"], note["status"], said.json["run"]["kind"]) == ("research", "stable", "research")
    text = note_of(repo, said)
    assert f"`lib@{at[:9]}:src/hello.py:4-6` ✓" in text  # as the agent wrote it
    assert f"- {{at: 'lib@{at}:src/hello.py:4-6', verdict: supported, symbol: greet}}" in text
    assert f"- {{at: 'lib@{at}', from: '{lib}'}}" in text
    assert f"lib@{at}:src/hello.py:4-6 blob=" in text
    assert proof in text


@inside
def test_a_report_without_names_means_the_only_source(research, sha):
    said = research("# x\n\n`greet` is in src/hello.py:5-7; see also lib/src/hello.py:5, `greet`.", "--json")
    assert cited(said) == [
        (f"lib@{sha()}:src/hello.py", 5, 7, "supported"),
        (f"lib@{sha()}:src/hello.py", 5, 5, "supported"),
    ]


@inside
def test_citations_are_corrected_inside_their_source(research, repo, sha):
    said = research(f"# x\n\n`greet` is at `lib@{sha()[:10]}:src/hello.py:1-3`.", "--json")
    assert cited(said) == [(f"lib@{sha()}:src/hello.py", 5, 7, "corrected")]
    assert said.json["note"]["citations"][0]["was"] == f"lib@{sha()}:src/hello.py:1-3"
    assert f"`lib@{sha()[:12]}:src/hello.py:5-7` **[corrected, was :1-3]**" in note_of(repo, said)


@inside
def test_what_no_source_has_is_wrong_and_says_why(research, repo, sha):
    lines = [
        f"`greet` is in `other@{sha()[:9]}:src/hello.py:5`.",
        "`greet` is in `lib@0123456789:src/hello.py:5`.",
        f"`nobody` is in `lib@{sha()[:9]}:src/nobody.py:5`.",
        "`poc.py:3` is mine.",
    ]
    said = research("# x\n\n" + "\n\n".join(lines), "--json")
    assert [one["verdict"] for one in said.json["note"]["citations"]] == ["wrong"] * 4
    text = note_of(repo, said)
    assert "no source is called other: there is lib" in text
    assert f"lib was shown at {sha()[:12]}, not at 0123456789" in text
    assert "\n- {at: 'poc.py:3', verdict: wrong}\n" in text


@inside
def test_two_sources_of_one_name_are_told_apart(research, lib, repo, tmp_path, git, sha):
    other = tmp_path / "other/lib"
    other.mkdir(parents=True)
    git(other, "init", "-q")
    (other / "bye.py").write_text("def part():\n    return 'bye'\n")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "one")
    at = sha(where=other)
    report = (
        f"# x\n\n`greet`: `lib@{sha()[:9]}:src/hello.py:5`, `part`: `lib-2@{at[:9]}:bye.py:1`, `part`: `bye.py:1-2`."
    )
    said = research(report, "--json", repositories=[str(lib), str(other)], does="ls ../sources")
    assert cited(said) == [
        (f"lib@{sha()}:src/hello.py", 5, 5, "supported"),
        (f"lib-2@{at}:bye.py", 1, 1, "supported"),
        (f"lib-2@{at}:bye.py", 1, 2, "supported"),
    ]


@inside
def test_the_agent_sees_the_pinned_commit_and_never_the_working_tree(research, lib, repo):
    (lib / "src/hello.py").write_text("dirty\n")
    (lib / "untracked.py").write_text("dirty\n")
    does = (
        "cat ../sources/lib/src/hello.py; ls ../sources/lib; git -C ../sources/lib status --short; git log; ls -A; pwd"
    )
    said = research("# x", "--json", does=does, repositories=[f"{lib}@v1"])
    seen = next((repo / ".git/scoutkit/runs").glob("*/stderr.txt")).read_text()
    assert HELLO in seen
    assert "dirty" not in seen
    assert "untracked" not in seen
    assert said.code == 0


@inside
def test_sources_cannot_be_written_and_the_scratch_folder_can(research, lib, repo, home, git):
    before = git(lib, "rev-parse", "HEAD") + git(lib, "for-each-ref")
    does = (
        "touch ../sources/lib/x; echo > ../sources/lib/src/hello.py; git -C ../sources/lib commit --allow-empty -m x;"
        f"touch {lib}/x; echo x > poc.py && git add poc.py && git commit -qm mine && git log --oneline"
    )
    said = research("# x", "--json", does=does)
    assert said.code == 0
    seen = next((repo / ".git/scoutkit/runs").glob("*/stderr.txt")).read_text()
    assert seen.rstrip().endswith(" mine")
    assert not (lib / "x").exists()
    assert git(lib, "rev-parse", "HEAD") + git(lib, "for-each-ref") == before
    mirror = mirrors.find(str(lib))
    assert "x" not in [path.name for path in mirror.iterdir()]


@inside
def test_nothing_is_left_but_the_note_and_the_mirror(research, repo, git):
    before = git(repo, "status", "--porcelain", "-uall") + git(repo, "for-each-ref") + git(repo, "stash", "list")
    sleep = sleeper()
    said = research("# x", does=f"git init -q nested; ({sleep} &)", question="What is left?")
    assert said.code == 0
    after = git(repo, "status", "--porcelain", "-uall") + git(repo, "for-each-ref") + git(repo, "stash", "list")
    assert "".join(line for line in after.splitlines(True) if ".claude/notes/" not in line) == before
    state = config.user_state()
    assert not list((state / "runs").iterdir())
    until(lambda: not list((state / "trash").iterdir()))
    assert len(mirrors.kept()) == 1
    assert running(sleep) == []


@inside
def test_a_failing_agent_leaves_a_draft_that_says_what_it_looked_at(research, repo, sha):
    said = research(f"# Half\n\n`greet` is in `lib@{sha()[:9]}:src/hello.py:5`.", "--json", does="trap 'exit 3' EXIT")
    assert said.code == 4
    note = said.json["note"]
    assert note["status"] == "draft"
    assert cited(said) == [(f"lib@{sha()}:src/hello.py", 5, 5, "supported")]


@inside
def test_the_template_fills_the_scratch_folder(research, tmp_path, repo):
    template = tmp_path / "template"
    (template / "app").mkdir(parents=True)
    (template / "app/main.py").write_text("print('from the template')\n")
    (template / "run.py").symlink_to("app/main.py")
    (template / ".git").mkdir()
    said = research("# x", "--template", str(template), does="python3 run.py; git status --short -uall")
    assert said.code == 0, said.err
    seen = next((repo / ".git/scoutkit/runs").glob("*/stderr.txt")).read_text()
    assert seen == "from the template\n?? app/main.py\n?? run.py\n"


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "app/../../outside"])
def test_a_template_with_a_link_that_leads_out_is_refused(research, tmp_path, target, repo):
    template = tmp_path / "template"
    template.mkdir()
    (tmp_path / "outside").write_text("secret")
    (template / "link").symlink_to(target)
    said = research("# x", "--template", str(template), "--isolate", "none")
    assert said.code == 6
    assert "link that leads out of it: link" in said.err
    assert not (repo / ".claude").exists()


def test_a_revision_that_is_not_there_is_one_line_and_code_3(research, lib, repo):
    said = research("# x", "--isolate", "none", repositories=[f"{lib}@v9"])
    assert said.code == 3
    assert said.err.splitlines() == [
        f"error: {lib}: no such revision: v9",
        "hint: name a branch, tag or commit that exists: git log --oneline --all",
    ]
    address = research("# x", "--isolate", "none", repositories=[f"file://{lib}@v9"])
    assert address.code == 3
    assert f"error: file://{lib}: no such revision: v9" in address.err
    assert not (repo / ".claude").exists()
    assert not list((config.user_state() / "runs").glob("*"))


@pytest.mark.parametrize("where", ["nowhere", "plain", "lib/src"])
def test_what_is_no_repository_is_code_3(research, lib, tmp_path, where):
    (tmp_path / "plain").mkdir()
    said = research("# x", "--isolate", "none", repositories=[str(tmp_path / where)])
    assert said.code == 3
    assert said.err.startswith(f"error: {'no such folder: ' if where == 'nowhere' else ''}")
    assert str(tmp_path / where) in said.err.splitlines()[0]
    assert len(said.err.splitlines()) == 2


def test_an_address_without_a_repository_is_code_3_and_leaves_no_mirror(research, tmp_path):
    said = research("# x", "--isolate", "none", repositories=[f"file://{tmp_path}/nowhere"])
    assert said.code == 3
    assert f"error: cannot fetch file://{tmp_path}/nowhere: " in said.err
    assert mirrors.kept() == []


def test_a_repository_is_asked_for(scoutkit):
    said = scoutkit("research", "Can we?", "--agent-cmd", "true")
    assert said.code == 2
    assert "--repo" in said.err


def test_the_builtin_agent_cannot_do_it(scoutkit, lib):
    said = scoutkit("research", "Can we?", "--repo", lib, "--agent", "builtin")
    assert said.code == 5
    assert mirrors.kept() == []


def test_without_isolation_sources_are_locked_and_looked_at_afterwards(research, lib, sha):
    quiet = research("# x", "--isolate", "none", does="cat ../sources/lib/src/hello.py; git -C ../sources/lib status")
    assert quiet.code == 0
    assert "changed" not in quiet.err
    does = "chmod -R u+w ../sources && echo >> ../sources/lib/src/hello.py && touch ../sources/lib/new"
    report = f"# y\n\n`greet` is in `lib@{sha()[:9]}:src/hello.py:5`."
    said = research(report, "--isolate", "none", "--json", does=does, question="Another?")
    assert "lib: the agent changed 'new' and 1 more in its copy of the source" in said.err
    assert cited(said)[0][3] == "supported"
    until(lambda: not list((config.user_state() / "trash").iterdir()), "it goes, though nothing in it may be written")


def test_paths_are_those_of_the_folder_that_is_named(scoutkit, lib, repo, tmp_path):
    options = (
        "--repo",
        "../lib",
        "--isolate",
        "none",
        "--agent-cmd",
        "echo '# x'; echo; echo '```'; echo 1; echo '```'",
    )
    assert scoutkit("-C", repo, "research", "Can we?", *options, cwd=tmp_path).code == 0


def test_refresh_says_how_research_is_sent_again(research, scoutkit, lib, git, sha):
    note = research(f"# x\n\n`greet` is in `lib@{sha()[:9]}:src/hello.py:5-7`.", "--isolate", "none", "--json").json[
        "note"
    ]
    (lib / "src/hello.py").write_text("def other():\n    pass\n")
    git(lib, "commit", "-q", "-a", "-m", "third")
    said = scoutkit("refresh", note["id"], "--dry-run")
    assert "research is sent again with its sources: scoutkit research" in said.out + said.err


@inside
def test_the_same_question_about_the_same_commit_is_answered_from_memory(research, lib, git):
    first = research("# Yes", "--json").json
    again = research("# No", "--json").json
    assert again["run"] is not None  # another command is another agent
    asked = research("# Yes", "--json").json
    assert (asked["run"], asked["note"]["id"]) == (None, first["note"]["id"])
    (lib / "new.py").write_text("x = 1\n")
    git(lib, "add", ".")
    git(lib, "commit", "-q", "-m", "third")
    assert research("# Yes", "--json").json["run"]


@inside
def test_check_follows_a_source_that_moved_on(research, scoutkit, lib, repo, git, sha):
    at = sha("v1")
    report = f"# x\n\n`greet` is in `lib@{at[:9]}:src/hello.py:4-6`, `import os` in `lib@{at[:9]}:src/hello.py:1`."
    note = research(report, "--json", repositories=[f"{lib}@v1"]).json["note"]
    said = scoutkit("check", "--json")
    assert said.code == 0
    rows = said.json["notes"][0]["citations"]
    assert [(row["verdict"], row["now"]) for row in rows] == [
        ("moved", {"path": f"lib@{sha()}:src/hello.py", "start": 5, "end": 7}),
        ("moved", {"path": f"lib@{sha()}:src/hello.py", "start": 2, "end": 2}),
    ]
    before = (repo / note["path"]).read_bytes()
    assert scoutkit("check", "--fix").code == 0
    assert (repo / note["path"]).read_bytes() == before
    (lib / "src/hello.py").write_text(HELLO.replace('"hello "', '"good day "').replace("import os", "import sys"))
    git(lib, "commit", "-q", "-a", "-m", "third")
    said = scoutkit("check", "--json")
    assert said.code == 1
    assert said.json["notes"][0]["citations"][0]["verdict"] == "edited"
    assert "edited: lib@" in scoutkit("check").out


@inside
def test_a_source_that_is_not_here_does_not_count(research, scoutkit, lib, sha, tmp_path):
    report = f"# x\n\n`greet` is in `lib@{sha()[:9]}:src/hello.py:5-7`."
    research(report)
    moved = lib.rename(tmp_path / "moved")
    said = scoutkit("check", "--json")
    assert said.json["notes"][0]["citations"][0]["verdict"] == "fresh"  # the mirror has it
    mirror = mirrors.find(str(lib))
    mirror.rename(tmp_path / "away")
    said = scoutkit("check", "--json")
    assert said.code == 0
    row = said.json["notes"][0]["citations"][0]
    assert (row["verdict"], row["now"], row["why"]) == ("unchecked", None, f"its source is not here: {lib}")
    assert (said.json["held"], said.json["not"], said.json["uncited"]) == (0, 0, 1)
    told = "has no citation that counts: of 1 citation 1 not counted, since another repository is not here"
    assert told in scoutkit("check").out
    assert scoutkit("confirm", said.json["notes"][0]["id"]).code == 0
    assert moved.is_dir()


@inside
def test_confirming_leaves_citations_of_sources_at_their_commit(research, scoutkit, lib, repo, git, sha):
    report = f"# x\n\n`greet` is in `lib@{sha('v1')[:9]}:src/hello.py:4-6`, and again in `hello.py:4-6`: `greet`."
    note = research(report, "--json", repositories=[f"{lib}@v1"]).json["note"]
    assert note["citations"][0]["verdict"] == "supported"
    said = scoutkit("confirm", note["id"], "--json")
    assert said.code == 0, said.err
    assert said.json["notes"][0]["citations"] == note["citations"]
    assert said.json["notes"][0]["added"] == []
    text = (repo / note["path"]).read_text()
    assert f"lib@{sha('v1')}:src/hello.py:4-6 blob=" in text


@inside
def test_search_finds_it_by_words_of_the_path(research, scoutkit, sha):
    note = research(f"# x\n\n`greet` is in `lib@{sha()[:9]}:src/hello.py:5-7`.", "--json").json["note"]
    for query in ("hello.py", "src/hello.py", "lib hello"):
        assert [hit["id"] for hit in scoutkit("search", query, "--json").json["hits"]] == [note["id"]], query


@inside
def test_a_scripted_agent_reads_sources_and_runs_code(scoutkit, lib, tmp_path, sha, repo):
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        "[[step]]\nwrite = { path = 'poc.py', text = 'print(1 + 1)' }\n\n"
        "[[step]]\nrun = 'python3 poc.py; cat ../sources/lib/src/hello.py'\n\n"
        f"[[step]]\nreport = '''\n# Two\n\n`greet` is in `lib@{sha()[:12]}:src/hello.py:5-7`.\n'''\n"
    )
    said = scoutkit("research", "Two?", "--repo", lib, "--agent", f"scripted:{scenario}", "--json")
    assert said.code == 0, said.err
    assert cited(said) == [(f"lib@{sha()}:src/hello.py", 5, 7, "supported")]
    prompt = next((repo / ".git/scoutkit/runs").glob("*/prompt.md")).read_text()
    assert f"`lib@{sha()[:12]}:path:start-end`" in prompt
    assert f"`../sources/lib` is {lib} at {sha()}." in prompt
    events = next((repo / ".git/scoutkit/runs").glob("*/events.jsonl")).read_text()
    assert "2\\n# Greetings" in events


@inside
def test_a_run_that_is_killed_ends_in_a_draft_with_its_citations_checked(repo, lib, sha, home, scoutkit):
    report = f"# Half\n\n`greet` is in `lib@{sha()[:9]}:src/hello.py:5-7`.\n"
    argv = [sys.executable, "-m", "scoutkit", "research", "Killed?", "--repo", str(lib)]
    command = f"cat <<'REPORT'\n{report}\nREPORT\nsleep 600"
    popen = subprocess.Popen([*argv, "--agent-cmd", command], cwd=repo, stderr=subprocess.DEVNULL)
    events = repo / ".git/scoutkit/runs"
    until(lambda: any("Half" in path.read_text() for path in events.glob("*/events.jsonl")))
    popen.kill()
    popen.wait()
    said = scoutkit("list")
    assert "was cut short; what it found is in" in said.err
    (note,) = (repo / ".claude/notes/drafts").glob("*.md")
    assert f"- {{at: 'lib@{sha()}:src/hello.py:5-7', verdict: supported, symbol: greet}}" in note.read_text()
    assert not list((config.user_state() / "runs").iterdir())


def test_clean_tells_of_mirrors_and_removes_unused_ones(research, scoutkit, lib, home):
    research("# x", "--isolate", "none")
    said = scoutkit("clean", "--json").json
    assert (said["sources"]["kept"], said["sources"]["removed"]) == (1, 0)
    assert said["sources"]["bytes"] > 0
    assert "copies of sources: 1, " in scoutkit("clean").err
    mirror = mirrors.find(str(lib))
    old = time.time() - 31 * 86_400
    os.utime(mirror, (old, old))
    assert str(mirror) in scoutkit("clean", "--dry-run", "--json").json["removed"]
    assert mirror.exists()
    assert scoutkit("clean", "--json").json["sources"] == {"kept": 0, "bytes": 0, "removed": 1, "repacked": 0}
    assert not mirror.exists()
    assert json.loads(scoutkit("list", "--json").out)["hits"]


@inside
def test_code_of_an_agent_that_says_nothing_stays_in_the_draft(scoutkit, lib, tmp_path, repo):
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        "[[step]]\nwrite = { path = 'app/poc.py', text = 'print(1 + 1)  # the proof' }\n\n"
        "[[step]]\nrun = 'python3 app/poc.py && head -c 9000 /dev/zero > blob && ln -s /etc/passwd leak'\n\n"
        "[[step]]\nrun = 'python3 nope.py'\n\n"
        "[[step]]\nexit = 3\n"
    )
    said = scoutkit("research", "Two?", "--repo", lib, "--agent", f"scripted:{scenario}", "--json")
    assert said.code == 4
    note = said.json["note"]
    text = (repo / note["path"]).read_text()
    assert (note["status"], note["title"]) == ("draft", "The agent left code and no report")
    assert "`app/poc.py`:\n\n```py\nprint(1 + 1)  # the proof\n```" in text
    assert "$ python3 nope.py  # exit 2" in text
    assert "blob`" not in text
    assert "root:" not in text


@inside
def test_code_is_kept_where_a_report_shows_none_and_not_twice(research, repo, tmp_path):
    template = tmp_path / "template"
    template.mkdir()
    (template / "base.py").write_text("print('as it was')\n")
    options = ("--template", str(template), "--json")
    said = research("# It can be done", *options, does="echo 'print(2)' > poc.py")
    text = note_of(repo, said)
    assert "## Code that it left\n\n`poc.py`:\n\n```py\nprint(2)\n```" in text
    assert "as it was" not in text
    said = research("# It can be done\n\n```\nprint(2)\n```", *options, does="echo 'print(2)' > poc.py", question="b")
    assert "Code that it left" not in note_of(repo, said)
