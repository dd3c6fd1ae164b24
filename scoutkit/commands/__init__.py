"""The command line: parse, call one function, print. Every error is printed here and nowhere else."""

from __future__ import annotations

import os
import sys

from scoutkit.commands.say import complain, escape_unprintable, flush, open_streams
from scoutkit.errors import ScoutError, UsageError


def main() -> None:
    """Run the command line and exit with the documented code."""
    import gc

    gc.set_threshold(100_000)  # most commands end before there is garbage worth a look; looking takes 5 ms of a search
    import scoutkit.commands.root  # noqa: F401 - with it comes click, most of what there is

    gc.freeze()  # and at the end, where Python looks in any case, it need not look through all that
    open_streams()
    escape_unprintable()
    code = run(sys.argv[1:])
    if error := flush():
        complain(error)
        code = code or error.exit_code
    sys.exit(code)


def _at_home() -> None:
    """A home that is no path from the root is none: files would go to where one is. Raises ScoutError without any."""
    if os.environ.get("HOME", "").startswith("/"):
        return
    import pwd

    try:
        os.environ["HOME"] = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise ScoutError(f"user {os.getuid()} has no home folder", "set HOME to one: HOME=/tmp/home") from None


def run(argv: list[str]) -> int:
    """Run one command line; the exit code."""
    import click

    from scoutkit.commands.root import cli

    try:
        _at_home()
        code = cli.main(argv, prog_name="scoutkit", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        group = error.ctx.command if error.ctx else cli
        names = ", ".join(getattr(group, "commands", {}))
        complain(
            UsageError(f"{error.ctx.command_path if error.ctx else 'scoutkit'} needs a command", f"one of {names}")
        )
        return UsageError.exit_code
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else _named(argv)
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
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        complain(ScoutError(f"{error.strerror or error}{where}", "check the disk and its permissions: scoutkit doctor"))
        return ScoutError.exit_code
    except Exception as error:  # noqa: BLE001 - the last resort: a fault of ours is told in one line and kept
        return _fault(error)
    return code if isinstance(code, int) else 0


def _named(argv: list[str]) -> str:
    """The command of a command line, where click does not say it: an option that lacks its value."""
    from scoutkit.commands.root import COMMANDS

    return " ".join(["scoutkit", *[word for word in argv if word in COMMANDS][:1]])


def _fault(error: Exception) -> int:
    """Keep the traceback in a file and name it. 70 as in sysexits.h."""
    import traceback

    from scoutkit import config

    path = config.user_state() / "fault.txt"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text("".join(traceback.format_exception(error)), "utf-8", "backslashreplace")
    complain(ScoutError(f"scoutkit has a fault: {type(error).__name__}: {error}", f"report it with what is in {path}"))
    return 70


_TYPES = {"integer range": "whole number", "integer": "whole number", "float range": "number", "float": "number"}


def _lowered(message: str) -> str:
    """Click's sentence as one line in our style, its names of types as people call them."""
    line = " ".join(message.split()).removesuffix(".")
    for name, said in _TYPES.items():
        line = line.replace(f" is not a valid {name}", f" is not a {said}")
    return line[:1].lower() + line[1:] if line[1:2].islower() else line
