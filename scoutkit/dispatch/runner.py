"""Sends an agent off and judges what became of it. The only starter of agents."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scoutkit import process
from scoutkit.dispatch import records as kept
from scoutkit.dispatch.conversation import Conversation
from scoutkit.dispatch.interruption import Interruption
from scoutkit.dispatch.journal import Journal
from scoutkit.dispatch.records import Records, Redact
from scoutkit.errors import ScoutError
from scoutkit.model.agents import Event, Invocation
from scoutkit.model.missions import Outcome, Result, Run, State

__all__ = ["Interruption", "environment", "send"]

GRACE = 5.0  # seconds between TERM and KILL

PASSED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR", "TZ"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("*_PROXY", "*_proxy"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"),  # where HOME's contents really are
)


def environment(
    run_id: str, worktree: Path, scratch: Path, *, pass_env: Sequence[str] = (), extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What an agent may know of this process's environment: PASSED, and the names or globs of `pass_env`.

    Never git's variables. `PATH` loses its relative entries, which would name programs of the repository.
    """
    env = {
        name: value
        for name, value in os.environ.items()
        if any(fnmatch.fnmatchcase(name, glob) for glob in (*PASSED, *pass_env)) and not name.startswith("GIT_")
    }
    path = env.get("PATH", os.defpath).split(os.pathsep)
    env |= {
        "PATH": os.pathsep.join(entry for entry in path if os.path.isabs(entry)),  # noqa: PTH117 - "" is no path here
        "PWD": str(worktree),
        **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(scratch)),
        "GIT_CEILING_DIRECTORIES": os.path.realpath(worktree.parent),
        **(extra or {}),
        process.RUN_MARK: run_id,
    }
    return env


def send(
    invocation: Invocation,
    *,
    run: Run,
    worktree: Path,
    scratch: Path,
    records: Path,
    journal: Journal,
    redactor: Callable[[], Redact],
    on_event: Callable[[Event], None],
    interruption: Interruption,
    pass_env: Sequence[str] = (),
    grace: float = GRACE,
) -> Outcome:
    """Start the agent, listen to it to its end, end whatever it left behind, and judge.

    `records` is a folder, `redactor` makes a redactor for one stream, `on_event` sees redacted events as they come,
    `grace` is how many seconds TERM has before KILL. The journal has the run `running` with its child right after the
    start, and `exited` with its result once the report is on disk. An agent that cannot be started, fails, is stopped
    or breaks a limit is an Outcome; ScoutError is for the journal and the records alone.
    Whatever is raised, the agent does not outlive the call.
    """
    began = time.monotonic()
    code: int | None = None
    with _keeping(f"the records of run {run.id}"):
        book = Records(records, redactor)
    with contextlib.closing(book):
        outcome = interruption.of(records)
        if outcome is None:
            with _keeping(f"the records of run {run.id}"):
                book.invocation(invocation, worktree)
            env = environment(run.id, worktree, scratch, pass_env=pass_env, extra=invocation.env)
            try:
                popen = process.spawn(invocation.argv, cwd=worktree, env=env, session=True)
            except (OSError, ValueError) as error:
                outcome = _not_started(invocation, worktree, error)
            else:
                talk = Conversation(
                    popen, invocation, run, book, on_event=on_event, interruption=interruption, grace=grace
                )
                with contextlib.closing(talk):
                    journal.advance(run.id, State.RUNNING, child=talk.child)
                    code = talk.listen()
                outcome = _judge(talk, code, invocation, book, worktree, scratch)
        outcome = replace(
            outcome, report=book.blot(outcome.report), reason=book.blot(outcome.reason), hint=book.blot(outcome.hint)
        )
        book.sync()
        with _keeping(f"the report of run {run.id}"):
            kept.write_durably(records / "report.md", outcome.report)
    journal.advance(
        run.id,
        State.EXITED,
        exit=code,
        seconds=round(time.monotonic() - began, 3),
        result=outcome.result,
        reason=outcome.reason,
        usage=outcome.usage,
        model=outcome.model,
        version=outcome.version,
    )
    return outcome


def _judge(
    talk: Conversation, code: int | None, invocation: Invocation, book: Records, worktree: Path, scratch: Path
) -> Outcome:
    """The reader's verdict, under what scoutkit itself knows better."""
    left = invocation.report_file and kept.report_file(str(worktree / invocation.report_file), [worktree, scratch])
    fault, outcome = talk.fault, Outcome(Result.FAILED)
    try:
        outcome = invocation.reader.finish(code, book.tail.decode("utf-8", "replace"), left or None)
    except Exception as error:  # noqa: BLE001 - readers come from other packages too; the reason tells
        fault = fault or repr(error)
    if outcome.result is not Result.DONE and not outcome.report.strip():
        heard = kept.heard(book.folder)
        outcome = replace(
            outcome,
            report=heard.report or left or "",
            model=outcome.model or heard.model,
            version=outcome.version or heard.version,
        )
    if talk.stopped:
        how = talk.stopped
        outcome = replace(outcome, result=how.result, reason=how.reason, hint=how.hint)
    elif fault:
        hint = "see what the agent wrote with scoutkit run logs, and tell whoever made the adapter"
        outcome = replace(outcome, result=Result.FAILED, reason=f"the agent's adapter broke: {fault}", hint=hint)
    elif code is not None and code < 0 and outcome.result is Result.FAILED:
        outcome = replace(outcome, result=Result.KILLED)
    if talk.unended:
        pids = ", ".join(str(one.pid) for one in talk.unended)
        outcome = replace(
            outcome, reason=f"{outcome.reason}; these of its processes would not end: {pids}".lstrip("; ")
        )
    return outcome


@contextlib.contextmanager
def _keeping(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise ScoutError(
            f"cannot keep {what}: {error.strerror}{where}", "check the disk and its permissions"
        ) from error


def _not_started(invocation: Invocation, worktree: Path, error: OSError | ValueError) -> Outcome:
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
