"""What docs/research.md shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scoutkit.dispatch import sandbox

PAGE = (Path(__file__).parents[2] / "docs/research.md").read_text("utf-8")


def block(language):
    """The first block of a language. The session holds blocks and headings itself: it ends where the page goes on."""
    begin = PAGE.index(f"```{language}\n") + len(language) + 4
    end = PAGE.index("\n```\n\n## Sources" if language == "console" else "\n```\n", begin)
    return PAGE[begin:end] + "\n"


@pytest.mark.skipif(
    not any(one.ok for one in sandbox.possible() if one.name in ("bwrap", "landlock")),
    reason="neither bubblewrap nor Landlock works here",
)
def test_the_run_shown_prints_what_is_shown_and_leaves_what_is_said(tmp_path, git):
    source, mine = tmp_path / "greetings", tmp_path / "mine"
    (source / "src").mkdir(parents=True)
    (source / "src/hello.py").write_text('def greet(name):\n    """Say hello."""\n    return "hello " + name\n')
    mine.mkdir()
    (mine / "README.md").write_text("# Mine\n")
    for folder in (source, mine):
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "first")
        git(folder, "tag", "v1")
    at = git(source, "rev-parse", "HEAD").strip()
    (tmp_path / "agent.sh").write_text(block("sh"))
    command, _, shown = block("console").partition("\n")
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}

    done = subprocess.run(
        command.removeprefix("$ "), shell=True, cwd=mine, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )

    def settled(text):
        text = text.replace(at, "3f2a9c0e1b224d5f8a6b7c8d9e0f1a2b3c4d5e6f").replace(str(source), "/src/greetings")
        text = text.replace(at[:12], "3f2a9c0e1b22").replace(at[:7], "3f2a9c0")
        text = re.sub(r"\d{4}-\d\d-\d\d-(greet.*)-\w{4}\.md", r"2026-11-30-\1-7k3m.md", text)
        return re.sub(r"note: \w{8}", "note: 7k3m9q2d", re.sub(r"supported  \d+\.\d s", "supported  0.8 s", text))

    assert settled(done.stdout.decode()).rstrip() == shown.rstrip()
    (note,) = (mine / ".claude/notes").glob("*.md")
    yaml = PAGE[PAGE.index("```yaml\n") + 8 :].partition("\n```")[0]
    assert yaml in settled(note.read_text())
