"""What is secret in files that an agent is handed besides the commit: `.env` files and their like. Reads them only.

Names that say secret, values that look drawn by lot, and the shapes that a maintained detector knows: nobody outside
keeps up with those. It takes a third of a second to import, so only here, and only where there is such a file.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from scoutkit.knowledge.named import is_secret_name, leaves

LARGEST = 1_000_000  # bytes of a file that is looked through
MOST = 500  # files; those that are not deep in folders come first
_NAMES = (
    *(
        ".env*",
        "*.env",
        "*.env.*",
        ".envrc",
        ".npmrc",
        ".netrc",
        "_netrc",
        ".pypirc",
        ".pgpass",
        ".my.cnf",
        ".htpasswd",
    ),
    *("*.json", "*.yaml", "*.yml", "*.toml", "*.ini", "*.cfg", "*.conf", "*.cnf", "*.properties", "*.tfvars", "*.xml"),
    *("*.pem", "*.key", "*secret*", "*credential*", "*password*", "*token*", "id_*", "*.sh", "*.txt", "config"),
)
_PAIR = re.compile(r"""^\s*(?:export\s+|[-+]?e\s+)?["']?(?P<name>[\w./:@-]+)["']?\s*[:=]\s*(?P<value>.+?)\s*,?\s*$""")
_NETRC = re.compile(r"\bpassword\s+(\S+)")
_LONG = 8  # characters of a value whose name says secret
_DRAWN = 16  # of one whose name does not
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{32,}")
Detector = Callable[..., Iterator[str]]
_TRIM = " \t\r\n\"'`=:,;"


def secrets(files: Iterable[Path]) -> dict[str, str]:
    """Named so that a Redactor takes them for secrets. What cannot be read has none."""
    found: dict[str, None] = {}
    named = [file for file in files if any(fnmatch.fnmatch(file.name.lower(), glob) for glob in _NAMES)]
    detect: Detector | None = None
    for file in sorted(named, key=lambda one: len(one.parts))[:MOST]:
        try:
            with file.open("rb") as opened:
                text = opened.read(LARGEST).decode("utf-8", "replace")
        except OSError:
            continue
        detect = detect or _detector()
        found |= dict.fromkeys(_in(text, detect))
    return {f"HANDED_SECRET_{number}": value for number, value in enumerate(found)}


def _in(text: str, detect: Detector) -> Iterator[str]:
    for name, value in _pairs(text):
        if len(value) >= _LONG and is_secret_name(name):
            yield value
        elif len(value) >= _DRAWN:
            yield from detect(value, whole=True)
    inside = False
    for line in text.splitlines():
        inside = "PRIVATE KEY" in line or inside
        if inside:
            yield from _KEY_LINE.findall(line)  # a line of a key that is shown by itself
        inside = inside and "-----END" not in line
        yield from _NETRC.findall(line)
        yield from detect(line.strip(), whole=not _PAIR.match(line))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    try:
        yield from leaves(json.loads(text))
    except (ValueError, RecursionError):
        for line in text.splitlines():
            if pair := _PAIR.match(line):
                value = pair["value"]
                if value[0] in "\"'" and (end := value.find(value[0], 1)) > 0:
                    value = value[1:end]
                else:
                    value = re.split(r"\s+#", value)[0]
                yield pair["name"], value.strip(_TRIM)


def _detector() -> Detector:
    """`detect(text, whole=)`: what looks secret in one line, or the `whole` of it as one value."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector
    from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString, HexHighEntropyString

    kinds = get_mapping_from_secret_type_to_class().values()
    shapes = [kind() for kind in kinds if issubclass(kind, RegexBasedDetector)]  # not its keywords: _pairs has those
    drawn: Sequence[tuple[re.Pattern[str], Base64HighEntropyString | HexHighEntropyString, float]] = (
        (re.compile(r"[0-9a-fA-F]{16,}"), HexHighEntropyString(), 3.0),
        (re.compile(r"[A-Za-z0-9+/_=.~-]{20,}"), Base64HighEntropyString(), 4.0),
    )

    def detect(text: str, *, whole: bool) -> Iterator[str]:
        for shape in shapes:
            for value in shape.analyze_string(text):
                if len(trimmed := str(value).strip(_TRIM)) >= _LONG:
                    yield trimmed
        for piece in re.split(r"[\s:,;@|]+", text) if whole else ():
            for charset, measure, least in drawn if _mixed(piece) else ():
                if charset.fullmatch(piece) and measure.calculate_shannon_entropy(piece) > least:
                    yield piece

    return detect


def _mixed(text: str) -> bool:
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))
