"""The `llm` program, and with it every model that a plugin of it brings: with tools of ours that read the worktree.

It has no tools of its own, prints plain text, and ends with exit status 0 after half an answer. So each tool that it
calls writes a line on stdout (`llm_tools.py`): what follows the last of them is the report, which has to show its end.
It cannot resume what was stopped: an answer is logged once it is whole. So its tools keep what they answered, and the
report is asked for with that.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from scoutkit.agents import prices
from scoutkit.agents.program import STOP, Program, address, private, table, temporary
from scoutkit.agents.stream import Stream, short
from scoutkit.agents.verdict import readable
from scoutkit.model.agents import Availability, Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Mission, Outcome, Usage

PROGRAM = Program(
    name="llm",
    install="pipx install llm, or uv tool install llm",
    keys=(
        *("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "LLM_GEMINI_KEY", "MISTRAL_API_KEY"),
        *("OPENROUTER_KEY", "GROQ_API_KEY", "LLM_GROQ_KEY", "DEEPSEEK_API_KEY", "LLM_DEEPSEEK_KEY", "XAI_API_KEY"),
        *("OPENAI_BASE_URL", "OLLAMA_HOST", "LLM_LOAD_PLUGINS"),
    ),
    login=(),  # its folder has more than logins, see _copy
    sign_in="store its key: llm keys set openai",
    oldest="0.26",
    flags=("--functions", "--chain-limit", "--usage", "--no-log", "--model"),
)
IDLE = 300.0
TOOLS = "llm_tools.py"

_MARK = "\x1e"
_USAGE = re.compile(r"^Token usage: ([\d,]+) input(?:, ([\d,]+) output)?(?:, (\{.*\}))?", re.MULTILINE)
_HEARD = 100_000  # characters of what its tools answered that a last question repeats
_KEEP = 2_000_000  # bytes of a settings file; its folder has a database of what was asked, too
_HOSTS = {
    r"claude|anthropic": "api.anthropic.com:443",
    r"gemini|gemma": "generativelanguage.googleapis.com:443",
    r"mistral|codestral|magistral": "api.mistral.ai:443",
    r"openrouter": "openrouter.ai:443",
    r"groq": "api.groq.com:443",
    r"deepseek": "api.deepseek.com:443",
    r"grok": "api.x.ai:443",
    r"gpt|chatgpt|o\d|^$": "api.openai.com:443",
}


@dataclass(frozen=True)
class Llm:
    """The agent. It only asks: its tools read and nothing else."""

    name: str = field(default="llm", init=False)
    kinds: frozenset[Kind] = field(default=frozenset({Kind.ASK}), init=False)
    needs_checkout: bool = field(default=True, init=False)
    prices: Mapping[str, Any] = field(default_factory=dict, kw_only=True)  # the user's own

    def availability(self) -> Availability:
        """Logged in by a key in the environment or in its own `keys.json`; models of this machine need none."""
        here = PROGRAM.availability()
        if here.ok and here.login == "not logged in":
            if stored := [name for name in table(_folder() / "keys.json") if not name.startswith("//")]:
                return replace(here, login=f"keys stored for {', '.join(sorted(stored))}", hint="")
            if (_folder() / "extra-openai-models.yaml").is_file():
                return replace(here, login="models of your own", hint="")
        return here

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:
        """Its private folder has the user's keys, models and names for models, and no log."""
        path = PROGRAM.needed()
        home, _ = PROGRAM.home(scratch)
        _copy(home / "llm")
        tools = scratch / TOOLS
        shutil.copyfile(Path(__file__).with_name(TOOLS), tools)
        model = mission.model or _default()
        answers = scratch / "answers.jsonl"
        fixed = (path, "prompt", "--usage", "--no-log", *(("--model", mission.model) if mission.model else ()))
        shown, user_base = _installed(path)
        keys = PROGRAM.environment()
        reader = LlmReader(version=PROGRAM.version(), model=model, prices=self.prices)
        start = Invocation(
            argv=(*fixed, "--functions", str(tools), "--chain-limit", str(mission.limits.turns or 0)),
            reader=reader,
            stdin=prompt,
            env={
                **keys,
                **temporary(scratch),
                **({"PYTHONUSERBASE": str(user_base)} if user_base else {}),
                "HOME": str(home),
                "LLM_USER_PATH": str(home / "llm"),
                "SCOUTKIT_WORKTREE": str(worktree),
                "SCOUTKIT_ANSWERS": str(answers),
            },
            shown=shown,
            hosts=_hosts(model, keys),
            idle=IDLE,
        )

        def closing() -> Invocation | None:
            heard = _heard(answers)
            if not heard:
                return None  # it knows nothing yet
            asked = f"{prompt}\n\n# What you have looked at so far\n\n{heard}\n\n{STOP}"
            return replace(start, argv=fixed, reader=reader.again(), stdin=asked, closing=None)

        return replace(start, closing=closing)


