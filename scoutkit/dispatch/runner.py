"""Sends an agent off, and tells the journal and the records how far it came. The only starter of agents."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scoutkit import process
from scoutkit.dispatch import judging, notice, sandbox, setup, trying
from scoutkit.dispatch import records as kept
from scoutkit.dispatch.bounds import Bounds, holder
from scoutkit.dispatch.conversation import Conversation
from scoutkit.dispatch.environment import environment
from scoutkit.dispatch.interruption import Interruption
from scoutkit.dispatch.journal import Journal
from scoutkit.dispatch.limits import CLOSING, Meter
from scoutkit.dispatch.logins import Logins
from scoutkit.dispatch.records import Records, Redact
from scoutkit.dispatch.room import Room
from scoutkit.dispatch.worktree import SHADOW
from scoutkit.errors import ScoutError
from scoutkit.model.agents import Event, EventKind, Invocation
from scoutkit.model.missions import Limits, Outcome, Owner, Result, Run, State

__all__ = ["Interruption", "send"]

GRACE = 5.0  # seconds between TERM and KILL
_LOGS = re.compile(r"scoutkit run logs(?! -?\w)")  # as an agent's reader says it, which does not know the run's id


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
    shadow: Path | None = None,
    isolation: str = "none",
    network: str = "full",
    writable: bool = False,
    beside: Sequence[Path] = (),
    commands: Sequence[str] = (),
    checks: Sequence[str] = (),
    ready: Callable[[], None] = lambda: None,
    pass_env: Sequence[str] = (),
    grace: float = GRACE,
) -> Outcome:
    """Start the agent, listen to it to its end, end whatever it left behind, and judge.

    `records` is a folder, `redactor` makes a redactor for one stream, `on_event` sees redacted events as they come,
    `grace` is how many seconds TERM has before KILL. The journal has the run `running` with its child right after the
    start, and `exited` with its result once the report is on disk. An agent that a limit stopped is asked for its
    report, where it can be. `isolation` is a name of `sandbox.CHOICES` but not `auto`; then the agent sees what `room`
    lists, `shadow` is the worktree's repository (`shadow.git` in the run's folder when left out), and `writable` says
    whether the two may be changed; `beside` is what it may read besides. `commands` run there first, one after the
    other; when one fails, the agent does not start. `checks` run there before the agent and once its report is on disk;
    how they end is told in the events. `ready` is called right before the agent starts.
    An agent that cannot be started, fails, is stopped or breaks a limit is an Outcome; ScoutError is for the journal
    and the records, Unavailable for an isolation that cannot have the network. Whatever is raised, the agent does not
    outlive the call.
    """
    began = time.monotonic()
    code: int | None = None
    tried = False
    with _keeping(f"the records of run {run.id}"):
        book = Records(records, redactor)
    with contextlib.closing(book):
        outcome = interruption.of(records)
        if outcome is None:
            with _keeping(f"the records of run {run.id}"):
                book.invocation(invocation, worktree)
                logins = Logins.lend(invocation.login, Path(run.folder))
            bare = Room(worktree, shadow or Path(run.folder) / SHADOW, scratch, {}, writable=writable, network=network)
            room = replace(bare, run_id=run.id, beside=tuple(beside))
            stage = _Stage(run, room, isolation, tuple(pass_env), book, journal, on_event, interruption, grace)
            try:
                done = stage.prepare(commands, invocation)
                if done is None:
                    tried = bool(checks)
                    stage.check(checks, trying.BEFORE, invocation)
                    ready()
                    done = stage.play(invocation)
                outcome, code = done
            finally:
                for trouble in logins.put_back():
                    stage.tell(trouble)
        outcome = replace(
            outcome,
            report=book.blot(outcome.report),
            reason=book.blot(outcome.reason),
            hint=_LOGS.sub(rf"\g<0> {run.id}", book.blot(outcome.hint)),
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
        if tried:
            stage.check(checks, trying.AFTER, invocation)
    return outcome


@dataclass(frozen=True, slots=True)
class _Stage:
    """Where the agent of one run works, and who hears of it."""

    run: Run
    room: Room  # without what differs from one invocation to the next
    isolation: str
    pass_env: tuple[str, ...]
    book: Records
    journal: Journal
    on_event: Callable[[Event], None]
    interruption: Interruption
    grace: float

    def prepare(self, commands: Sequence[str], agent: Invocation) -> tuple[Outcome, int | None] | None:
        """The set-up commands, in the agent's room before it; how the run ends where one of them fails."""
        for command, invocation in zip(commands, setup.invocations(commands, agent), strict=True):
            self.tell(f"set-up: {command}", setup=command)
            meter = Meter(self.run.id, Limits(timeout=setup.SECONDS, output_bytes=setup.OUTPUT))
            outcome, code = self._talk(invocation, meter, lambda child: self.journal.note(self.run.id, child=child))
            self.book.tail = b""
            if outcome.result is not Result.DONE:
                return setup.failed(command, outcome, self.run.id), code
        return None

    def check(self, checks: Sequence[str], when: str, agent: Invocation) -> None:
        """A person's own checks, in the agent's room and without its keys. None once the run is to stop."""
        bare = replace(self, pass_env=())
        for command in checks:
            if self.interruption.of(self.book.folder):
                return
            began = time.monotonic()
            tried = trying.invocation(command, when, agent, self.room.scratch)
            meter = Meter(self.run.id, trying.limits(self.run))
            outcome, code = bare._talk(tried, meter, lambda child: self.journal.note(self.run.id, child=child))
            self.book.tail = b""
            line, data = trying.said(command, when, outcome, code, time.monotonic() - began)
            self.tell(line, **data)

    def play(self, invocation: Invocation) -> tuple[Outcome, int | None]:
        """The agent's work, with its report if a limit ended that; the exit status is that of the work."""
        meter = Meter(self.run.id, self.run.limits, idle=invocation.idle)
        by = holder(self.isolation) if invocation.contained else ""
        outcome, code = self._talk(
            invocation,
            meter,
            lambda child: self.journal.advance(self.run.id, State.RUNNING, child=child, bounded=by),
            self.warn,
        )
        spent = meter.spent or (outcome.result is Result.BUDGET and not meter.flooded)
        if not spent or invocation.closing is None or self.interruption.of(self.book.folder):
            return outcome, code
        return self._close(invocation.closing, outcome, meter), code

    def _close(self, closing: Callable[[], Invocation | None], outcome: Outcome, meter: Meter) -> Outcome:
        """The agent's own report instead of what it said so far, if it writes one in the time it has left for that."""
        try:
            invocation = closing()
        except Exception as error:  # noqa: BLE001 - agents come from other packages too; the events tell
            self.tell(f"it could not be asked for its report: {error!r}")
            return outcome
        if invocation is None:
            return outcome
        self.tell("asked for its report", because=outcome.reason)
        self.book.tail = b""
        limits = Limits(
            timeout=CLOSING,
            output_bytes=max(0, self.run.limits.output_bytes - meter.bytes),
            retries=self.run.limits.retries,
        )
        last, _ = self._talk(
            invocation, Meter(self.run.id, limits), lambda child: self.journal.note(self.run.id, child=child)
        )
        said = {name: value for name, value in asdict(last.usage).items() if value is not None}
        outcome = replace(outcome, usage=replace(outcome.usage, **said))
        if last.result is Result.DONE:
            return replace(outcome, report=last.report)
        self.tell(f"it did not write its report: {last.reason}")
        if last.hint and not meter.answered:  # what it ran out of time for: some try again without a word
            outcome = replace(outcome, reason=f"{outcome.reason}: {last.reason}", hint=last.hint)
        return outcome

    def _talk(
        self,
        invocation: Invocation,
        meter: Meter,
        started: Callable[[Owner | None], object],
        near: Callable[[str], object] = str,
    ) -> tuple[Outcome, int | None]:
        isolation = self.isolation if invocation.contained else "none"
        try:
            inside = self._inside(invocation, isolation)
        except OSError as error:
            return judging.not_started(invocation, self.room.worktree, error), None
        bounds = Bounds(self.run, isolation) if invocation.contained else None
        with contextlib.closing(inside), contextlib.closing(bounds) if bounds else contextlib.nullcontext():
            argv = bounds.entering(inside.argv) if bounds else inside.argv
            try:
                popen = process.spawn(argv, cwd=self.room.worktree, env=inside.env, session=True)
            except (OSError, ValueError) as error:
                return judging.not_started(invocation, self.room.worktree, error), None
            talk = Conversation(
                popen,
                invocation,
                self.run,
                self.book,
                meter,
                on_event=self.on_event,
                interruption=self.interruption,
                spared=lambda: sandbox.supervisors(popen.pid),
                bounds=bounds,
                near=near,
                grace=self.grace,
            )
            with contextlib.closing(talk):
                started(talk.child)
                code = sandbox.exit_status(isolation, talk.listen())
            if bounds and bounds.by != holder(isolation):
                self.journal.note(self.run.id, bounded=bounds.by)
            for host in inside.refused():
                self.tell(f"it asked for {host}, which is not its model: refused")
        outcome = judging.judge(talk, code, invocation, self.book, [self.room.worktree, self.room.scratch])
        why, hint = sandbox.trouble(isolation, self.book.tail.decode("utf-8", "replace"))
        if why and not talk.stopped and outcome.result is Result.FAILED and not outcome.report.strip():
            outcome = replace(outcome, reason=why, hint=hint)
        return outcome, code

    def _inside(self, invocation: Invocation, isolation: str) -> sandbox.Inside:
        """How it is started, in its room; without isolation, in this machine as it is."""
        room, extra = self.room, invocation.env
        env = environment(self.run.id, room.worktree, room.scratch, pass_env=self.pass_env, extra=extra)
        if not invocation.contained:
            return sandbox.Inside(invocation.argv, env)
        home = Path(extra["HOME"]) if "HOME" in extra else None
        own = home if home and home.is_relative_to(room.scratch) else None
        report = bool(invocation.report_file) and (room.worktree / invocation.report_file).is_relative_to(room.worktree)
        env = {**env, notice.VARIABLE: str(notice.path(room.scratch))}
        limits = self.run.limits  # for containers, which hold to them by themselves
        most = room.memory if limits.memory_bytes is None else f"{limits.memory_bytes}b"
        room = replace(room, memory=most, pids=-1 if limits.processes is None else limits.processes)
        room = replace(room, env=env, shown=invocation.shown, hosts=invocation.hosts, home=own)
        if report:  # where the user's own command leaves it; the worktree is thrown away all the same
            room = replace(room, writable=True)
        return sandbox.wrap(isolation, invocation.argv, room)

    def warn(self, used: str) -> None:
        """The agent has nearly used up a limit: it is told so, where it looks."""
        with contextlib.suppress(OSError):  # a disk that is full has its own end
            notice.give(self.room.scratch, used)
            self.tell(f"little is left of its {used}: told to write its report", near=used)

    def tell(self, line: str, **data: Any) -> None:
        """Something that scoutkit did itself, among what the agent did."""
        event = self.book.did(Event(EventKind.STATUS, line, data=data))
        self.book.flush()
        self.on_event(event)


@contextlib.contextmanager
def _keeping(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise ScoutError(
            f"cannot keep {what}: {error.strerror}{where}", "check the disk and its permissions"
        ) from error
