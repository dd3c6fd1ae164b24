"""Shell command lines, read as text: which programs they run, and of which of them an exit status speaks."""

from __future__ import annotations

import re
import shlex

_WRAPPERS = {"sudo", "time", "nice", "nohup", "env", "command", "exec", "npx", "bunx", "pnpx", "xvfb-run", "corepack"}
_TWO = {("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("bundle", "exec"), ("pnpm", "dlx"), ("pnpm", "exec")}
_TWO |= {("yarn", "dlx"), ("npm", "exec"), ("hatch", "run"), ("pdm", "run")}
_TRIVIAL = {
    "for",
    "done",
    "fi",
    "case",
    "esac",
    "function",
    "cd",
    "export",
    "set",
    "echo",
    "printf",
    "true",
    ":",
    "source",
    ".",
    "pwd",
    "mkdir",
    "sleep",
    "wait",
    "unset",
}
_LOOKS = {
    *("ls", "cat", "head", "tail", "grep", "egrep", "rg", "ag", "find", "fd", "which", "type", "test", "[", "[[", "wc"),
    *("diff", "cmp", "stat", "file", "tree", "less", "jq", "sed", "awk", "sort", "uniq", "xargs", "cut", "tr", "kill"),
    *("pgrep", "pkill", "ps", "lsof", "rm", "cp", "mv", "touch", "chmod"),
}
_GIT_LOOKS = {"status", "diff", "log", "show", "grep", "blame", "branch", "rev-parse", "ls-files"}
_KEYWORDS = {"do", "then", "else", "if", "elif", "while", "until", "!", "{", "}"}
_WORD = re.compile(r"[A-Za-z][\w:@-]*$")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_NESTED = {("npm", "run"), ("yarn", "run"), ("pnpm", "run"), ("bun", "run"), ("docker", "compose"), ("go", "mod")}


def families(line: str, *, ok: bool | None) -> list[tuple[str, bool]]:
    """The program and subcommand of each command in a line that its end speaks of, and whether that one passed.

    `a && b`: success is that of both, failure most likely that of the last. The status of a pipeline is its last
    command's, that of `a || b` and `a; b` says nothing of `a`.
    """
    if ok is None:
        return []
    commands = _commands(line)
    if not commands:
        return []
    known: list[tuple[str, bool]] = []
    if ok:
        for number, (joined, words) in enumerate(commands):
            last = number == len(commands) - 1
            if joined == "&&" or last:
                known.append((family(words), True))
            else:
                known.clear()  # what comes after `;`, `|` or `||` alone decided
        return [one for one in known if one[0]] if _speaks(commands, ok=True) else []
    told = [words for _, words in commands if family(words)]
    return [(family(told[-1]), False)] if told and _speaks(commands, ok=False) else []


def restored(line: str) -> list[str]:
    """The files, as written, that `git checkout -- FILE` and `git restore FILE` in a line put back in the worktree."""
    found: list[str] = []
    for _, words in _commands(line):
        if words[:2] == ["git", "checkout"] and "--" in words:
            found += words[words.index("--") + 1 :]
        elif words[:2] == ["git", "restore"] and not {"--staged", "-S"} & set(words):
            found += [word for word in words[2:] if not word.startswith("-")]
    return found


def _speaks(commands: list[tuple[str, list[str]]], *, ok: bool) -> bool:
    """Does the status of the line say something of a program that was tried?"""
    last = commands[-1][1]
    return bool(family(last)) or (not ok and len(commands) > 1)


def _commands(line: str) -> list[tuple[str, list[str]]]:
    """Each command's words, with the operator that follows it."""
    line = re.split(r"<<-?\s*['\"]?\w", line, maxsplit=1)[0]  # what a here-document holds is no command
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|\n()<>")
    lexer.whitespace, lexer.whitespace_split = " \t\r", True
    lexer.commenters = "#"
    found: list[tuple[str, list[str]]] = []
    words: list[str] = []
    skip = False
    try:
        tokens = list(lexer)
    except ValueError:
        tokens = line.split()
    for token in tokens:
        if set(token) <= set(";&|\n()"):
            if words:
                found.append((token, words))
            words = []
        elif set(token) <= set("<>&"):
            skip = True
        elif skip:
            skip = False
        else:
            words.append(token)
    if words:
        found.append(("", words))
    while found and len(found) > 1 and found[-1][1][0] in ("echo", "true", ":") and found[-1][0] == "":
        return []  # `cmd; echo $?`, `cmd || true`: the status is not that of what was tried
    return found


def family(words: list[str]) -> str:
    """`npm run build`, `pytest`, `python -m pytest`: program and subcommand; "" for commands that only look."""
    words = list(words)
    while words and words[0] in _KEYWORDS:
        words = words[1:]
    while words and (_ASSIGNED.match(words[0]) or words[0].rpartition("/")[2] in _WRAPPERS or tuple(words[:2]) in _TWO):
        words = words[2:] if tuple(words[:2]) in _TWO else words[1:]
        while words and words[0].startswith("-") and len(words) > 1:
            words = words[1:]
    if words and words[0] == "timeout":
        words = [word for word in words[1:] if not re.fullmatch(r"-\S*|\d+[smh]?", word)]
    if not words:
        return ""
    program, rest = words[0].rpartition("/")[2] if words[0].startswith("/") else words[0], words[1:]
    if program in _TRIVIAL or program in _LOOKS:
        return ""
    if re.fullmatch(r"python[\d.]*|node|deno|ruby|perl|php|sh|bash", program):
        if rest[:1] == ["-m"] and len(rest) > 1:
            return f"python -m {rest[1]}"
        return f"{program} {rest[0]}" if rest and not rest[0].startswith("-") else program
    while rest and rest[0].startswith("-"):
        takes = rest[0] in ("-C", "--prefix", "--filter", "-w", "--workspace", "-f", "-p", "--cwd")
        rest = rest[2:] if takes else rest[1:]
    if not rest or not _WORD.match(rest[0]):
        return program
    if program == "git" and rest[0] in _GIT_LOOKS:
        return ""
    third = rest[1:2] if (program, rest[0]) in _NESTED and rest[1:] and _WORD.match(rest[1]) else []
    return " ".join([program, rest[0], *third])
