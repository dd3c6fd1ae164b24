"""Absolute paths of a run's folder, which is gone when its note is read, as the note says them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace

from scoutkit.desk import Desk
from scoutkit.model.missions import Kind, Outcome, Run

SCRATCH = "‹scratch›"  # no HTML: a renderer would hide `<scratch>`
_AFTER = r"(/*+)(?![\w@+-]|\.\w)|/+"


def namer(desk: Desk, run: Run) -> Callable[[str], str]:
    """`/…/runs/ID/worktree/src/a.py` as `src/a.py`, other repositories as `../sources/NAME/…`, its scratch as such."""
    from scoutkit.dispatch import proof, worktree

    names = {"": "‹run›", worktree.SCRATCH: SCRATCH}
    if run.kind is Kind.RESEARCH:
        names |= {"sources": "../sources", proof.PROOF: "."}
    else:
        names[worktree.tree_name(desk.repository)] = "."
    told = {
        f"{folder}/{inner}".rstrip("/"): name
        for folder in {run.folder, os.path.realpath(run.folder)}
        for inner, name in names.items()
    }
    longest = sorted(told, key=len, reverse=True)
    pattern = re.compile(rf"(?:file://)?({'|'.join(map(re.escape, longest))})(?:{_AFTER})") if run.folder else None

    def name(found: re.Match[str]) -> str:
        said = told[found[1]]
        if found[2] is not None:  # nothing inside it
            return said + found[2][:1]
        return "" if said == "." else f"{said}/"

    return lambda text: pattern.sub(name, text) if pattern else text


def named(desk: Desk, run: Run, outcome: Outcome) -> Outcome:
    """An outcome whose texts are fit for a note."""
    name = namer(desk, run)
    return replace(outcome, report=name(outcome.report), reason=name(outcome.reason), hint=name(outcome.hint))
