"""The pre-commit hook and the GitHub action: what they run, run for real."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SIGNING = "src/auth/signing.py"


@pytest.fixture
def note(scoutkit) -> None:
    scoutkit("new", "Signing", stdin=f"The signer is in `{SIGNING}:12-14`, `sign`.\n")


def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("how", [["-a"], [SIGNING], []])
def test_the_hook_stops_a_commit_that_breaks_a_note(note, repo, tmp_path, how):
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]
    assert (hook["id"], hook["language"], hook["pass_filenames"]) == ("scoutkit-check", "python", False)
    script = repo / ".git/hooks/pre-commit"
    script.write_text(f"#!/bin/sh\nexec {hook['entry']}\n")
    script.chmod(0o755)
    path = repo / SIGNING
    path.write_text(path.read_text().replace("'sha256'", "'sha512'"))
    if not how:
        subprocess.run(["git", "add", SIGNING], cwd=repo, check=True)
    argv = ["git", "commit", "-qm", "x", *how]
    done = subprocess.run(argv, cwd=repo, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"edited: {SIGNING}:12-14" in done.stdout + done.stderr
    path.write_text("# one line above\n" + path.read_text().replace("'sha512'", "'sha256'"))
    argv = ["git", "commit", "-qam", "x"]
    subprocess.run(argv, cwd=repo, env=environment(tmp_path), capture_output=True, check=True)


@pytest.mark.parametrize("harm", ["'sha512'", None], ids=["edited", "removed"])
def test_what_is_staged_counts_and_not_what_is_on_disk(note, repo, scoutkit, git, harm):
    path = repo / SIGNING
    good = path.read_text()

    def spoil() -> None:
        if harm:
            path.write_text(good.replace("'sha256'", harm))
        else:
            path.unlink()

    spoil()
    git(repo, "add", "-A", "src")
    path.write_text(good)
    assert (scoutkit("check", "--staged").code, scoutkit("check").code) == (1, 0)

    path.write_text("# one line above\n" + good)
    git(repo, "add", SIGNING)
    spoil()
    said = scoutkit("check", "--staged", "--json")
    assert (said.code, scoutkit("check").code) == (0, 1)
    assert [one["verdict"] for one in said.json["notes"][0]["citations"]] == ["moved"]


@pytest.mark.parametrize(("fail", "code"), [("true", 1), ("false", 0)])
def test_the_action_annotates_and_fails_where_it_should(note, repo, tmp_path, fail, code):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert (action["runs"]["using"], set(action["inputs"])) == ("composite", {"path", "fail"})
    install, check = action["runs"]["steps"]
    assert install["env"] == {"SCOUTKIT_SOURCE": "${{ github.action_path }}"}
    assert set(check["env"].values()) == {"${{ inputs.path }}", "${{ inputs.fail }}"}
    programs = tmp_path / "scoutkit/bin"  # where the first step, which needs a network, would have put it
    programs.mkdir(parents=True)
    starter = programs / "scoutkit"
    starter.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m scoutkit "$@"\n')
    starter.chmod(0o755)
    path = repo / SIGNING
    path.write_text(path.read_text().replace("'sha256'", "'sha512'"))
    env = {**environment(tmp_path), "RUNNER_TEMP": str(tmp_path), "SCOUTKIT_PATH": str(repo), "SCOUTKIT_FAIL": fail}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", check["run"]],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stdout.startswith(f"::warning file={SIGNING},line=12,endLine=14,title=edited%3A Signing::")
