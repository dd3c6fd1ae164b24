"""The text of a scout's note: what the run shows by itself, and the agent's own report.

Where the report has the sections that it was asked for, it comes first and what the run shows goes below it; else the
sections are made from what the run shows, and the report stands at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from scoutkit import symbols
from scoutkit.knowledge import headline, quoting, tabled
from scoutkit.knowledge.passages import Document, Form
from scoutkit.model.evidence import Committed, Evidence, GivenUp, Touched
from scoutkit.model.missions import Outcome, Result
from scoutkit.model.notes import Region

SECTIONS = ("Where it got hard", "What worked", "Dead ends", "First next time", "Open questions")
OWN = "The agent's report"
SHOWN = "What the run shows by itself"
_ENOUGH = 3  # of the sections: then the report is one that was asked for
_HARD, _PLACES = 6, 3  # files where it got hard, and lines cited of each
_MUCH = 20  # churn of a new file from which it counts as hard
_LONGEST = 6  # lines of one region that are cited
_ENDED = {
    Result.FAILED: "The agent failed",
    Result.TIMEOUT: "The agent ran out of time",
    Result.BUDGET: "The agent ran out of its budget",
    Result.STOPPED: "The run was stopped",
    Result.INTERRUPTED: "The run was interrupted",
    Result.KILLED: "The run was killed",
}

Lines = Callable[[str], list[str] | None]  # of a file of the base commit


def text(task: str, report: str, evidence: Evidence, outcome: Outcome, lines: Lines) -> str:
    """Markdown, its citations not yet checked. Not blank, whatever the agent said or did not say."""
    shows = _Shows(evidence, outcome, lines)
    if _sections(report) >= _ENOUGH:
        parts = [f"### {title}\n\n{said}" for title, said in shows.sections() if said]
        below = "\n\n".join(
            [
                f"## {SHOWN}",
                *parts,
                *(f"### {title}\n\n{table}" for title, table in tabled.tables(evidence, shows.hard)),
            ]
        )
        return f"{report.rstrip()}{quoting.closed(report)}\n\n{below}\n"
    title, summary = headline.lead(report, question=task) if _named(report) else ("", "")
    title = title or f"Tried: {headline.shortened(' '.join(task.split()), headline.TITLE - 8)}"
    parts = [f"# {title}", summary, shows.summary()]
    parts += [f"## {title}\n\n{said or 'Nothing that the run shows.'}" for title, said in shows.sections()]
    parts += [f"## {title}\n\n{table}" for title, table in tabled.tables(evidence, shows.hard)]
    if evidence.progress.strip():
        parts.append(f"## Progress, as the agent kept it\n\n{quoting.fenced(evidence.progress)}")
    if report.strip():
        parts.append(f"## {OWN}\n\n{quoting.demoted(report).rstrip()}{quoting.closed(report)}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _sections(report: str) -> int:
    """How many of the sections that were asked for it has."""
    return sum(1 for title in SECTIONS if _has(report, title))


def _named(report: str) -> bool:
    """Does it say what it found, in a heading of its own? Else it may be no more than talk."""
    return any(one.form is Form.HEADING and one.level <= 2 for one in Document(report).passages)


def _has(report: str, title: str) -> bool:
    return bool(re.search(rf"^#{{1,4}}\s+\W*{re.escape(title)}\b", report, re.MULTILINE | re.IGNORECASE))


class _Shows:
    """What evidence says, in Markdown."""

    def __init__(self, evidence: Evidence, outcome: Outcome, lines: Lines) -> None:
        self._evidence, self._outcome, self._lines = evidence, outcome, lines
        self.hard = sorted(evidence.touched, key=lambda one: (bool(one.regions), _churn(one)), reverse=True)
        self._failing = [one for one in evidence.given_up if one.kind == "command"]

    def summary(self) -> str:
        """What happened, in figures."""
        seen = self._evidence
        ended = _ENDED.get(self._outcome.result, "The agent was done")
        reason = f" ({quoting.line(self._outcome.reason)})" if self._outcome.reason else ""
        failed = sum(1 for one in seen.ran if one.ok is False)
        counts = [
            quoting.count(len(seen.touched), "file") + " changed",
            quoting.count(len(seen.ran), "command") + (f", {failed} failed" if failed else ""),
            quoting.count(sum(not _stashed(one) for one in seen.commits), "commit"),
            quoting.count(len(seen.given_up), "direction") + " given up",
        ]
        code = (
            f"Its code is kept for a while: {quoting.code(seen.patch)}." if seen.patch else "All code is thrown away."
        )
        return f"{ended}{reason}. By itself the run shows: {'; '.join(counts)}. {code}"

    def sections(self) -> Iterator[tuple[str, str]]:
        """Each section's title and what the run shows for it."""
        made = (self._where_hard, self._worked, self._dead, self._first, self._open)
        for title, lines in zip(SECTIONS, made, strict=True):
            yield title, "\n".join(lines())

    def _where_hard(self) -> Iterator[str]:
        yield from (self._churned(one) for one in self.hard[:_HARD] if one.regions or _churn(one) >= _MUCH)
        for one in self._evidence.given_up:
            if one.kind != "command":
                yield f"- {self._taken_back(one)}"
        for one in self._failing:
            yield f"- {self._never(one)}"
        for check in self._evidence.checks:
            if check.after and check.after.ok is False:
                was = "passed at the base and" if check.before and check.before.ok else "also failed at the base;"
                told = f": {quoting.run(check.after.telling[0])}" if check.after.telling else ""
                yield f"- The check {quoting.run(check.command)} {was} fails with the changes{told}"

    def _churned(self, one: Touched) -> str:
        edits = f", edited {one.edits} times" if one.edits > 1 else ""
        where = f", on {one.where}" if one.where else ""
        why = f" {quoting.line(one.why)}" if one.why else ""
        head = f"{quoting.code(one.path)}: {tabled.how(one)} ({tabled.plus(one)}{edits}{where}).{why}"
        places = [said for region in _widest(one.regions)[:_PLACES] if (said := self._cited(region))]
        return "\n".join([f"- {head}", *(f"  - {said}" for said in places)])

    def _taken_back(self, one: GivenUp) -> str:
        """An edit or a commit that is no more."""
        what = (
            f"The commit {quoting.code(one.what)}" if one.kind == "commit" else f"{quoting.code(one.what)} was edited"
        )
        times = f" {one.tries} times" if one.tries > 1 and one.kind == "edit" else ""
        left = " was given up" if one.kind == "commit" else f"{times} and taken back"
        places = [said for region in one.regions[:_PLACES] if (said := self._cited(region))]
        return "\n".join([f"{what}{left}: {quoting.line(one.why)}", *(f"  - {said}" for said in places)])

    def _never(self, one: GivenUp) -> str:
        """A family of commands that never passed."""
        told = f": {quoting.run(one.why)}" if one.why else ""
        places = [said for region in one.regions[:_PLACES] if (said := self._cited(region))]
        return "\n".join(
            [f"{quoting.run(one.what)} never passed, {_tries(one.tries)}{told}", *(f"  - {s}" for s in places)]
        )

    def _worked(self) -> Iterator[str]:
        seen = self._evidence
        for check in seen.checks:
            if check.after and check.after.ok:
                was = " (it failed at the base)" if check.before and check.before.ok is False else ""
                yield f"- The check {quoting.run(check.command)} passes with the changes{was}"
        passed = dict.fromkeys(one.command for one in seen.ran if one.ok and one.tries)
        failed = {one.command for one in seen.ran if one.ok is False}
        for command in list(passed)[: quoting.ROWS]:
            after = " in the end, after it had failed" if command in failed else ""
            yield f"- {quoting.run(command)} passed{after}"
        for one in seen.commits[:5]:
            if one.branches and not _stashed(one):
                yield f"- It got as far as committing {quoting.code(one.subject)}"

    def _dead(self) -> Iterator[str]:
        for one in self._evidence.given_up:
            if one.kind == "command":
                yield f"- {quoting.run(one.what)}: never passed, {_tries(one.tries)}"
            else:
                yield f"- {quoting.code(one.what)}: {quoting.line(one.why)}"

    def _first(self) -> Iterator[str]:
        for check in self._evidence.checks:
            if check.before and check.before.ok is False and not (check.after and check.after.ok):
                yield f"- Look at the check {quoting.run(check.command)} first: it fails before anything is changed"
            elif check.before and check.after and check.before.ok and check.after.ok is False:
                told = "it passed at the base and fails with the changes"
                yield f"- Begin with the check {quoting.run(check.command)}: {told}"
        for one in self._failing[:3]:
            yield f"- Get {quoting.run(one.what)} to pass before anything else: it never did"
        for touched in self.hard[:1]:
            if touched.edits > 1 or (touched.added or 0) + (touched.removed or 0) > 10:
                yield f"- Plan {quoting.code(touched.path)} first: most of the work went there"
        if not self._failing and not self.hard:
            yield "- Nothing was changed: begin at the task itself"

    def _open(self) -> Iterator[str]:
        seen, result = self._evidence, self._outcome.result
        if result is not Result.DONE:
            yield f"- {_ENDED[result]}: how far the rest would have got is not known"
        for one in seen.ran:
            if one.ok is None and one.note:
                yield f"- {quoting.run(one.command)} {one.note}"
        for check in seen.checks:
            if check.after is None:
                yield f"- The check {quoting.run(check.command)} was not run with the changes"
        for inner in seen.touched:
            if inner.how in ("repository", "submodule"):
                yield f"- {quoting.code(inner.path)} is a {inner.how} ({inner.why}), which was not looked into"
        yield from (f"- Not looked at: {quoting.cell(line)}" for line in seen.left_out[: quoting.ROWS])

    def _cited(self, region: Region) -> str:
        """A citation that can be checked: its lines, a line of them word for word, and what they are in."""
        lines = self._lines(region.path)
        if not lines:
            return ""
        if not region.start:  # of the whole file: what it defines first
            first = next(iter(symbols.symbols(region.path, "\n".join(lines) + "\n")), None)
            if first is None or "`" in first.name:
                return ""
            place = (
                f"{region.path}:{first.start}"
                if first.start == first.end
                else f"{region.path}:{first.start}-{first.end}"
            )
            return f"it defines `{first.qualified}` (`{place}`)"
        start, end = region.start, region.end
        if start > len(lines):
            start = end = len(lines)
        end = min(end, len(lines), start + _LONGEST - 1)
        quote = _quote(lines[start - 1 : end])
        for more in range(1, 4):  # blank lines and brackets tell nothing: what is above them does
            if quote:
                break
            start = max(1, start - more)
            quote = _quote(lines[start - 1 : end])
        symbol = symbols.enclosing(region.path, "\n".join(lines) + "\n", start, end)
        place = f"{region.path}:{start}" if start == end else f"{region.path}:{start}-{end}"
        said = f"at `{quote}`" if quote else ""
        within = f"in `{symbol}`" if symbol and "`" not in symbol and symbol != quote else ""
        words = " ".join(part for part in (within, said) if part)
        return f"{words} (`{place}`)" if words else f"`{place}`"


def _quote(lines: Sequence[str]) -> str:
    """The line that tells most, as inline code."""
    told = [line.strip() for line in lines if "`" not in line and sum(map(str.isalnum, line)) >= 3]
    fit = [line for line in told if len(line) <= 100]
    return max(fit, key=len, default="")


def _widest(regions: Sequence[Region]) -> list[Region]:
    chosen = sorted(regions, key=lambda one: one.start - one.end)[:_PLACES]
    return sorted(chosen, key=lambda one: one.start)


def _stashed(one: Committed) -> bool:
    """Was it `git stash` that made it? Work set aside is no commit that the agent got to."""
    return one.branches == ("stash",) and one.subject.startswith(("WIP on ", "On "))


def _churn(one: Touched) -> int:
    """How much work went into a file: each time that it was written to counts as much as ten lines."""
    made = one.path.endswith((".lock", "-lock.json", "-lock.yaml", ".sum", ".min.js", ".snap"))
    return 0 if made else (one.added or 0) + (one.removed or 0) + 10 * one.edits


def _tries(count: int) -> str:
    return "tried once" if count == 1 else f"tried {count} times"
