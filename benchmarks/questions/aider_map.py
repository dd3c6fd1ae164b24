"""aider's repository map as an answer to questions: run.py's `--aider` runs this by a Python that has aider installed.

The map is asked as aider asks it for a message: with the message's words as mentioned identifiers and the files it
names. Files are in the order of their first tag. Sets whose documentation is hidden are left out.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path

from aider.io import InputOutput
from aider.repomap import RepoMap
from measures import Answer, load, repository, score, tree


class _Model:
    def token_count(self, text: str) -> int:
        return len(text) // 4


def main() -> None:
    """A JSON line a question, then what it cost."""
    questions, _ = load([Path(name) for name in sys.argv[2:]], Path(sys.argv[1]))
    questions = [one for one in questions if tree(one)[2]]
    io = InputOutput(pretty=False, yes=True, fancy_input=False)
    reading = asking = 0.0
    for (name, commit, _), group in groupby(sorted(questions, key=tree), key=tree):
        where = repository(Path(sys.argv[1]), name)
        assert where
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.run(["git", "archive", commit], cwd=where, capture_output=True, check=True).stdout
            subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
            files = sorted(str(path) for path in Path(folder).rglob("*") if path.is_file() and not path.is_symlink())
            maps = RepoMap(map_tokens=8192, root=folder, main_model=_Model(), io=io)
            begin = time.process_time()
            for file in files:
                maps.get_tags(file, maps.get_rel_fname(file))
            reading += time.process_time() - begin
            for one in group:
                begin = time.process_time()
                answer = _ask(maps, files, folder, one["question"])
                asking += time.process_time() - begin
                row = {"set": one["set"], "repo": name, "id": one["id"], **score(answer, one)}
                print(json.dumps({**row, "files": answer.files[:10], "margin": 0.0}))
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"reading": reading, "ms": asking / max(1, len(questions)) * 1000, "mb": used}))


def _ask(maps: RepoMap, files: list[str], folder: str, question: str) -> Answer:
    words = set(re.split(r"\W+", question))
    named = {
        str(Path(file).relative_to(folder)) for file in files if Path(file).name in question or Path(file).stem in words
    }
    tags = maps.get_ranked_tags([], files, named, words)
    return Answer(list(dict.fromkeys(tag[0] for tag in tags)), None)


if __name__ == "__main__":
    main()
