"""What a command costs before it does anything, beside Python importing what any such tool imports.

    python benchmarks/startup.py [--rounds 20]

Runs `scoutkit --help`, `scoutkit search` (ten notes), `scoutkit ask` (a question that a note answers) and
`python -c "import click, sqlite3"` in turn and prints medians and ratios; whole processes, wall clock and CPU seconds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def measure(argv: list[str], cwd: Path, env: dict[str, str]) -> tuple[float, float]:
    """Wall clock and CPU seconds of one process and all it started."""
    began = time.perf_counter()
    process = subprocess.Popen(argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return time.perf_counter() - began, used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    script = str(Path(sys.executable).parent / "scoutkit")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # an installed program has its bytecode; where Python is told not to write any, every start would compile
        env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        env |= {"HOME": folder, "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
        repo = Path(folder)
        (repo / "a.py").write_text("signing = 1\n")
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        for args in (["init", "-q"], ["add", "a.py"], [*who, "commit", "-qm", "first"]):
            subprocess.run(["git", *args], cwd=repo, check=True)
        for number in range(10):
            text = f"# Note {number} on signing\n\nCookies are signed.\n"
            subprocess.run([script, "new"], input=text, text=True, cwd=repo, env=env, capture_output=True, check=True)
        ask = [script, "ask", "Where is signing?", "--agent", "builtin"]
        subprocess.run(ask, cwd=repo, env=env, capture_output=True, check=True)
        commands = {
            "import click, sqlite3": [sys.executable, "-c", "import click, sqlite3"],
            "scoutkit --help": [script, "--help"],
            "scoutkit search": [script, "search", "signing"],
            "scoutkit list": [script, "list"],
            "scoutkit ask, again": ask,
        }
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(rounds + 1):
            for name, argv in commands.items():
                taken[name].append(measure(argv, repo, env))
    walls = {name: statistics.median(wall for wall, _ in runs[1:]) for name, runs in taken.items()}
    cpus = {name: statistics.median(cpu for _, cpu in runs[1:]) for name, runs in taken.items()}
    base = "import click, sqlite3"
    print(f"{'command':<24} {'wall ms':>8} {'ratio':>6} {'CPU ms':>8} {'ratio':>6}   medians of {rounds}")
    for name in commands:
        wall, cpu = walls[name], cpus[name]
        print(f"{name:<24} {wall * 1e3:8.1f} {wall / walls[base]:6.2f} {cpu * 1e3:8.1f} {cpu / cpus[base]:6.2f}")


if __name__ == "__main__":
    main()
