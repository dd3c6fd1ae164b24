from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoutkit import git as scout
from scoutkit.dispatch import shadow

Git = Callable[..., str]
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
names = st.text(st.characters(exclude_characters="\0\n", exclude_categories=["Cs"]), min_size=1, max_size=20)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=names, value=texts)
def test_git_reads_any_setting_back(tmp_path: Path, name: str, value: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(shadow.written([(f"filter.{name}.smudge", value), ("core.bare", "true")]))
    listed = scout.output(tmp_path, "config", "--file", path, "--list", "-z")
    assert listed == f"filter.{name}.smudge\n{value}\0core.bare\ntrue\0"


def test_settings_of_every_scope_are_told_apart(repo: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "config", "--global", "filter.mine.smudge", "global")
    git(repo, "config", "filter.mine.smudge", "local\nof two lines")
    with (repo / ".git/config").open("a") as config:
        config.write('[remote "A.b c"]\n\tpromisor\n')
    made = shadow.make(scout.discover(repo), tmp_path / "shadow.git", git(repo, "rev-parse", "HEAD").strip(), {})
    found = [(item.scope, item.value) for item in made.settings if item.key == "filter.mine.smudge"]
    assert found == [("global", "global"), ("local", "local\nof two lines")]
    promisor = next(item for item in made.settings if item.key == "remote.A.b c.promisor")
    assert promisor.on
    assert promisor.own
    assert made.partial
    assert "mine" in made.drivers()
    assert git(made.path, "config", "remote.A.b c.promisor").strip() == "true"


def test_a_shadow_is_a_whole_repository(repo: Path, git: Git, tmp_path: Path) -> None:
    base = git(repo, "rev-parse", "HEAD").strip()
    made = shadow.make(scout.discover(repo), tmp_path / "shadow.git", base, {})
    assert git(made.path, "rev-parse", "HEAD").strip() == base
    git(made.path, "fsck", "--strict")
    git(made.path, "pack-refs", "--all")
    git(made.path, "gc", "-q")
    assert git(made.path, "for-each-ref") == git(repo, "for-each-ref")
    assert not list((made.path / "objects").rglob("*.pack"))


def test_broken_and_dangling_refs_do_not_matter(repo: Path, git: Git, tmp_path: Path) -> None:
    (repo / ".git/refs/heads/broken").write_text("nonsense\n")
    (repo / ".git/refs/heads/missing").write_text("1" * 40 + "\n")
    git(repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/none")
    base = git(repo, "rev-parse", "HEAD").strip()
    made = shadow.make(scout.discover(repo), tmp_path / "shadow.git", base, {})
    assert git(made.path, "rev-parse", "main").strip() == base
