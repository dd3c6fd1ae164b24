"""Puts the agent programs that the contract tests drive into a cache folder: `python tests/contract/install.py NAME…`.

The one place that says which versions. `bin` in that folder has a link to each; SCOUTKIT_TEST_AGENTS moves the folder.
Standard library only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Program(NamedTuple):
    """`file`: where it is in what is installed."""

    installer: str
    package: str
    version: str
    file: str


PROGRAMS = {
    "claude": Program("pip", "claude-agent-sdk", "0.2.189", "lib/*/site-packages/claude_agent_sdk/_bundled/claude"),
    "codex": Program("npm", "@openai/codex", "0.171.0", "node_modules/.bin/codex"),
    "gemini": Program("npm", "@google/gemini-cli", "0.61.0", "node_modules/.bin/gemini"),
    "copilot": Program("npm", "@github/copilot", "1.0.102", "node_modules/.bin/copilot"),
    "llm": Program("pip", "llm", "0.36", "bin/llm"),
}


def cache() -> Path:
    """Where they are kept."""
    moved = os.environ.get("SCOUTKIT_TEST_AGENTS")
    return Path(moved) if moved else Path.home() / ".cache/scoutkit-test-agents"


def installed(name: str, folder: Path) -> Path | None:
    """The link to a program of the version asked for; None where it is not installed."""
    link, program = folder / "bin" / name, PROGRAMS[name]
    home = folder / f"{name}-{program.version}"
    return link if link.is_symlink() and link.exists() and link.readlink().is_relative_to(home) else None


def install(name: str, folder: Path) -> Path:
    """Installs one, afresh where that was cut short, and links it."""
    program = PROGRAMS[name]
    home = folder / f"{name}-{program.version}"
    done = home / "installed"
    if not done.exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        if program.installer == "npm":
            npm = shutil.which("npm")
            if not npm:
                sys.exit(f"{name} comes with npm, which is not installed: install Node.js 20 or newer")
            run(npm, "install", "--no-audit", "--no-fund", "--prefix", home, f"{program.package}@{program.version}")
        else:
            run(sys.executable, "-m", "venv", home)
            run(home / "bin/python", "-m", "pip", "install", "-q", f"{program.package}=={program.version}")
        done.touch()
    found = next(iter(home.glob(program.file)), None)
    if not found:
        sys.exit(f"{home} holds no {program.file}: remove the folder and try again")
    link = folder / "bin" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(found)
    return link


def run(*argv: str | Path) -> None:
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)


def main(names: list[str]) -> None:
    folder = cache().absolute()
    for name in names or list(PROGRAMS):
        if name not in PROGRAMS:
            sys.exit(f"no such program: {name}; there are {', '.join(PROGRAMS)}")
        link = installed(name, folder) or install(name, folder)
        sys.stdout.write(f"{name} {PROGRAMS[name].version}: {link}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
