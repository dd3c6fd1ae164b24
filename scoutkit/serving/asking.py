"""Questions that a client sends agents with: each a `scoutkit ask` in a process of its own, heard and stopped here.

Signals and the adoption of orphans belong to a process, so a server cannot send agents itself.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoutkit import ending, process
from scoutkit.errors import ScoutError

MOST = 4  # at once
_KEPT = 200  # last lines of narration


@dataclass(frozen=True, slots=True)
class Asking:
    """How agents are sent: what a person said when they started the server."""

    folder: Path
    here: bool = False
    agent: str = ""
    timeout: float = 900.0


@dataclass(eq=False)
class Errand:
    """One question that is out. `done` is what it came to: the JSON answer of `scoutkit ask`, or a ScoutError."""

    _popen: subprocess.Popen[bytes]
    done: Future[Mapping[str, Any]] = field(default_factory=Future)
    _stopped: bool = False

    @classmethod
    def send(cls, how: Asking, given: Mapping[str, Any], hear: Callable[[str], object]) -> Errand:
        """Start it. `hear` is called from another thread, with each line of narration."""
        argv = [sys.executable, "-m", "scoutkit", "-C", str(how.folder), *(["--here"] if how.here else []), "ask"]
        argv += ["--json", f"--timeout={how.timeout}", f"--base={given.get('base', 'HEAD')}"]
        argv += [*([f"--agent={how.agent}"] if how.agent else []), *(["--force"] if given.get("force") else [])]
        popen = process.spawn([*argv, "--", given["question"]], stdin=subprocess.DEVNULL, session=True)
        errand = cls(popen)
        threading.Thread(target=errand._listen, args=(hear,), daemon=True).start()
        return errand

    def stop(self) -> None:
        """Have it end, as Ctrl-C would: what the agent found so far becomes a draft, its worktree goes."""
        if not self._stopped and not self.done.done():
            self._stopped = True
            ending.interrupt(self._popen)

    def _listen(self, hear: Callable[[str], object]) -> None:
        try:
            assert self._popen.stdout
            assert self._popen.stderr
            out: list[bytes] = []
            stdout = self._popen.stdout
            reader = threading.Thread(target=lambda: out.append(stdout.read()), daemon=True)
            reader.start()
            said: list[str] = []
            for raw in self._popen.stderr:
                said.append(raw.decode("utf-8", "replace").rstrip("\n"))
                del said[:-_KEPT]
                hear(said[-1])
            reader.join()
            self.done.set_result(_answer(self._popen.wait(), b"".join(out), said))
        except ScoutError as error:
            self.done.set_exception(error)
        except Exception as error:  # noqa: BLE001 - whoever waits hears of it
            self.done.set_exception(error)


def _answer(code: int, out: bytes, said: list[str]) -> Mapping[str, Any]:
    """What it printed. ScoutError, with where a draft is, for whatever did not end well."""
    answer: Mapping[str, Any] = {}
    with contextlib.suppress(ValueError):
        answer = json.loads(out)
    if code in (0, 1) and answer:  # 1: it found nothing, and says so
        return answer
    message = next((line.removeprefix("error: ") for line in said if line.startswith("error: ")), "")
    hint = next((line.removeprefix("hint: ") for line in said if line.startswith("hint: ")), "")
    if note := answer.get("note"):
        hint = f"what it found so far is in note {note['id']}: read_note"
    raise ScoutError(message or f"asking ended with exit code {code}", hint or "see the server's log")
