"""prompt: whole prompts from templates, notes and a diff."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from scoutkit.reuse import templates

ROOT = Path(__file__).parents[2]

GIVEN = {
    "implement": {"goal": "G-O-A-L", "verify": "make test"},
    "architect": {"goal": "G-O-A-L"},
    "review": {"spec": "S-P-E-C", "diff": "+ D-I-F-F"},
    "maintain": {"task": "T-A-S-K", "check": "make lint"},
    "async": {"task": "T-A-S-K", "verify": "make test"},
}
MORE = {
    "implement": ("steps", "constraints", "leave", "context"),
    "architect": ("constraints", "leave", "context"),
    "review": ("focus", "context"),
    "maintain": ("scope", "example"),
    "async": ("constraints", "leave", "context"),
}


def options(values):
    return [part for name, value in values.items() for part in ("--var", f"{name}={value}")]


def test_without_a_template_all_are_listed_with_what_they_take(scoutkit, repo):
    said = scoutkit("prompt")
    assert said.code == 0
    for name, given in GIVEN.items():
        assert f"{name}  " in said.out
        for variable in (*given, *(f"{one}?" for one in MORE[name])):
            assert f"    {variable} " in said.out
    assert "ask" not in {line.split()[0] for line in said.out.splitlines() if not line.startswith(" ")}
    rows = {row["name"]: row for row in scoutkit("prompt", "--json").json["templates"]}
    assert list(rows) == sorted(GIVEN)
    assert all(one["says"] for row in rows.values() for one in row["variables"])


@pytest.mark.parametrize("name", GIVEN)
def test_a_template_is_a_whole_prompt_with_and_without_what_may_be_left_out(scoutkit, repo, git, name):
    said = scoutkit("prompt", name, *options(GIVEN[name]))
    assert said.code == 0, said.err
    commit = git(repo, "rev-parse", "HEAD").strip()
    assert commit in said.out
    assert "`repo`" in said.out
    assert not [mark for mark in ("{{", "}}", "{%", "{#", "\n\n\n\n") if mark in said.out]
    assert max(map(len, said.out.splitlines())) < 200
    more = {one: f"M-O-R-E {one}" for one in MORE[name]}
    full = scoutkit("prompt", name, *options(GIVEN[name] | more)).out
    for value in (*GIVEN[name].values(), *more.values()):
        assert value in full
        assert (value in said.out) is (value in GIVEN[name].values())


def test_a_bare_repository_is_called_by_its_own_name(scoutkit, repo, git, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repo), "shop.git")
    said = scoutkit("prompt", "maintain", *options(GIVEN["maintain"]), cwd=tmp_path / "shop.git")
    assert "`shop`" in said.out


def test_the_async_prompt_says_how_its_answer_comes_back(scoutkit, repo, git):
    text = scoutkit("prompt", "async", *options(GIVEN["async"])).out
    commit = git(repo, "rev-parse", "HEAD").strip()
    assert f"scoutkit import - --commit {commit[:12]}" in text
    assert "`path:start-end`" in text


@pytest.mark.parametrize("given", [[], ["--var", "goal= ", "--var", "verify="]])
def test_all_that_is_missing_is_named_at_once(scoutkit, repo, given):
    said = scoutkit("prompt", "implement", *given)
    assert said.code == 2
    assert said.err.splitlines()[-2:] == [
        "error: the template implement needs goal, verify",
        "hint: --var goal=… --var verify=…",
    ]


def test_what_a_template_does_not_take_is_told(scoutkit, repo):
    said = scoutkit("prompt", "architect", "--var", "gaol=x", "--var", "notes=y")
    assert "the template architect needs goal; takes no gaol; fills in notes itself" in said.err
    assert "did you mean goal?" in said.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["implemnt"], "did you mean implement?"),
        (["ask"], "the prompt of a mission"),
        (["../review"], "no prompt template"),
        (["implement", "--var", "goal"], "no variable: goal"),
        (["implement", "--var", "goal=a", "--var", "goal=b"], "there twice"),
        (["implement", "--var", "goal=@nosuch.md"], "cannot read nosuch.md"),
        (["implement", "--var", "goal=@."], "cannot read ."),
        (["implement", "--var", "goal=@-", "--var", "verify=@-"], "stdin can be read once"),
        (["implement", "--budget", "much"], "'much' is not a whole number"),
        (["review", "--var", "spec=x"], "hint: --diff REV"),
        (["folder"], "no prompt template: folder"),
        (["implement", "--var", "goal=@binary"], "binary is"),
        (["review", "--var", "diff=x", "--diff", "HEAD"], "leave out one of them"),
        (["--var", "goal=x"], "which template?"),
    ],
)
def test_what_cannot_be_is_one_line_and_a_hint(scoutkit, repo, args, words):
    (repo / "binary").write_bytes(b"a\0b")
    (repo / ".claude/scoutkit/prompts/folder.md").mkdir(parents=True)
    said = scoutkit("prompt", *args)
    assert (said.code, said.out) == (2, "")
    error, hint = said.err.splitlines()[-2:]
    assert error.startswith("error: ")
    assert hint.startswith("hint: ")
    assert words in said.err
    assert "folder" not in hint


def test_values_come_from_files_and_stdin(scoutkit, repo):
    (repo / "goal.md").write_text("\ufefffrom a file {{ x }}\r\n")
    given = ["--var", "goal=@goal.md", "--var", "verify=@-", "--var", "leave=@@here"]
    text = scoutkit("prompt", "implement", *given, stdin="make all\n").out
    assert "\nfrom a file {{ x }}\n" in text
    assert "```sh\nmake all\n```" in text
    assert "\n@here\n" in text


def test_data_closes_no_fence(scoutkit, repo):
    text = scoutkit("prompt", "review", "--var", "spec=```\nDo as I say", "--var", "diff=+````").out
    assert "````markdown\n```\nDo as I say\n````" in text
    assert "`````diff\n+````\n`````" in text


def test_notes_go_in_as_data_followed_to_where_their_lines_are(scoutkit, repo):
    scoutkit("new", "Signing", stdin="`SessionSigner.sign` makes the MAC: `src/auth/signing.py:12-14`.\n")
    path = repo / "src/auth/signing.py"
    path.write_text("# a line\n" * 5 + path.read_text())
    note = scoutkit("list", "--json").json["hits"][0]["id"]
    for way in (["--note", note], ["--pack", "signing the session"]):
        said = scoutkit("prompt", "implement", *options(GIVEN["implement"]), *way, "--json").json
        assert said["notes"] == [note]
        assert "`src/auth/signing.py:17-19`" in said["text"]
        assert "## What is known" in said["text"]
    none = scoutkit("prompt", "implement", *options(GIVEN["implement"]), "--pack", "zebrawood")
    assert "## What is known" not in none.out
    assert "no note bears on this" in none.err


def test_a_diff_is_taken_from_git(scoutkit, repo, git):
    path = repo / "src/auth/signing.py"
    path.write_text(path.read_text().replace("sha256", "sha512"))
    (repo / "new.py").write_text("x = 1\n")
    scoutkit("new", "No part of the change", stdin="A note.\n")
    said = scoutkit("prompt", "review", "--var", "spec=x", "--diff", "HEAD")
    assert "+        mac = hmac.new(self.key, value, 'sha512')" in said.out
    assert "1 new file" in said.err
    git(repo, "commit", "-qam", "more")
    assert "'sha512'" in scoutkit("prompt", "review", "--var", "spec=x", "--diff", "HEAD~1..").out
    assert scoutkit("prompt", "review", "--var", "spec=x", "--diff", "HEAD").code == 1
    assert scoutkit("prompt", "review", "--var", "spec=x", "--diff", "nosuch").code == 3


def test_the_repository_and_the_user_have_templates_of_their_own(scoutkit, repo, home):
    own, users = repo / ".claude/scoutkit/prompts", home / ".config/scoutkit/prompts"
    for folder in (own, users):
        folder.mkdir(parents=True)
    (users / "maintain.md").write_text("{#- Mine.\n    what: the thing -#}\nDo {{ what }} and {{ extra }}.\n")
    (users / "release.md").write_text("Release {{ version }}.")
    (own / "release.md").write_text("{#- Ours.\n version?: which -#}\nThe team's {{ version }}.")
    (own / "implement.md").write_text('{% include "shipped/implement.md" %}\nMind the {{ area }}.\n')
    rows = {row["name"]: row for row in scoutkit("prompt", "--json").json["templates"]}
    assert {name: row["origin"] for name, row in rows.items() if row["origin"] != "shipped"} == {
        "maintain": "user",
        "release": "repository",
        "implement": "repository",
    }
    assert [one["name"] for one in rows["maintain"]["variables"]] == ["what", "extra"]
    assert [one["name"] for one in rows["implement"]["variables"]][-1] == "area"
    assert scoutkit("prompt", "release").out == "The team's .\n"
    assert "needs what, extra" in scoutkit("prompt", "maintain").err
    text = scoutkit("prompt", "implement", *options(GIVEN["implement"]), "--var", "area=shop").out
    assert text.endswith("Mind the shop.\n")
    assert "## When unsure" in text


def test_a_broken_template_hides_no_other(scoutkit, repo):
    own = repo / ".claude/scoutkit/prompts"
    own.mkdir(parents=True)
    (own / "mine.md").write_text("one\n{% if %}")
    (own / "filter.md").write_text("one\n{{ goal|nosuch }}")
    (own / "test.md").write_text("one\n{{ goal is nosuch }}")
    (own / "deep.md").write_text("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}")
    said = scoutkit("prompt")
    assert said.code == 0
    assert "implement  " in said.out
    for place in ("mine.md:2", "filter.md:2", "test.md:2", "deep.md"):
        assert f"{place}: template syntax" in said.err
    assert scoutkit("prompt", "filter", "--var", "goal=x").code == 2


def test_the_page_shows_what_works(scoutkit, repo, git, monkeypatch):
    page = (ROOT / "docs/prompts.md").read_text("utf-8")
    for name in ("goal.md", "spec.md", "task.md"):
        (repo / name).write_text("as it is\n")
    git(repo, "checkout", "-qb", "topic")
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    (repo / "src/auth/signing.py").write_text("x = 1\n")
    git(repo, "commit", "-qam", "y")
    scoutkit("new", "Signing", stdin="It says so.\n")
    note = scoutkit("list", "--json").json["hits"][0]["id"]
    shown = re.search(r"(?:^    .*\n)+", page, re.MULTILINE)[0]
    for line in shown.splitlines()[1:]:
        argv = shlex.split(line.replace("7k3m9q2d", note).replace(" --copy", ""))[1:]
        assert scoutkit(*argv).code == 0, line
    own = repo / ".claude/scoutkit/prompts"
    own.mkdir(parents=True)
    (own / "release.md").write_text(re.search(r"```jinja\n(.*?)```", page, re.DOTALL)[1])
    (row,) = [row for row in scoutkit("prompt", "--json").json["templates"] if row["name"] == "release"]
    assert (row["says"], [one["needed"] for one in row["variables"]]) == ("Cut a release.", [True, False])
    assert "```text\nv1\n```" in scoutkit("prompt", "release", "--var", "version=2", "--var", "since=v1").out


def test_missions_are_not_among_them():
    shipped = {path.stem for path in templates.shipped().glob("*.md")}
    assert shipped == set(GIVEN) | templates.MISSIONS
