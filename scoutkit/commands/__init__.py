"""The command line: parse, call one function, print. Every error is printed here and nowhere else."""

from __future__ import annotations

import sys

from scoutkit.commands.root import cli
from scoutkit.commands.say import complain, escape_unprintable
from scoutkit.errors import ScoutError, UsageError


def main() -> None:
    """Run the command line and exit with the documented code."""
    escape_unprintable()
    sys.exit(run(sys.argv[1:]))


def run(argv: list[str]) -> int:
    """Run one command line; the exit code."""
    import click

    try:
        code = cli.main(argv, prog_name="scoutkit", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "scoutkit"
        complain(UsageError(_lowered(error.format_message()), f"see {command} --help"))
        return UsageError.exit_code
    except click.ClickException as error:
        complain(UsageError(_lowered(error.format_message())))
        return UsageError.exit_code
    except ScoutError as error:
        complain(error)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return _pipe_closed()
    return code if isinstance(code, int) else 0


def _lowered(message: str) -> str:
    """Click's sentence as one line in our style."""
    line = " ".join(message.split()).removesuffix(".")
    return line[:1].lower() + line[1:] if line[1:2].islower() else line


def _pipe_closed() -> int:
    """The reader (`head`, a pager) has enough: not an error. Python must not flush into the closed pipe at exit."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
