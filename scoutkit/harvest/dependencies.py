"""Dependencies before and after: what manifests name, by parsing them where Python can, else line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from scoutkit.model.evidence import Dependency

Found = dict[str, str]  # name: version, as it is written
LARGEST = 2_000_000  # characters of a manifest
_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(.*)")


def manifest(path: str) -> Callable[[str], Found] | None:
    """What reads a file of that name; None for one that is no manifest."""
    name = path.rpartition("/")[2]
    if name in _READERS:
        return _READERS[name]
    if re.fullmatch(r"(?:.*[-_.])?requirements(?:[-_.].*)?\.(?:txt|in)", name) or "/requirements/" in f"/{path}":
        return _requirements if name.endswith((".txt", ".in")) else None
    if name.endswith((".csproj", ".fsproj", ".vbproj")) or name == "Directory.Packages.props":
        return _nuget
    return _gradle if name in ("build.gradle", "build.gradle.kts") else None


def compared(path: str, before: str | None, after: str | None) -> list[Dependency]:
    """What one manifest gained, lost or moved. Raises ValueError for one that cannot be parsed."""
    reader = manifest(path)
    if reader is None:
        return []
    old, new = (_read(reader, text) for text in (before, after))
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return [Dependency(name, path, _told(old, name), _told(new, name)) for name in names]


def _told(found: Found, name: str) -> str:
    return (found[name] or "any")[:100] if name in found else ""


def _read(reader: Callable[[str], Found], text: str | None) -> Found:
    if not text or len(text) > LARGEST:
        return {}
    try:
        return reader(text)
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _version(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        known = ("version", "path", "git", "rev", "tag", "branch", "workspace")
        return " ".join(f"{value[key]}" if key == "version" else f"{key}={value[key]}" for key in known if key in value)
    return json.dumps(value, default=str) if value is not None else ""


def _tables(table: Any, *names: str) -> Found:
    found: Found = {}
    for name in names:
        part = table.get(name) if isinstance(table, Mapping) else None
        if isinstance(part, Mapping):
            found |= {str(key): _version(value) for key, value in part.items()}
    return found


def _package_json(text: str) -> Found:
    kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
    found = _tables(json.loads(text), *kinds)
    if manager := json.loads(text).get("packageManager"):
        found["packageManager"] = str(manager)
    return found


def _composer(text: str) -> Found:
    return _tables(json.loads(text), "require", "require-dev")


def _cargo(text: str) -> Found:
    import tomllib

    table = tomllib.loads(text)
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    found = {**_tables(table, *kinds), **_tables(table.get("workspace"), *kinds)}
    for target in (table.get("target") or {}).values():
        found |= _tables(target, *kinds)
    return found


def _pyproject(text: str) -> Found:
    import tomllib

    table = tomllib.loads(text)
    project, tool = table.get("project") or {}, table.get("tool") or {}
    lists = [project.get("dependencies"), *(project.get("optional-dependencies") or {}).values()]
    lists += [*(table.get("dependency-groups") or {}).values(), (table.get("build-system") or {}).get("requires")]
    lists += ((tool.get("uv") or {}).get("dev-dependencies") or [],)
    found: Found = {}
    for one in lists:
        for line in one or []:
            found |= _requirement(line) if isinstance(line, str) else {}
    poetry = tool.get("poetry") or {}
    found |= _tables(poetry, "dependencies", "dev-dependencies")
    for group in (poetry.get("group") or {}).values():
        found |= _tables(group, "dependencies")
    return found


def _pipfile(text: str) -> Found:
    import tomllib

    return _tables(tomllib.loads(text), "packages", "dev-packages")


def _pubspec(text: str) -> Found:
    import yaml

    try:
        return _tables(yaml.safe_load(text), "dependencies", "dev_dependencies")
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _requirement(line: str) -> Found:
    line = re.split(r"\s#|^#", line.strip(), maxsplit=1)[0].strip()
    match = _REQUIREMENT.fullmatch(line)
    if not match or line.startswith("-"):
        return {}
    return {re.sub(r"[-_.]+", "-", match[1]).lower(): match[2].partition(" --hash")[0].strip(" \\")}


def _requirements(text: str) -> Found:
    found: Found = {}
    for line in text.splitlines():
        found |= _requirement(line)
    return found


def _go_mod(text: str) -> Found:
    found, within = dict[str, str](), False
    for said in text.splitlines():
        line = said.partition("//")[0].strip()
        if line.startswith("require ("):
            within = True
        elif line == ")":
            within = False
        elif match := re.fullmatch(r"(?:require\s+)?(\S+\.\S+|\S+/\S+)\s+(v\S+)", line):
            if within or line.startswith("require"):
                found[match[1]] = match[2]
        elif match := re.fullmatch(r"(go|toolchain)\s+(\S+)", line):
            found[match[1]] = match[2]
    return found


def _pom(text: str) -> Found:
    """By patterns: an XML parser would follow entities."""
    found: Found = {}
    for block in re.findall(r"<(?:dependency|parent|plugin)>(.*?)</(?:dependency|parent|plugin)>", text, re.DOTALL):
        own = re.sub(r"<(exclusions|configuration|executions)>.*?</\1>", "", block, flags=re.DOTALL)
        parts = {tag: value.strip() for tag, value in re.findall(r"<(\w+)>([^<]*)</\1>", own)}
        if parts.get("artifactId"):
            found[f"{parts.get('groupId', '')}:{parts['artifactId']}".lstrip(":")] = parts.get("version", "")
    return found


def _nuget(text: str) -> Found:
    wanted = r'<Package(?:Reference|Version)\s+Include="([^"]+)"(?:[^>]*?\bVersion="([^"]*)")?'
    return dict(re.findall(wanted, text))


def _gradle(text: str) -> Found:
    found: Found = {}
    calls = (
        r"^\s*\w*(?:[iI]mplementation|[aA]pi|[cC]ompile\w*|[rR]untimeOnly|[aA]nnotationProcessor|classpath|kapt|ksp)"
    )
    for match in re.finditer(calls + r"""\s*\(?\s*["']([^"':]+:[^"':]+)(?::([^"']*))?["']""", text, re.MULTILINE):
        found[match[1]] = match[2] or ""
    for name, version in re.findall(r"""\bid\s*\(?["']([\w.-]+)["']\)?\s+version\s+["']([^"']+)["']""", text):
        found[name] = version
    return found


def _gemfile(text: str) -> Found:
    found: Found = {}
    for match in re.finditer(
        r"""^\s*(?:\w+\.add\w*_dependency\(?|gem)\s*\(?["']([^"']+)["']([^#\n]*)""", text, re.MULTILINE
    ):
        found[match[1]] = ", ".join(re.findall(r"""["']([^"']+)["']""", match[2]))
    return found


def _mix(text: str) -> Found:
    return dict(re.findall(r'\{:(\w+),\s*"([^"]*)"', text))


_READERS: Mapping[str, Callable[[str], Found]] = {
    "package.json": _package_json,
    "composer.json": _composer,
    "Cargo.toml": _cargo,
    "pyproject.toml": _pyproject,
    "Pipfile": _pipfile,
    "pubspec.yaml": _pubspec,
    "go.mod": _go_mod,
    "pom.xml": _pom,
    "Gemfile": _gemfile,
    "mix.exs": _mix,
}
