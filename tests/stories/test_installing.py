"""Fitting scoutkit into a repository and taking it out again: the tree is as it was, to the byte."""

from __future__ import annotations

import json
import os
import random
import stat
import threading
from pathlib import Path

import pytest

from scoutkit.desk import Desk
from scoutkit.errors import Refused
from scoutkit.stories import installing

BOM = b"\xef\xbb\xbf"
EVERY = installing.FLAGS
TREES: dict[str, dict[str, bytes]] = {
    "nothing": {},
    "ignored": {".gitignore": b"*.log\n.claude/"},
    "neat": {
        ".gitignore": b".claude/\nbuild/\n",
        "AGENTS.md": b"# Rules\n\nBe kind.\n",
        "CLAUDE.md": b"Claude's own.\n",
        ".mcp.json": b'{\n  "mcpServers": {\n    "db": {"command": "db"}\n  }\n}\n',
        ".claude/settings.json": b'{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash"}\n    ]\n  }\n}\n',
        ".codex/config.toml": b'# mine\nmodel = "gpt-5" # best\n',
        ".gemini/settings.json": b'// mine\n{\n\t"theme": "dark" /* always */\n}\n',
        ".pre-commit-config.yaml": b"repos:\n  # lint\n  - repo: local\n    hooks: []\n\nci: {}\n",
        ".github/workflows/ci.yml": b"on: push\n",
    },
    "windows": {
        ".gitignore": BOM + b"/.claude/notes/\r\n",
        "AGENTS.md": BOM + b"# Rules\r\n\r\nBe kind.",
        ".mcp.json": b'{\r\n\t"mcpServers": {}\r\n}',
        ".claude/settings.json": BOM + b'{"permissions": {"allow": []}}\r\n',
        ".codex/config.toml": BOM + b"[mcp_servers.db]\r\ncommand = 'db'",
        ".gemini/settings.json": b'{"mcpServers":{"db":{}}}',
        ".pre-commit-config.yaml": b"repos:\r\n- repo: local\r\n  hooks: []",
    },
    "empty": dict.fromkeys(
        (".gitignore", "AGENTS.md", "CLAUDE.md", ".mcp.json", ".codex/config.toml", ".pre-commit-config.yaml"), b""
    )
    | {".claude/settings.json": b"{}", ".gemini/settings.json": b"\n"},
    "imported": {"AGENTS.md": b"# Rules\n", "CLAUDE.md": b"@AGENTS.md\n"},
}


def state(root: Path) -> dict[str, object]:
    """All there is in the tree, and the hooks."""
    found: dict[str, object] = {}
    for path in [*root.rglob("*"), *(root / ".git/hooks").glob("*")]:
        name = str(path.relative_to(root))
        if name.startswith(".git/") and not name.startswith(".git/hooks"):
            continue
        mode = stat.S_IMODE(path.lstat().st_mode)
        found[name] = path.readlink() if path.is_symlink() else (mode, path.read_bytes() if path.is_file() else None)
    return found


def plant(root: Path, files: dict[str, bytes]) -> None:
    for name, raw in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(raw)


@pytest.fixture
def desk(repo: Path) -> Desk:
    return Desk.open(repo)


def actions(changes):
    return {change.path: change.action for change in changes}


@pytest.mark.parametrize("tree", TREES)
def test_whatever_is_put_in_in_whatever_order_comes_out_again(desk, repo, tree):
    plant(repo, TREES[tree])
    before, chance = state(repo), random.Random(tree)
    for _ in range(2):
        flags = chance.sample(EVERY, chance.randint(1, len(EVERY)))
        cut = chance.randint(0, len(flags))
        for some in (flags[:cut], flags[cut:]):
            installing.fit(desk, some)
        fitted = state(repo)
        assert fitted != before
        again = installing.fit(desk, flags)
        assert set(actions(again).values()) == {"there"}, again
        assert state(repo) == fitted
        for flag in chance.sample(flags, chance.randint(0, len(flags))):
            installing.undo(desk, [flag])
        installing.undo(desk)
        assert state(repo) == before
        assert not (repo / ".git/scoutkit/init.json").exists()
        assert installing.undo(desk) == []


