"""The commands that docs/init.md shows print what stands there, and it names every flag."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from scoutkit.stories import installing

PAGE = (Path(__file__).parents[2] / "docs/init.md").read_text("utf-8")


def test_the_commands_shown_print_what_is_shown(tmp_path, git):
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "AGENTS.md").write_text("# Rules\n\nBe kind.\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Rules")
    (shown,) = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    printed = ""
    for command in re.findall(r"^\$ (.*)$", shown, re.MULTILINE):
        done = subprocess.run(command, shell=True, cwd=folder, env=env, stdout=-1, stderr=subprocess.STDOUT, text=True)
        printed += f"$ {command}\n{done.stdout}"

    assert printed == shown
    assert git(folder, "status", "--porcelain", "--ignored") == ""


def test_every_flag_is_in_the_table():
    assert re.findall(r"^\| `--([\w-]+)`", PAGE, re.MULTILINE) == [flag.replace("_", "-") for flag in installing.FLAGS]
