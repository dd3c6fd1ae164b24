"""Notes of Markdown that exists: import."""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoutkit.commands import say
from scoutkit.commands.alike import tell as tell_alike
from scoutkit.commands.session import TAG, current_folder, json_option, open_desk
from scoutkit.commands.write import decoded, show_kept
from scoutkit.errors import NotFound, ScoutError, UsageError
from scoutkit.knowledge.folder import LARGEST
from scoutkit.model import NOTE_TYPES
from scoutkit.model.notes import Verdict
from scoutkit.stories.intake import AlreadyKept, Keeper, Kept, Source

if TYPE_CHECKING:
    from scoutkit.desk import Desk

_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--commit", metavar="REV", help="The commit the text speaks of.  [default: HEAD]")
@click.option(
    "--type", "type_", type=click.Choice(NOTE_TYPES), help="Kind of note; else what the file says or looks like."
)
@click.option("--tag", "tags", multiple=True, type=TAG, help="A tag; may be repeated.")
@click.option("--check-only", is_flag=True, help="Report without writing; exit code 1 if a citation is wrong.")
@click.option("--force", is_flag=True, help="Make a note even of a text that is one already.")
@json_option
@click.pass_context
def import_files(
    ctx: click.Context,
    files: tuple[str, ...],
    *,
    commit: str | None,
    type_: str | None,
    tags: tuple[str, ...],
    check_only: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Make notes of Markdown (an answer, an ADR, a wiki page): its citations are checked, its text stays as it is.

    FILE may be a folder, for all Markdown files in it, or - for standard input. A file that cannot be read is said and
    does not stop the others; the exit code is then 2.
    """
    if "" in files:  # as a path it would be the folder we are in
        raise UsageError("an empty FILE", "give the path of a Markdown file, or . for this folder")
    desk = open_desk(ctx)
    kept: list[tuple[str, Kept]] = []
    skipped: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    with Keeper(desk, commit) as keeper:
        for name, error in _listed(desk, _root(ctx), [Path(file) for file in files]):
            try:
                if error:
                    raise error
                source = _source(desk, _root(ctx), name)
                one = keeper.keep(source, kind=type_ or "", tags=tags, write=not check_only, again=force)
            except AlreadyKept as there:
                say.tell(f"{name}: skipped, {there.message} ({there.hint})")
                skipped.append({"file": str(name), "why": there.message, "path": there.path})
            except ScoutError as bad:
                message = bad.message if str(name) in bad.message else f"{name}: {bad.message}"
                say.complain(ScoutError(message, bad.hint))
                failed.append({"file": str(name), "why": bad.message})
            else:
                kept.append((str(name), one))
                for line in one.told:
                    say.tell(f"{name}: {line}")
                if not as_json:
                    _show(str(name), one, check_only=check_only)
    alike: list[dict[str, Any]] = []
    if kept and not check_only:
        desk.sync()
        alike = [row for name, one in kept for row in tell_alike(desk, one.note, name)]
    if as_json:
        say.as_json(
            "import",
            notes=[say.note_json(one.note, body=True) for _, one in kept],
            checked=[row for name, one in kept for row in _rows(name, one)],
            skipped=skipped,
            failed=failed,
            alike=alike,
        )
    elif kept:
        say.answer(_summary([one for _, one in kept]))
    if failed:
        return UsageError.exit_code
    wrong = any(seen.citation.verdict is Verdict.WRONG for _, one in kept for seen in one.seen)
    return NotFound.exit_code if check_only and wrong else 0


def _show(name: str, one: Kept, *, check_only: bool) -> None:
    if check_only:
        say.answer(f"{name}: {say.count(len(one.seen), 'citation')}")
    show_kept(one, header=not check_only)


def _summary(kept: Sequence[Kept]) -> str:
    """`12 citations in 3 files: 9 supported, 1 corrected, 2 wrong`."""
    counted = Counter(seen.citation.verdict for one in kept for seen in one.seen)
    counts = ", ".join(f"{counted[verdict]:,} {verdict}" for verdict in Verdict if counted[verdict])
    said = f"{say.count(counted.total(), 'citation')} in {say.count(len(kept), 'file')}"
    return f"{said}: {counts}" if counts else said


def _rows(name: str, one: Kept) -> Iterator[dict[str, Any]]:
    for seen in one.seen:
        yield {
            **say.citation_json(seen.citation),
            "file": name,
            "line": seen.line,
            "written": seen.written,
            "why": seen.why,
        }


def _root(ctx: click.Context) -> Path:
    """The folder that names on the command line start from."""
    folder: Path = ctx.find_root().obj["folder"]
    return current_folder() / folder


def _listed(desk: Desk, here: Path, files: Sequence[Path]) -> Iterator[tuple[Path, ScoutError | None]]:
    """The files, each folder as the Markdown files in it: hidden folders, the notes themselves and links left out."""
    for name in files:
        if str(name) == "-" or not (here / name).is_dir():
            yield name, None
            continue
        found = list(_within(desk, here, name))
        say.tell(f"{name}: {say.count(len(found), 'Markdown file')}")
        if not found:
            yield name, UsageError(f"no Markdown file in the folder {name}", f"they end in {', '.join(_MARKDOWN)}")
        yield from ((one, None) for one in found)


def _within(desk: Desk, here: Path, name: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(here / name):
        folders[:] = sorted(
            one
            for one in folders
            if not one.startswith(".") and one != "node_modules" and Path(folder, one) != desk.places.notes
        )
        for file in sorted(files):
            path = Path(folder, file)
            if path.suffix.lower() in _MARKDOWN and _is_plain(path) and desk.places.notes not in path.parents:
                yield name / path.relative_to(here / name)


def _is_plain(path: Path) -> bool:
    """A file, and no link to one; not a pipe either, which would be waited for."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:  # gone since it was listed
        return False


def _source(desk: Desk, here: Path, name: Path) -> Source:
    """A file's text, what it is called, and which folder of the repository it is in, if any. UsageError otherwise."""
    if str(name) == "-":
        return Source(_text(sys.stdin.buffer.read(LARGEST + 1), "standard input"))
    path = here / name
    try:
        with path.open("rb") as file:
            text = _text(file.read(LARGEST + 1), str(name))
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}", "give the path of a Markdown file") from error
    real, root = path.resolve(), (desk.repository.toplevel or desk.places.root).resolve()
    if not real.is_relative_to(root):
        return Source(text, name.stem, name.name)
    inside = real.relative_to(root)
    return Source(text, name.stem, inside.as_posix(), inside.parent.as_posix())


def _text(raw: bytes, name: str) -> str:
    from scoutkit import notefile

    if len(raw) > LARGEST:
        raise UsageError(f"larger than {LARGEST // 2**20} MB: {name}", "give parts of it")
    text = decoded(raw, name)
    if not text.strip():
        raise UsageError(f"empty: {name}", "give a file with some text")
    if line := notefile.conflict(text):
        raise UsageError(f"merge conflict markers: {name}:{line}", "resolve the conflict")
    return text