@pytest.mark.parametrize("tree", ["neat", "windows", "empty"])
def test_another_clone_can_take_it_out_too(desk, repo, tree, git, tmp_path):
    plant(repo, TREES[tree])
    git(repo, "add", "-Af")
    git(repo, "commit", "-qm", "before")
    installing.fit(desk, EVERY)
    git(repo, "add", "-Af")
    git(repo, "commit", "-qm", "fitted")
    git(tmp_path, "clone", "-q", "--no-local", repo, "clone")
    clone = tmp_path / "clone"
    installing.undo(Desk.open(clone))
    git(clone, "add", "-Af")
    assert git(clone, "diff", "--cached", "--stat", "HEAD~1") == ""
    assert {path.name for path in clone.iterdir()} == {
        path.name for path in repo.iterdir() if git(repo, "ls-tree", "HEAD~1", path.name)
    } | {".git"}


def test_one_file_of_two_names_is_written_once_and_stays_a_link(desk, repo):
    (repo / "AGENTS.md").write_text("# Rules\n")
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    plant(repo, {".mcp.json": b"{}"})
    (repo / ".gemini").mkdir()
    (repo / ".gemini/settings.json").symlink_to("../.mcp.json")
    before = state(repo)
    changes = installing.fit(desk, EVERY)
    assert "it is AGENTS.md" in {change.why for change in changes}
    assert (repo / "AGENTS.md").read_text().count("scoutkit:begin") == 1
    assert (repo / ".mcp.json").read_text().count('"scoutkit": {') == 1
    assert (repo / "CLAUDE.md").is_symlink()
    installing.undo(desk)
    assert state(repo) == before
    installing.fit(desk, ["agents_md"])
    edited = (repo / "AGENTS.md").read_text().replace("Before you explore", "Now and then")
    (repo / "AGENTS.md").write_text(edited)
    assert actions(installing.undo(desk, ["agents_md"])) == {"AGENTS.md": "left"}, "once, by its own name"


def test_what_would_be_done_is_told_where_nothing_can_be_written(desk, repo):
    (repo / ".git/scoutkit").write_bytes(b"a file where a folder should be")
    assert actions(installing.fit(desk, ["agents_md"], dry_run=True))["AGENTS.md"] == "made"
    assert installing.undo(desk, dry_run=True) == []


def test_a_link_to_a_file_that_is_not_there_and_hard_links_are_written_through(desk, repo):
    (repo / "AGENTS.md").symlink_to("docs/rules.md")
    (repo / "README.md").chmod(0o640)
    os.link(repo / "README.md", repo / "CLAUDE.md")
    before = state(repo)
    installing.fit(desk, ["agents_md"])
    assert (repo / "docs/rules.md").is_file()
    assert (repo / "README.md").samefile(repo / "CLAUDE.md")
    assert "scoutkit:begin" in (repo / "README.md").read_text()
    installing.undo(desk)
    assert state(repo) == before


