"""Queries of random and hostile text, in process: none may fail, and no message may show SQL or FTS syntax.

    .venv/bin/python benchmarks/search/hostile.py [--queries 10000] [--seed 1]

Each goes through `finding.find`, which the command line, MCP and the browser ask; every fiftieth through the command
itself. hypothesis makes the texts; pieces of operators, FTS5, SQL, shells and many scripts are mixed in.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import tempfile
import time
import warnings
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from scoutkit import commands, config, git
from scoutkit.knowledge.notebook import Notebook
from scoutkit.search.catalogue import Catalogue
from scoutkit.search.finding import find
from scoutkit.search.fulltext import Fulltext

PIECES = [
    *(
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        "NEAR(a b, 2)",
        "title:",
        "{title body}:",
        "*",
        "^",
        '"',
        '""',
        "'",
        ";",
        "--",
        "-",
        "+",
    ),
    *(
        "'; DROP TABLE notes; --",
        "SELECT",
        "MATCH",
        "rowid",
        "notes_fts",
        "\0",
        "\ud800",
        "\u202e",
        "\u200b",
        "￿",
        "🦭",
        "é",
    ),
    *(
        "tag:",
        "tag:x",
        'tag:"',
        "path:../..",
        "path:[",
        "path:*",
        "type:scout",
        "type:",
        "agent:%",
        "agent:|",
        "since:7d",
    ),
    *(
        "since:9999-99-99",
        "is:fresh",
        "is:",
        "-word",
        '-"a b"',
        "--flag",
        "-Wall",
        "a::b",
        "http://x/?q=1#f",
        "v1.2.3",
        "%",
    ),
    *(
        "_",
        "__init__",
        "getUserName",
        "x" * 300,
        "会话签名",
        "セッション",
        "세션",
        "ﬁ",
        "ＡＰＩ",
        "ß",
        "İ",
        "\\",
        "\n",
        "\t",
        "((",
        "))",
    ),
    *("cookie", "session", "signed", "the", "of"),
]
TEXT = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=10).map("".join),
    st.binary(max_size=40).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
    st.integers(1, 40).flatmap(lambda times: st.sampled_from(PIECES).map(lambda piece: f"{piece} " * times * 20)),
)
LEAK = re.compile(
    r"fts5|sqlite|syntax error|no such column|unterminated|MATCH \?|SELECT .* FROM|Traceback", re.IGNORECASE
)
NOTES = {
    "a": "# Session cookies are signed\n\nBy `getUserName` in `src/auth/signing.py:4-9`, 会话签名 and セッション.",
    "b": "---\ntags: [x, auth]\ntype: scout\n---\n\n# Requests are limited\n\nA session of 세션, ＡＰＩ and 🦭.",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="scoutkit-hostile-") as name:
        run(Path(name), options.queries, options.seed)


def run(where: Path, queries: int, number: int) -> None:
    git.output(Path("/"), "init", "-q", str(where))
    folder = where / config.NOTES
    folder.mkdir(parents=True)
    for name, text in NOTES.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    places = config.places(git.discover(where), config.Settings())
    catalogue = Catalogue(places.catalogue)
    catalogue.sync(Notebook(places))
    fulltext = Fulltext(places.fulltext, catalogue)
    fulltext.update()
    taken: list[float] = []

    @seed(number)
    @settings(
        max_examples=queries,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(TEXT)
    def ask(text: str) -> None:
        began = time.thread_time()
        found = find(catalogue, fulltext, text)
        taken.append(time.thread_time() - began)
        assert all(hit.snippet[start:end] for hit in found.hits for start, end in hit.marks)
        if len(taken) % 50 == 0:
            through_the_command(where, text)

    ask()
    taken.sort()
    middle, worst = taken[len(taken) // 2] * 1000, taken[-1] * 1000
    print(f"{len(taken):,} queries, 0 failed; p50 {middle:.2f}, worst {worst:.0f} ms of CPU")


def through_the_command(where: Path, text: str) -> None:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = commands.run(["-C", str(where), "search", "--", text])
    assert code in (0, 1, 2), (code, text)
    message = said.getvalue().replace(text, "")
    assert not LEAK.search(message), message


if __name__ == "__main__":
    main()
