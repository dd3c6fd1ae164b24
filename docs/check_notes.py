"""This project's own notes parse, are indexed without a problem, and none of their citations is wrong."""

from __future__ import annotations

import json
import subprocess
import sys


def main() -> int:
    """0 when all is well; prints what is not."""
    argv = [sys.executable, "-m", "scoutkit", "index", "--json"]
    answer = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    for problem in answer["problems"]:
        print(f"{problem['path']}:{problem['line']}: {problem['problem']}")
    if not answer["notes"]:
        print("no notes found")
    print(f"notes: {answer['notes']}, problems: {len(answer['problems'])}")
    return int(bool(answer["problems"]) or not answer["notes"])


if __name__ == "__main__":
    sys.exit(main())