@pytest.mark.parametrize(
    ("name", "target"),
    [("AGENTS.md", "../outside.md"), ("CLAUDE.md", "/etc/hostname"), (".claude", "../elsewhere"), (".codex", ".git")],
)
def test_a_link_out_of_the_repository_is_refused_and_nothing_is_written(desk, repo, name, target, tmp_path):
    (tmp_path / "outside.md").write_text("mine\n")
    (tmp_path / "elsewhere").mkdir()
    (repo / name).symlink_to(target)
    before = state(repo)
    with pytest.raises(Refused, match="link out of the repository"):
        installing.fit(desk, ["github", "agents_md", "claude", "codex"])
    assert state(repo) == before
    assert (tmp_path / "outside.md").read_text() == "mine\n"
    assert installing.undo(desk) == []


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        (".mcp.json", b"{", ".mcp.json is not valid JSON"),
        (".claude/settings.json", b"// no comments here\n{}", ".claude/settings.json is not valid JSON"),
        (".codex/config.toml", b"a =", "is not valid TOML"),
        (".pre-commit-config.yaml", b"a: [", "is not valid YAML"),
        ("AGENTS.md", "utf".encode("utf-16"), "AGENTS.md is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_and_nothing_is_written(desk, repo, name, raw, said):
    plant(repo, {name: raw})
    before = state(repo)
    with pytest.raises(Refused, match=said):
        installing.fit(desk, EVERY)
    assert state(repo) == before
    assert [change.path for change in installing.plan(desk) if change.action == "left"] == [""]


def test_a_read_only_file_is_refused(desk, repo):
    plant(repo, {"AGENTS.md": b"x\n"})
    (repo / "AGENTS.md").chmod(0o444)
    with pytest.raises(Refused, match=r"AGENTS\.md is read-only"):
        installing.fit(desk, EVERY)
    assert not (repo / ".mcp.json").exists()
    (repo / "AGENTS.md").unlink()
    (repo / "AGENTS.md").mkdir()
    with pytest.raises(Refused, match=r"AGENTS\.md is no file"):
        installing.fit(desk, ["agents_md"])
    (repo / ".codex").write_text("not a folder\n")
    with pytest.raises(Refused, match="no folder"):
        installing.fit(desk, ["codex"])
    (repo / ".claude").write_text("not a folder\n")
    with pytest.raises(Refused, match="no folder"):
        installing.fit(desk, [])


def test_what_somebody_changed_stays_and_is_told(desk, repo):
    installing.fit(desk, EVERY)
    for name in ("AGENTS.md", ".github/workflows/scoutkit.yml", ".git/hooks/pre-commit", ".codex/config.toml"):
        path = repo / name
        path.write_text(
            path.read_text().replace("scoutkit check", "scoutkit check -q").replace('["mcp"]', '["mcp", "-v"]')
        )
    (repo / ".mcp.json").write_text((repo / ".mcp.json").read_text().replace('"mcp"', '"mcp", "--allow-ask"'))
    (repo / ".gemini/settings.json").write_text("{")
    (repo / "AGENTS.md").write_text((repo / "AGENTS.md").read_text().replace("Notes about", "What we know of"))
    changed = state(repo)
    left = actions(installing.undo(desk))
    assert left.pop(".claude/settings.json") == left.pop(".claude/skills/scoutkit/SKILL.md") == "deleted"
    assert left.pop(".claude/notes") == "deleted"
    assert ".gemini/settings.json" not in left, "nothing of scoutkit is in it"
    assert set(left) == {
        "AGENTS.md",
        ".github/workflows/scoutkit.yml",
        "git hook pre-commit",
        ".codex/config.toml",
        ".mcp.json",
    }
    assert set(left.values()) == {"left"}
    kept = state(repo)
    assert kept.items() <= changed.items()
    assert not [name for name in kept if name.startswith(".claude")]


def test_a_file_that_was_there_stays_however_it_was_laid_out_since(desk, repo):
    plant(repo, {".mcp.json": b'{"mcpServers": {}}', "AGENTS.md": b""})
    installing.fit(desk, EVERY)
    (repo / ".mcp.json").write_text(json.dumps(json.loads((repo / ".mcp.json").read_text()), indent=4))
    (repo / "AGENTS.md").write_text((repo / "AGENTS.md").read_text() + "\n")
    assert {one.path for one in installing.undo(desk) if one.action == "removed"} == {".mcp.json", "AGENTS.md"}
    assert json.loads((repo / ".mcp.json").read_text()) == {}
    assert (repo / "AGENTS.md").read_text() == ""


def test_files_and_notes_that_came_since_stay(desk, repo):
    installing.fit(desk, EVERY)
    plant(
        repo,
        {".claude/notes/a.md": b"# A\n", ".github/workflows/ci.yml": b"on: push\n", ".claude/skills/x/SKILL.md": b"x"},
    )
    installing.undo(desk)
    left = {name for name in state(repo) if name.startswith((".claude", ".github"))}
    assert {".claude/notes/a.md", ".github/workflows/ci.yml", ".claude/skills/x/SKILL.md"} <= left
    assert not (repo / ".claude/skills/scoutkit").exists()


def test_a_hook_that_is_there_is_never_overwritten(desk, repo):
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nmake\n")
    changes = installing.fit(desk, ["pre_commit"])
    assert changes[-1].action == "left"
    assert "scoutkit check --staged" in changes[-1].why
    assert hook.read_text() == "#!/bin/sh\nmake\n"


def test_a_hook_is_only_written_inside_the_git_directory(desk, repo, git):
    git(repo, "config", "core.hooksPath", ".husky")
    with pytest.raises(Refused, match=r"\.husky \(core.hooksPath\)"):
        installing.fit(desk, ["pre_commit"])
    plant(repo, {".pre-commit-config.yaml": b"repos: []\n"})
    with pytest.raises(Refused, match="list in brackets"):
        installing.fit(desk, ["pre_commit"])
    plant(repo, {".pre-commit-config.yaml": b"repos:\n"})
    assert actions(installing.fit(desk, ["pre_commit"]))[".pre-commit-config.yaml"] == "added"


@pytest.mark.parametrize("rule", [".claude/", ".claude/notes", "notes/", "*.md", "/.claude/*\n", ".*"])
def test_lines_in_gitignore_let_git_see_the_notes_and_nothing_else(desk, repo, git, rule):
    plant(repo, {".gitignore": rule.encode(), ".claude/settings.local.json": b"{}", ".claude/notes/a.md": b"# A\n"})
    hidden = "settings.local.json" not in git(repo, "status", "--short", "-uall")
    assert desk.notes_ignored()
    installing.fit(desk, ["gitignore"])
    assert desk.notes_ignored() == ""
    assert ".claude/notes/a.md" in git(repo, "status", "--short", "-uall")
    assert hidden == ("settings.local.json" not in git(repo, "status", "--short", "-uall"))


def test_several_at_once_neither_lose_nor_double_anything(repo):
    plant(repo, TREES["neat"])
    before = state(repo)
    threads = [threading.Thread(target=installing.fit, args=(Desk.open(repo), [flag])) for flag in (*EVERY, *EVERY)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(actions(installing.fit(Desk.open(repo), EVERY)).values()) == {"there"}
    installing.undo(Desk.open(repo))
    assert state(repo) == before


def test_what_a_killed_init_had_written_is_taken_back(desk, repo, monkeypatch):
    plant(repo, TREES["neat"])
    before, replace, left = state(repo), installing.replace, [4]

    def dying(file):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        replace(file)

    monkeypatch.setattr(installing, "replace", dying)
    with pytest.raises(KeyboardInterrupt):
        installing.fit(desk, EVERY)
    monkeypatch.undo()
    assert state(repo) != before
    (repo / ".0123456789abcdef.scoutkit-new").write_text("half a file")
    installing.undo(desk)
    assert state(repo) == before


def test_a_file_that_changes_meanwhile_is_not_overwritten(desk, repo, monkeypatch):
    plant(repo, {"AGENTS.md": b"one\n"})
    whole = installing.Tree.changed

    def meddle(tree):
        files = whole(tree)
        (repo / "AGENTS.md").write_text("two\n")
        return files

    monkeypatch.setattr(installing.Tree, "changed", meddle)
    with pytest.raises(Refused, match="changed meanwhile"):
        installing.fit(desk, ["agents_md"])
    assert (repo / "AGENTS.md").read_text() == "two\n"


def test_a_linked_worktree_gets_its_own_files(desk, repo, git, tmp_path):
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
    linked = Desk.open(tmp_path / "linked")
    before = state(tmp_path / "linked")
    installing.fit(linked, ["agents_md", "pre_commit"])
    assert (tmp_path / "linked/AGENTS.md").exists()
    assert not (repo / "AGENTS.md").exists()
    assert (repo / ".git/hooks/pre-commit").exists(), "hooks are for all worktrees"
    installing.undo(linked)
    assert state(tmp_path / "linked") == before
