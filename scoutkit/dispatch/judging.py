"""What became of an agent's work: its reader's verdict, under what scoutkit itself knows better. Starts nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scoutkit.dispatch import recorded
from scoutkit.dispatch.conversation import Conversation
from scoutkit.dispatch.limits import more
from scoutkit.dispatch.records import Records
from scoutkit.model.agents import Invocation
from scoutkit.model.missions import Outcome, Result


def judge(
    talk: Conversation, code: int | None, invocation: Invocation, book: Records, folders: Sequence[Path]
) -> Outcome:
    """How a conversation that is over ended. A report file counts only inside `folders`, the first its worktree."""
    left = invocation.report_file and recorded.report_file(str(folders[0] / invocation.report_file), folders)
    fault, outcome = talk.fault, Outcome(Result.FAILED)
    try:
        outcome = invocation.reader.finish(code, book.tail.decode("utf-8", "replace"), left or None)
    except Exception as error:  # noqa: BLE001 - readers come from other packages too; the reason tells
        fault = fault or repr(error)
    if outcome.result is not Result.DONE and not outcome.report.strip():
        heard = recorded.heard(book.folder)
        outcome = replace(
            outcome,
            report=heard.report or left or "",
            model=outcome.model or heard.model,
            version=outcome.version or heard.version,
        )
    if talk.stopped:
        how, hint = talk.stopped, ""
        if how.result is Result.FAILED:  # the model could not be had, or no records kept
            hint = outcome.hint or f"see what it said: scoutkit run logs {talk.run.id}"
        outcome = replace(outcome, result=how.result, reason=how.reason, hint=how.hint or hint)
    elif fault:
        hint = "see what the agent wrote with scoutkit run logs, and tell whoever made the adapter"
        outcome = replace(outcome, result=Result.FAILED, reason=f"the agent's adapter broke: {fault}", hint=hint)
    elif code is not None and code < 0 and outcome.result is Result.FAILED:
        outcome = replace(outcome, result=Result.KILLED)
    elif outcome.result is Result.BUDGET and not outcome.hint:
        outcome = replace(outcome, hint=more(talk.run.limits))
    if talk.unended:
        pids = ", ".join(str(one.pid) for one in talk.unended)
        outcome = replace(
            outcome, reason=f"{outcome.reason}; these of its processes would not end: {pids}".lstrip("; ")
        )
    return outcome


def not_started(invocation: Invocation, worktree: Path, error: OSError | ValueError) -> Outcome:
    """Of a program that could not be started, and why."""
    program = invocation.argv[0] if invocation.argv else ""
    if not worktree.is_dir():
        return Outcome(Result.FAILED, "", f"its worktree is gone: {worktree}", "send it again")
    match error:
        case FileNotFoundError():
            hint = "install it, or name another: scoutkit agents"
            why = f"there is no program {program!r}"
        case PermissionError():
            why, hint = f"{program} may not be run", f"make it executable: chmod +x {program}"
        case OSError():
            why, hint = f"{program} cannot be started: {error.strerror}", "check that it is a program for this machine"
        case _:
            why, hint = f"{program!r} cannot be started: {error}", "check the command"
    return Outcome(Result.FAILED, "", why, hint)
