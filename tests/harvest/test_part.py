"""Globs of the part that a task is about."""

import pytest

from scoutkit.harvest import part

FILES = ("src/auth/signing.py", "src/auth/x.py", "tests/test_signing.py", "README.md")


@pytest.mark.parametrize(
    ("glob", "meant"),
    [
        ("src", ["src/auth/signing.py", "src/auth/x.py"]),
        ("./src/", ["src/auth/signing.py", "src/auth/x.py"]),
        ("src/**", ["src/auth/signing.py", "src/auth/x.py"]),
        ("src/auth/**/*.py", ["src/auth/signing.py", "src/auth/x.py"]),
        ("**/x.py", ["src/auth/x.py"]),
        ("*.md", ["README.md"]),
        ("*_signing.py", ["tests/test_signing.py"]),
        ("src/aut", []),
        (".", list(FILES)),
    ],
)
def test_globs_mean_what_people_expect(glob, meant):
    assert [path for path in FILES if part.within(path, glob)] == meant


@pytest.mark.parametrize(
    ("glob", "near"),
    [
        ("scr/**", "src/**"),
        ("src/atuh/*.py", "src/auth/*.py"),
        ("auth/**", "src/auth/**"),
        ("signing.py", "src/auth/signing.py"),
        ("readme.md", "README.md"),
        ("nowhere/**", ""),
        ("src/auth/*.ts", ""),
    ],
)
def test_a_slip_of_the_pen_is_told_from_what_is_not_there(glob, near):
    assert part.nearest(glob, FILES) == near