class LlmReader(Stream):
    """Lines of text, and between them lines of our tools."""

    program = "llm"

    def __init__(self, *, version: str = "", model: str = "", prices: Mapping[str, Any] | None = None) -> None:
        super().__init__(version=version, model=model)
        self._prices = prices or {}
        self._message: list[str] = []
        self._waiting = True  # for the model to begin an answer

    def feed(self, line: str) -> Iterable[Event]:
        """A line of text is report text; a line of a tool is a call and its result."""
        if line.startswith(_MARK):
            return super().feed(line[1:])
        events = []
        if self._waiting and line.strip():
            self._waiting, line = False, line.lstrip()
            events.append(Event(EventKind.TURN, data={"model": self.seen.model}))
        self._message.append(line)
        return [*events, Event(EventKind.TEXT, line)]

    def understand(self, said: Mapping[str, Any]) -> Iterable[Event]:
        tool, about, worked = str(said["tool"]), str(said["about"]), said["ok"] is True
        self._pause()
        self._waiting = True
        self.seen.tried += 1
        self.seen.worked += worked
        yield Event(EventKind.TOOL_CALL, short(f"{tool} {about}"), data={"tool": tool})
        yield Event(EventKind.TOOL_RESULT, data={"tool": tool, "ok": worked})

    def again(self) -> Self:
        later = super().again()
        later._message, later._waiting = [], True
        return later

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        """It says on stderr what went wrong and, once all went well, what each answer used."""
        seen, told = self.seen, readable(stderr_tail)
        seen.ended = exit_code == 0
        report = "\n".join(self._message).strip()
        self._pause()
        if seen.ended:
            seen.report = report
        seen.usage = self._used(told)
        if exit_code != 0 and (errors := re.findall(r"^(?:Error|Usage error): (.+)$", told, re.MULTILINE)):
            seen.error = errors[-1].strip("'\"")
            if seen.error.startswith("Chain limit of"):
                seen.limit = "it reached its limit of turns"
            elif re.search(r"line \d+ column \d+ \(char \d+\)$", seen.error):  # of what should be JSON
                seen.error = f"malformed response: {seen.error}"
        return super().finish(exit_code, stderr_tail, report_file)

    def _pause(self) -> None:
        if text := "\n".join(self._message).strip():
            self.seen.said.append(text)
        self._message = []

    def _used(self, told: str) -> Usage:
        """All answers together."""
        found = _USAGE.findall(told)
        if not found:
            return Usage()
        read, wrote, cached = 0, 0, 0
        for given, answered, details in found:
            read += int(given.replace(",", ""))
            wrote += int(answered.replace(",", "") or 0)
            cached += sum(int(count) for count in re.findall(r'"cached_tokens": (\d{1,15})', details))
        return Usage(read, wrote, prices.cost(self.seen.model, prices.Tokens(read, wrote, cached), self._prices))


def _heard(file: Path) -> str:
    """What its tools answered, the latest of it where that is much."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        said = [json.loads(line) for line in lines]
        told = [f"## {one['call']}\n\n{one['answer']}" for one in said]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return "\n\n".join(told)[-_HEARD:]


def _folder() -> Path:
    """Where its user's keys and settings are."""
    if moved := os.environ.get("LLM_USER_PATH"):
        return Path(moved)
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base else Path.home() / ".config") / "io.datasette.llm"


def _default() -> str:
    try:
        return (_folder() / "default_model.txt").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def _copy(folder: Path) -> None:
    """Keys, models, names for models, and lists of models that plugins keep."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for file in sorted(_folder().glob("*")):
        if file.suffix in (".json", ".yaml", ".txt") and file.is_file() and file.stat().st_size <= _KEEP:
            private(folder / file.name, "")
            shutil.copyfile(file, folder / file.name)


def _installed(path: str) -> tuple[tuple[Path, ...], Path | None]:
    """What it needs of the disk: its Python and its packages; and where these are, if in the user's own folder."""
    real = Path(os.path.realpath(path))
    folders = [Path(path).parent, real.parent]
    with real.open("rb") as file:
        first = file.readline(1000)
    python = Path(os.fsdecode(first[2:].strip().split(b" ")[0])) if first.startswith(b"#!") else None
    user_base = None
    if python and python.is_absolute() and python.name.startswith("python"):
        root = python.parent.parent
        folders += [root, Path(os.path.realpath(python)).parent.parent]
        own = real.parent.parent
        if not (root / "pyvenv.cfg").exists() and own != root and any(own.glob("lib/python*/site-packages/llm")):
            user_base = own  # as `pip install --user` has it
            folders.append(own / "lib")
    return tuple(dict.fromkeys(folders)), user_base


def _hosts(model: str, keys: Mapping[str, str]) -> tuple[str, ...]:
    """Of the user's own models as their file says, else by the model's name; where that says nothing, all."""
    for one in _own_models():
        if model in (one.get("model_id"), *(one.get("aliases") or ())) and (own := address(str(one.get("api_base")))):
            return (own,)
    if own := address(keys.get("OPENAI_BASE_URL", "")):
        return (own,)
    named = tuple(host for names, host in _HOSTS.items() if re.search(names, model.lower()))
    return named[:1] or tuple(_HOSTS.values())


def _own_models() -> list[Mapping[str, Any]]:
    import yaml

    try:
        found = yaml.safe_load((_folder() / "extra-openai-models.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return []
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
