"""Waiting, for tests: how long a busy machine may take, and sleepers that are nobody else's.

A test that passes never takes longer for a patience that is generous, and none says how quick a machine has to be:
what must not be waited for sleeps for ten minutes (`FOREVER`, or a sleeper), and `soon` tells that it was not.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import psutil

Found = TypeVar("Found")

PATIENCE = 80.0  # seconds; less than pytest allows a test, so that it is told what did not come
FOREVER = 600  # seconds: what sleeps as long outlives its test, unless it is ended
_NUMBERS = itertools.count(1)


def until(condition: Callable[[], Found], what: str = "what the test waits for") -> Found:
    """What `condition` gives as soon as that is true."""
    end, pause = time.monotonic() + PATIENCE, 0.005
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {PATIENCE:.0f} s: {what}"
        time.sleep(pause)
        pause = min(0.05, pause * 1.3)
    return found


@contextlib.contextmanager
def soon() -> Iterator[None]:
    """What is done in it does not wait for anything that sleeps for ten minutes."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < PATIENCE + 20, "it waited"


def sleeper() -> str:
    """A command that sleeps for ten minutes, as no other process of this machine does: `sleep 600.00012340001`."""
    return f"sleep {FOREVER}.{os.getpid():07d}{next(_NUMBERS):04d}"


def running(command: str) -> list[int]:
    """Processes whose command line has `command` in it. The dead have none."""
    found = psutil.process_iter(["cmdline"])  # leaves out those that end between two looks
    return [one.pid for one in found if command in " ".join(one.info["cmdline"] or ())]
