"""Landlock: the kernel's own access control, for machines without bwrap. Run as a script, it confines itself and
becomes the command: `python -I landlock.py POLICY -- COMMAND…`, POLICY being JSON. Standard library only.

Source of numbers and structures: linux/landlock.h, linux/seccomp.h, linux/filter.h (Linux 6.18).
"""

from __future__ import annotations

import ctypes
import errno
import functools
import json
import os
import stat
import struct
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoutkit.dispatch.room import View

COMPLAINT = "scoutkit-landlock: "
_CREATE, _ADD, _RESTRICT = 444, 445, 446  # syscalls, the same on both machines
_IO_URING_SETUP = 425
_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}  # audit architecture, socket(2)

_EXECUTE, _WRITE, _READ, _LIST = (1 << bit for bit in range(4))
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_LOOK = _EXECUTE | _READ | _LIST
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")
_UNIX, _NETLINK = 1, 16


@functools.cache
def abi() -> int:
    """The version the kernel has; 0 without Landlock."""
    return max(0, _syscall(_CREATE, None, 0, 1))


def missing() -> str:
    """Why it cannot be used; empty when it can."""
    if os.uname().machine not in _MACHINES:
        return f"not made for {os.uname().machine}"
    return "" if abi() else "the kernel is older than 5.13, or has it turned off"


def argv(command: Sequence[str], view: View, *, network: bool) -> tuple[str, ...]:
    """Without `network` no socket but netlink's can be made."""
    look = [str(path) for folder in view.system for path in _parts(str(folder), {str(one) for one in view.hidden})]
    policy = {
        "names": [os.path.realpath(f"{__file__}/../../..")],  # Python lists the folder of a package to find it there
        "look": [*look, "/proc", *map(str, view.read)],
        "change": [*map(str, view.write)],
        "network": network,
    }
    return (os.path.realpath(sys.executable), "-I", "-S", __file__, json.dumps(policy), "--", *command)


def _parts(folder: str, hidden: set[str]) -> Iterator[str]:
    """The fewest paths that hold all of a folder but what is hidden: there is no rule that takes access away."""
    if not any(path.startswith(f"{folder}/") for path in hidden):
        if folder not in hidden:
            yield folder
        return
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from _parts(entry.path, hidden)
        elif entry.path not in hidden:
            yield entry.path


def confine(look: Sequence[str], change: Sequence[str], *, network: bool, names: Sequence[str] = ()) -> None:
    """This process and all that it starts, for good. Raises OSError when the kernel will not."""
    version = abi()
    every = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    connections = 0 if network or version < 4 else 0b11
    scopes = 0b11 if version >= 6 else 0  # abstract unix sockets, signals
    attributes = struct.pack("QQQ", every, connections, scopes)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = _must(_syscall(_CREATE, attributes, len(attributes), 0))
    devices = [f"/dev/{name}" for name in _DEVICES]
    rights = [(names, _LIST), (look, _LOOK), (devices, _LOOK & ~_EXECUTE | _WRITE | _IOCTL), (change, every)]
    for paths, allowed in rights:
        for path in paths:
            try:
                handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue  # not there
            here = allowed & every & (-1 if stat.S_ISDIR(os.fstat(handle).st_mode) else _OF_FILES)
            _must(_syscall(_ADD, rules, 1, struct.pack("=Qi", here, handle), 0))
            os.close(handle)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    pr_set_pdeathsig, pr_set_seccomp, pr_set_no_new_privs = 1, 22, 38
    _must(prctl(pr_set_pdeathsig, 9, 0, 0, 0))
    _must(prctl(pr_set_no_new_privs, 1, 0, 0, 0))
    _powerless()
    _must(_syscall(_RESTRICT, rules, 0))
    os.close(rules)
    _must(prctl(pr_set_seccomp, 2, ctypes.byref(_filter(network)), 0, 0))


def _powerless() -> None:
    """Root is a user like any other, who owns what is root's: no capability, and none to be had by execve."""
    version = 0x20080522
    _must(ctypes.CDLL(None, use_errno=True).capset(struct.pack("Ii", version, 0), bytes(24)))


def _filter(network: bool) -> ctypes.Structure:
    """Refuses the sockets that Landlock does not: unix sockets by path (a Docker socket, say), and UDP.

    io_uring could make sockets past it. A program for another architecture has other numbers, so it is refused whole.
    """
    architecture, socket = _MACHINES[os.uname().machine]
    load, equal, above, give = 0x20, 0x15, 0x35, 0x06
    allow, refuse, unknown = 0x7FFF0000, 0x50000 | errno.EACCES, 0x50000 | errno.ENOSYS
    # offsets in struct seccomp_data: nr 0, arch 4, args[0] 16. A jump is relative to the next instruction.
    lines = [
        (load, 0, 0, 4),
        (equal, 1, 0, architecture),
        (give, 0, 0, refuse),
        (load, 0, 0, 0),
        (above, 1, 0, 0x40000000),  # the x32 numbers of x86_64
        (equal, 0, 1, _IO_URING_SETUP),
        (give, 0, 0, unknown),
        (equal, 1, 0, socket),
        (give, 0, 0, allow),
        (load, 0, 0, 16),
        *([(equal, 1, 0, _UNIX), (give, 0, 0, allow)] if network else [(equal, 0, 1, _NETLINK), (give, 0, 0, allow)]),
        (give, 0, 0, refuse),
    ]
    program = b"".join(struct.pack("HBBI", *line) for line in lines)
    return _Program(len(lines), program)


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


def _syscall(number: int, *arguments: object) -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return int(call(number, *arguments))


def _must(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def main() -> None:
    """Confine, then become the command."""
    policy, dashes, *command = sys.argv[1:]
    if dashes != "--" or not command:
        sys.exit(f"{COMPLAINT}POLICY -- COMMAND…")
    try:
        confine(**json.loads(policy))
    except OSError as error:
        sys.exit(f"{COMPLAINT}{error.strerror}")
    try:
        os.execvp(command[0], command)  # noqa: S606 - it becomes the command
    except OSError as error:
        sys.exit(f"{COMPLAINT}execvp {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main()
