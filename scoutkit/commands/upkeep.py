"""Keeping scoutkit in order: index, clean, doctor, completion."""

from __future__ import annotations

import click

from scoutkit.commands import say
from scoutkit.commands.session import json_option, open_desk
from scoutkit.errors import ScoutError


@click.command()
@click.option("--rebuild", is_flag=True, help="Throw the indexes away first; they are made again from the notes.")
@json_option
@click.pass_context
def index(ctx: click.Context, *, rebuild: bool, as_json: bool) -> None:
    """Bring the indexes in step with the notes, and list every problem in them."""
    desk = open_desk(ctx, sync=False)
    if rebuild:
        desk.catalogue.discard()
    step = desk.sync()
    desk.fulltext.update(rebuild=rebuild)
    count = desk.catalogue.count()
    if as_json:
        rows = [{"path": p.path, "line": p.line, "problem": p.problem, "hint": p.hint} for p in step.problems]
        say.as_json("index", notes=count, problems=rows)
        return
    for problem in step.problems:
        say.answer(f"{say.path(problem.path)}:{problem.line}: {problem.problem}")
        say.answer(f"  hint: {problem.hint}")
    say.tell(f"{say.count(count, 'note')}, {say.count(len(step.problems), 'problem')}")


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@json_option
@click.pass_context
def clean(ctx: click.Context, *, dry_run: bool, as_json: bool) -> None:
    """Remove what dead runs left (worktrees nobody owns, trash), old batches, and copies of sources that no run used.

    Batches go after 30 days, those with something left to do after 90; copies of sources after 30. Copies that had many
    fetches are packed anew.
    """
    from scoutkit.batches import expiring
    from scoutkit.dispatch import mirrors
    from scoutkit.stories import batch, leftovers

    desk = open_desk(ctx)
    removed = leftovers.tidy(desk, dry=dry_run)
    old = [one for one in expiring.expired(batch.folder_of(desk)) if dry_run or expiring.drop(one)]
    unused = mirrors.tidy(dry=dry_run)
    going = {each.folder for each in unused}
    packed = [one for one in mirrors.repack(dry=dry_run, tell=say.tell) if one not in going]
    kept = [one for one in mirrors.kept() if one.folder not in going]
    size = sum(one.size for one in kept)
    paths = [*removed, *old, *(one.folder for one in unused)]
    if as_json:
        sources = {"kept": len(kept), "bytes": size, "removed": len(unused), "repacked": len(packed)}
        say.as_json("clean", dry_run=dry_run, removed=[str(path) for path in paths], sources=sources)
        return
    for path in paths:
        say.answer(f"{'would remove' if dry_run else 'removed'}: {path}")
    for path in packed:
        say.answer(f"{'would repack' if dry_run else 'repacked'}: {path}")
    if not paths and not packed:
        say.tell("nothing to clean")
    if kept:
        say.tell(f"copies of sources: {len(kept)}, {size / 1e6:,.1f} MB in {mirrors.folder()}")


@click.command()
@json_option
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool) -> int:
    """Check that everything scoutkit needs is there. Exit code 1 if something required fails."""
    from scoutkit.commands import checkup

    checks = checkup.examine(ctx)
    if as_json:
        rows = [{"name": c.name, "ok": c.ok, "message": c.message, "hint": c.hint} for c in checks]
        say.as_json("doctor", checks=rows)
    else:
        for check in checks:
            mark, colour = ("ok", 32) if check.ok else ("no", 31) if check.required else ("--", 33)
            say.answer(f"{say.paint(mark, colour)}  {check.name}: {check.message}")
            if check.hint and not check.ok:
                say.answer(f"    hint: {check.hint}")
    return ScoutError.exit_code if any(check.required and not check.ok for check in checks) else 0


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    For bash, in ~/.bashrc: eval "$(scoutkit completion bash)"
    """
    from click.shell_completion import get_completion_class

    maker = get_completion_class(shell)
    assert maker
    root = ctx.find_root().command
    say.answer(maker(root, {}, "scoutkit", "_SCOUTKIT_COMPLETE").source())
