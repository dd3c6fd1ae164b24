"""The commands that docs/checking.md, docs/locating.md and docs/importing.md show print what stands there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SIGNING, MIDDLEWARE = "src/auth/signing.py", "src/auth/middleware.py"
NOTE = (
    f"Cookies are signed by `SessionSigner.sign` (`{SIGNING}:12-14`) and checked by\n"
    f"`SessionSigner.verify` (`{SIGNING}:16-19`). The middleware asks for it: `{MIDDLEWARE}:13-15`.\n"
)
RECORD = f"""# Sign cookies with a MAC

## Context

Cookies must not be forged.

## Decision

`SessionSigner.sign` appends a MAC: `{SIGNING}:12-14`.

The key comes with `SessionSigner.__init__`: `{SIGNING}:1-2`.

It is read in `src/auth/keys.py:9`.
"""


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page(name), re.MULTILINE | re.DOTALL)


def indented(name: str) -> list[str]:
    """Blocks of four blanks, without them."""
    found = re.findall(r"(?:^    .*\n)+", page(name), re.MULTILINE)
    return [re.sub(r"^    ", "", text, flags=re.MULTILINE) for text in found]


def shell(command: str, where: Path, stdin: str = "") -> str:
    """What a command line prints, stderr too, with the scoutkit that is tested first on the path."""
    programs = f"{where.parent / 'bin'}{os.pathsep}{Path(sys.executable).parent}"
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        command, shell=True, cwd=where, env=env, input=stdin.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.stdout.decode()


def settled(text: str) -> str:
    text = re.sub(r"-\w{4}\.md", "-7k3m.md", text)
    return re.sub(r"\d{4}-\d\d-\d\d-", "2026-11-30-", text)


@pytest.fixture
def shop(tmp_path, git):
    """The repository of the README's session."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import session
    finally:
        sys.path.pop(0)
    folder = tmp_path / "shop"
    (folder / "src/auth").mkdir(parents=True)
    (folder / SIGNING).write_text(session.SIGNING)
    (folder / MIDDLEWARE).write_text(session.MIDDLEWARE)
    git(folder, "init", "-q")
    git(folder, "config", "user.name", "Ada")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Sign session cookies")
    return folder


def test_the_checks_shown_print_what_is_shown(shop, git):
    shell('scoutkit new "How session cookies are signed"', shop, NOTE)
    (note,) = (shop / ".claude/notes").iterdir()
    note.write_text(re.sub(r"^id: \w+", "id: 7k3m9q2d", note.read_text(), flags=re.MULTILINE))
    signing = shop / SIGNING
    signing.write_text(
        signing.read_text()
        .replace("import hmac\n", "import hashlib\nimport hmac\n")
        .replace(
            '        return value + b"." + hmac.digest(self.key, value, "sha256").hex().encode()\n',
            "        mac = hmac.new(self.key, value, hashlib.sha512)\n"
            '        return value + b"." + mac.digest().hex().encode()\n',
        )
    )
    git(shop, "rm", "-q", MIDDLEWARE)
    at = (datetime.now(UTC) - timedelta(days=5, hours=1)).isoformat()
    shell(f"GIT_AUTHOR_NAME=Ada GIT_AUTHOR_DATE={at} git commit -qam 'Another MAC'", shop)
    shown = "".join(blocks("checking.md", "console"))
    commands = re.findall(r"^\$ (.*)$", shown, re.MULTILINE)

    printed = "".join(f"$ {command}\n{settled(shell(command, shop))}" for command in commands)

    assert printed == shown


def test_the_checks_listed_are_understood(shop, git):
    shell('scoutkit new "How session cookies are signed"', shop, NOTE)
    git(shop, "tag", "v2.1")
    (listed,) = (text for text in indented("checking.md") if "scoutkit confirm" in text)
    git(shop, "add", ".")
    git(shop, "commit", "-qm", "A note")

    said = [shell(line.replace("NOTE", "'How session cookies are signed'"), shop) for line in listed.splitlines()]

    assert [one.splitlines()[-1].partition(",")[0] for one in said[:-1]] == ["1 note holds: of 3 citations 3 fresh"] * 3
    assert said[-1].startswith("confirmed: ")


def test_the_plain_hook_and_the_configurations_are_those_of_the_files():
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (script,) = blocks("checking.md", "sh")
    configured, workflow = map(yaml.safe_load, blocks("checking.md", "yaml"))

    assert script == f"#!/bin/sh\nexec {hook['entry']}\n"
    assert configured["repos"][0]["hooks"] == [{"id": hook["id"]}]
    *_, step = workflow["jobs"]["notes"]["steps"]
    assert set(step["with"]) <= set(action["inputs"])


def test_the_lines_of_an_old_commit_are_found_as_shown(tmp_path, git):
    folder = tmp_path / "app"
    (folder / "src").mkdir(parents=True)
    old = "".join(f"name_{n} = {n}\n" for n in range(1, 12)) + "def load(path):\n"
    old += "".join(f"    step_{n} = open(path).read({n})\n" for n in range(13, 41))
    git(folder, "init", "-q")
    for text, tag in ((old, "v1.0"), ("".join(f"other_{n} = {n}\n" for n in range(38)) + old, "v2.0")):
        (folder / "src/app.py").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-qm", tag)
        git(folder, "tag", tag)
    listed, printed, questions, answers = indented("locating.md")[:4]

    said = [shell(line, folder) for line in listed.splitlines()]
    answered = shell("scoutkit locate --stdin", folder, questions)

    assert said == [printed] * 2
    assert [json.loads(line) for line in answered.splitlines()] == [json.loads(line) for line in answers.splitlines()]


def test_the_imports_shown_print_what_is_shown(shop):
    (shop / "docs/adr").mkdir(parents=True)
    (shop / "docs/adr/0007-hmac.md").write_text(RECORD)
    paste = shop.parent / "bin/pbpaste"
    paste.parent.mkdir()
    paste.write_text(f"#!/bin/sh\necho '# An answer'; echo 'It is in `{SIGNING}:12-14`, `sign`.'\n")
    paste.chmod(0o755)
    (shown,) = blocks("importing.md", "console")
    commands = re.findall(r"^\$ (.*)$", shown, re.MULTILINE)

    printed = [shell(command, shop) for command in commands]

    assert "1 citation in 1 file: 1 supported" in printed[0]
    assert ".claude/notes" in printed[1]
    assert f"$ {commands[2]}\n{printed[2]}" == shown[shown.index(f"$ {commands[2]}") :]
