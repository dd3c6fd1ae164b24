"""What the catalogue's tables are: every column with its type and what it says, for SQLite and for people.

`metadata.yml`, which Datasette shows, is made from this by `make docs-write`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TITLE = "What this codebase knows"
SAYS = (
    "Notes about one repository: what agents and people found out, with citations that were checked against a "
    "commit. Made by scoutkit from the note files and from the journal of its runs; it can be deleted and is made "
    "again."
)
DATABASE = "The catalogue. A note has citations and tags; a run is the work of an agent that ended in a note."


@dataclass(frozen=True, slots=True)
class Column:
    """A column: the Python type of its values, what it says, and its unit where it has one."""

    type: type
    says: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its heading, what a row is, its columns, and by what people filter. `shown`: how Datasette shows it.

    `hidden`: bookkeeping, which readers are spared. `view`: made of others, not written to.
    """

    title: str
    says: str
    columns: Mapping[str, Column]
    facets: tuple[str, ...] = ()
    shown: Mapping[str, Any] = field(default_factory=dict)
    hidden: bool = False
    view: bool = False


TABLES: dict[str, Table] = {
    "notes": Table(
        "Notes",
        (
            "One row a note file. The search box takes any words; the same note is at most once here for each "
            "worktree that keeps notes of its own."
        ),
        {
            "key": Column(
                int,
                (
                    "Number of the row. It is another one once the catalogue is made again; use the id to refer "
                    "to a note."
                ),
            ),
            "id": Column(
                str,
                (
                    "What the note is called, in commands and links. Random, or made from its path where the "
                    "file has none."
                ),
            ),
            "title": Column(str, "What was found, in one line"),
            "type": Column(str, "What it came from: ask, scout, research, decision or note (by hand)"),
            "status": Column(str, "stable, draft (no finished answer) or deprecated (another note supersedes it)"),
            "description": Column(str, "One or two sentences to decide by whether to read on"),
            "question": Column(str, "What was asked"),
            "at": Column(str, "When it was made (UTC)"),
            "by": Column(str, "Who made it: an agent with its version and model, or a person"),
            "confirmed": Column(str, "When a person last said that it is right; empty where nobody did"),
            "commit": Column(str, "The commit the agent saw"),
            "path": Column(str, "The note file, from the root of the repository"),
            "worktree": Column(str, "The worktree it is kept in; empty: the main one"),
            "body": Column(str, "The note itself, in Markdown"),
        },
        facets=(
            "type",
            "status",
            "by",
        ),
        shown={"label_column": "title", "sort_desc": "at", "size": 50, "fts_table": "notes_fts", "fts_pk": "key"},
    ),
    "citations": Table(
        "Citations",
        (
            "One row a place in the code that a note refers to, in order of appearance, with what checking it said "
            "when the note was written."
        ),
        {
            "note": Column(int, "The note that cites"),
            "position": Column(int, "Its place among the citations of the note, from 1"),
            "path": Column(str, "The cited file, from the root of the repository"),
            "start": Column(int, "First line; 0: the whole file"),
            "end": Column(int, "Last line; 0: the whole file"),
            "verdict": Column(
                str,
                (
                    "supported (the lines hold what the sentence names), corrected (they were found elsewhere "
                    "and the citation moved there), unsupported (nothing in the sentence can be checked against "
                    "them) or wrong (no such lines)"
                ),
            ),
            "symbol": Column(str, "The function, class or section the lines belong to"),
            "was": Column(str, "Of a corrected citation: the place as the report had it"),
        },
        facets=("verdict",),
        shown={"sort": "note", "size": 100},
    ),
    "tags": Table(
        "Tags",
        "One row for each tag of each note.",
        {
            "tag": Column(str, "The tag, without `#`"),
            "note": Column(int, "The note that has it"),
        },
        facets=("tag",),
        shown={"size": 100},
    ),
    "runs": Table(
        "Runs",
        "One row a run: an agent's work on one mission in a worktree of its own, from the journal.",
        {
            "id": Column(str, "What the run is called in commands"),
            "kind": Column(str, "The mission: ask, scout or research"),
            "text": Column(str, "What was asked"),
            "agent": Column(str, "Who did the work"),
            "state": Column(str, "How far it has come: created, running, exited, harvested, written, removed"),
            "result": Column(
                str, "How it ended: done, failed, timeout, budget, stopped, interrupted, killed; empty while it runs"
            ),
            "reason": Column(str, "Why it did not end well"),
            "started": Column(str, "When it began (UTC)"),
            "seconds": Column(float, "How long it took", "s"),
            "cost_usd": Column(float, "What it cost, in US dollars, where the agent says so"),
            "input_tokens": Column(int, "Tokens the model read, where the agent says so", "token"),
            "output_tokens": Column(int, "Tokens the model wrote, where the agent says so", "token"),
            "model": Column(str, "The model, where there is one"),
            "version": Column(str, "The agent's version"),
            "base": Column(str, "The commit the worktree was made from"),
            "isolation": Column(str, "What kept the agent in its worktree: none, or a sandbox"),
            "exit": Column(int, "The agent's exit status; negative for a signal"),
            "note_id": Column(str, "The id of the note it ended in"),
            "note": Column(int, "That note, where it is still there"),
        },
        facets=(
            "kind",
            "agent",
            "result",
            "state",
        ),
        shown={"label_column": "text", "sort_desc": "started", "size": 50},
    ),
    "problems": Table(
        "Problems",
        "What is wrong with note files. Such a note is shown and found all the same, as far as it can be read.",
        {
            "path": Column(str, "The file, from the root of the repository"),
            "line": Column(int, "The line it is on"),
            "problem": Column(str, "What is wrong"),
            "hint": Column(str, "What to do about it"),
            "worktree": Column(str, "The worktree it was seen in; empty: the main one"),
            "origin": Column(
                str,
                ("Where it was seen: note (in the file), folder (it cannot be read) or id (another note has it too)"),
            ),
        },
        facets=("origin",),
        shown={"sort": "path"},
    ),
    "note_texts": Table(
        "Texts",
        "What the full-text index is made from.",
        {
            "key": Column(int, "Number of the note's row"),
            "title": Column(str, "The note's title"),
            "description": Column(str, "The note's description"),
            "question": Column(str, "The note's question"),
            "headings": Column(str, "The headings of its body"),
            "cited": Column(str, "Paths and symbols that it cites"),
            "tags": Column(str, "Its tags"),
            "body": Column(str, "The note's body"),
            "hidden": Column(str, "Words that its text hides from an index"),
        },
        hidden=True,
        view=True,
    ),
    "files": Table(
        "Files",
        "What the note files were when they were last read.",
        {
            "key": Column(int, "Number of the note's row"),
            "worktree": Column(str, "The worktree; empty: the main one"),
            "type": Column(str, "The note's type"),
            "status": Column(str, "The note's status"),
            "at": Column(str, "When it was made, or when the file was last changed where the note does not say"),
            "path": Column(str, "The file"),
            "mtime": Column(int, "When it was changed, in nanoseconds since 1970"),
            "size": Column(int, "Its size in bytes"),
            "settled": Column(int, "0: read so soon after it was written that it may have changed since"),
            "hash": Column(str, "SHA-256 of its bytes"),
            "claimed": Column(str, "The id it has in its front matter"),
            "claim_line": Column(int, "The line of that id"),
            "asked": Column(str, "Its question in lower case, without punctuation"),
            "by": Column(str, "Who made it"),
        },
        hidden=True,
    ),
    "hidden_words": Table(
        "Hidden words",
        "What the full-text index has of a note besides what is in its row.",
        {
            "key": Column(int, "Number of the note's row"),
            "headings": Column(str, "The headings of its body"),
            "cited": Column(str, "Paths and symbols that it cites"),
            "tags": Column(str, "Its tags"),
            "hidden": Column(str, "Its file, parts of identifiers, and pairs of characters"),
        },
        hidden=True,
    ),
    "signs": Table(
        "Signs",
        "What of a note is no word.",
        {
            "key": Column(int, "Number of the note's row"),
            "found": Column(
                str, "Its signs as they stand together, and its letters beyond ASCII, each once; null: very many"
            ),
        },
        hidden=True,
    ),
    "checks": Table(
        "Checks",
        "What the last check said of each note.",
        {
            "worktree": Column(str, "The worktree it was checked in; empty: the main one"),
            "path": Column(str, "The note's file"),
            "hash": Column(str, "SHA-256 of its bytes then"),
            "holds": Column(int, "1: all citations that count held, 0: not, null: there were none"),
            "why": Column(str, "Which citations do not hold"),
            "target": Column(str, "The commit it was checked against; empty: the working tree"),
            "at": Column(str, "When"),
        },
        hidden=True,
    ),
    "health": Table(
        "Health",
        (
            "One row a week: what became of the citations of notes that were there by then, at the last commit of "
            "that week. Of a sample where there are many. Made while somebody browses."
        ),
        {
            "week": Column(str, "The week's last day (Sunday)"),
            "commit": Column(str, "The last commit of the main line by then"),
            "citations": Column(int, "How many were followed"),
            "fresh": Column(int, "The same lines, where they were"),
            "moved": Column(int, "The same lines, elsewhere"),
            "edited": Column(int, "Found, but changed"),
            "ambiguous": Column(int, "Several places could be meant"),
            "gone": Column(int, "Not there any more"),
            "sample": Column(str, "What the figures were made from"),
            "worktree": Column(str, "The worktree of the notes; empty: the main one"),
        },
        shown={"sort": "week"},
    ),
    "state": Table(
        "State",
        "What the catalogue knows about itself.",
        {
            "name": Column(str, "What"),
            "value": Column(str, "Its value"),
        },
        hidden=True,
    ),
}
