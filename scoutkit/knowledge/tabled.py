"""What was seen of a scout, in tables and blocks: the lower part of its note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scoutkit.knowledge import headline, quoting
from scoutkit.model.evidence import Evidence, Ran, Touched


def tables(seen: Evidence, hard: Sequence[Touched]) -> Iterator[tuple[str, str]]:
    """Each table's title and text. `hard`: the files that were touched, those with most work in them first."""
    rows: list[tuple[str, ...]]
    if seen.checks:
        rows = [(quoting.run(one.command), ended(one.before), ended(one.after)) for one in seen.checks]
        told = [_listed(one) for check in seen.checks for one in (check.before, check.after) if one and one.telling]
        table = quoting.table(("check", "at the base", "with the changes"), rows)
        yield "Checks", f"{table}\n\n{quoting.fenced(chr(10).join(told))}" if told else table
    if seen.touched:
        rows = [(quoting.code(one.path), how(one), plus(one), quoting.cell(quoting.uncited(one.why))) for one in hard]
        yield "Files touched", quoting.table(("file", "how", "+/-", "why"), rows)
    if seen.dependencies:
        rows = [
            (
                quoting.code(one.name),
                quoting.code(one.before) or "none",
                quoting.code(one.after) or "removed",
                quoting.code(one.manifest),
            )
            for one in seen.dependencies
        ]
        yield "Dependencies", quoting.table(("dependency", "before", "after", "in"), rows)
    if seen.ran:
        ran = [*(one for one in seen.ran if one.ok is not True), *(one for one in seen.ran if one.ok is True)]
        listed = "\n".join(_listed(one) for one in ran[: quoting.ROWS])
        yield "Commands", quoting.fenced(listed) + quoting.rest(len(ran), "command")
    if seen.commits:
        rows = [
            (
                one.id[:10],
                quoting.cell(quoting.uncited(one.subject)),
                quoting.cell(", ".join(one.branches) or "none"),
            )
            for one in seen.commits
        ]
        yield "Commits", quoting.table(("commit", "subject", "branches"), rows)
    if seen.outside:
        listed = "\n".join(f"- {quoting.code(path)}" for path in seen.outside[: quoting.ROWS])
        yield "Outside the part that the task is about", listed + quoting.rest(len(seen.outside), "file")
    if seen.patch:
        yield "The code", f"Kept for a while: {quoting.code(seen.patch)}"


def how(one: Touched) -> str:
    return f"renamed from {quoting.code(one.was)}" if one.was else one.how


def plus(one: Touched) -> str:
    return "not counted" if one.added is None else f"+{one.added} -{one.removed}"


def ended(ran: Ran | None) -> str:
    if ran is None:
        return "not run"
    if ran.note:
        return ran.note
    if ran.ok:
        return "passed"
    return "not seen" if ran.ok is None else "failed" if ran.exit is None else f"exit {ran.exit}"


def _seconds(ran: Ran) -> str:
    return "" if ran.seconds is None else f"{ran.seconds:.1f} s"


def _listed(ran: Ran) -> str:
    """A command as lines of a block: how it ended, how long it took, what told why."""
    head = f"{ended(ran)[:12]:12} {_seconds(ran):>8}  "
    lines = [head + headline.shortened(quoting.line(ran.command), 200)]
    return "\n".join([*lines, *(" " * len(head) + headline.shortened(quoting.line(line), 200) for line in ran.telling)])
