"""Every error scoutkit raises on purpose: one line that says what, one hint, one exit code.

What an agent did wrong is data (`model.Outcome`), not an exception.
"""

from __future__ import annotations


class ScoutError(Exception):
    """Something a person can act on. `message` names the value at fault, `hint` what to do about it."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NotFound(ScoutError):
    """The answer is negative: no such note, nothing found."""

    exit_code = 1


class UsageError(ScoutError):
    """The command line or a setting cannot be understood."""

    exit_code = 2


class RepositoryError(ScoutError):
    """No repository, no commit yet, or the base revision does not exist."""

    exit_code = 3


class AgentFailed(ScoutError):
    """The agent failed, was stopped, or ran out of time or budget; a draft note holds what it found."""

    exit_code = 4


class Unavailable(ScoutError):
    """An agent, a sandbox or an optional part is not installed, or cannot do what was asked."""

    exit_code = 5


class Refused(ScoutError):
    """Refused for safety; nothing was changed."""

    exit_code = 6


class Interrupted(ScoutError):
    """Ctrl-C, TERM or HUP: the run was harvested and its worktree removed first."""

    exit_code = 130
