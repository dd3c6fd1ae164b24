"""What `scoutkit init` can put where: which files get what for each of its flags. Texts are in `templates/init/`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scoutkit import config
from scoutkit.fitting.block import HASH, Block
from scoutkit.fitting.entry import Entry
from scoutkit.fitting.fitted import Piece
from scoutkit.fitting.item import Item
from scoutkit.fitting.table import Table
from scoutkit.fitting.whole import Whole

FLAGS = ("claude", "agents_md", "codex", "gemini", "pre_commit", "github", "gitignore")
GIT_HOOK = "git hook pre-commit"  # not in the tree: git says where it is
PRE_COMMIT = ".pre-commit-config.yaml"
CHECK = "scoutkit check --staged"
HOOK = "scoutkit about --hook"
_SERVER = {"command": "scoutkit", "args": ["mcp"]}
_HOOK = {
    "matcher": "Edit|MultiEdit|Write|NotebookEdit",
    "hooks": [{"type": "command", "command": f"command -v scoutkit >/dev/null || exit 0; {HOOK}", "timeout": 10}],
}


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a flag. `mode` is for a file that is not there yet."""

    flag: str
    piece: Piece
    mode: int | None = None

    @property
    def place(self) -> str:
        """Its path from the root of the worktree, or GIT_HOOK."""
        return self.piece.name


def every(notes: str, ignored: str = "") -> Iterator[Part]:
    """All there are, in order. `ignored`: the lines that .gitignore needs."""

    def text(name: str) -> str:
        return (config.resources("templates") / "init" / name).read_text("utf-8").replace("{notes}", notes)

    yield Part("claude", Whole(".claude/skills/scoutkit/SKILL.md", text("skill.md")))
    hook_path = ("hooks", "PreToolUse")
    yield Part("claude", Entry(".claude/settings.json", hook_path, None, _HOOK, akin=lambda one: HOOK in repr(one)))
    yield Part("claude", Entry(".mcp.json", ("mcpServers",), "scoutkit", _SERVER))
    for name in ("AGENTS.md", "CLAUDE.md"):
        yield Part("agents_md", Block(name, f"\n{text('agents.md')}"))  # blank lines, as formatters have them
    codex = '[mcp_servers.scoutkit]\ncommand = "scoutkit"\nargs = ["mcp"]'
    yield Part("codex", Table(".codex/config.toml", ("mcp_servers", "scoutkit"), codex))
    yield Part("gemini", Entry(".gemini/settings.json", ("mcpServers",), "scoutkit", _SERVER, comments=True))
    item = text("pre-commit.yaml").rstrip("\n")
    yield Part("pre_commit", Item(PRE_COMMIT, "repos", item, mark="scoutkit-check"))
    instead = f": add this line to it: {CHECK}"
    yield Part("pre_commit", Whole(GIT_HOOK, text("pre-commit.sh"), HASH, instead), 0o777)
    yield Part("github", Whole(".github/workflows/scoutkit.yml", text("workflow.yml"), HASH))
    yield Part("gitignore", Block(".gitignore", ignored, HASH, apart=False))


def imports(text: str, name: str) -> bool:
    """Does a CLAUDE.md read this other file in (`@AGENTS.md`), outside code?"""
    plain = re.sub(r"^(`{3,}|~{3,}).*?^\1|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.search(rf"(?:^|\s)@(?:\./)?{re.escape(name)}(?![\w/-]|\.\w)", plain) is not None


def unignoring(folders: list[tuple[str, bool]]) -> str:
    """Lines for .gitignore that let git see the last of these folders, each inside the one before, given whether it is
    ignored. What else is in them stays ignored. Where none of them is, files in the last one are, whatever the rule."""
    *around, (last, _) = folders
    if not any(ignored for _, ignored in folders):
        return f"!/{last}/**"
    hidden = [
        folder for number, (folder, _) in enumerate(around) if any(ignored for _, ignored in around[: number + 1])
    ]
    return "\n".join([*(f"!/{folder}/\n/{folder}/*" for folder in hidden), f"!/{last}/"])
