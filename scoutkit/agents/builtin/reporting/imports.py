"""What a file calls what it imports: which module a name or an alias in it stands for, read from the import lines."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from scoutkit.symbols import language_of

_MOST = 60_000  # characters of a file that are looked at: imports stand at its beginning
_SCRIPT = frozenset({"javascript", "tsx", "typescript", "vue", "svelte"})
_JVM = frozenset({"java", "kotlin", "scala"})
_FROM = re.compile(r"^[^\S\n]*from\s+(\.*[\w.]*)\s+import\s+(?:\(([^()]*)\)|([^\n(]+))", re.MULTILINE)
_IMPORT = re.compile(r"^[^\S\n]*import\s+([\w., ]+)$", re.MULTILINE)
_GO = re.compile(
    r"^[^\S\n]*(?:import[^\S\n]+)?(?:([A-Za-z_]\w*)[^\S\n]+)?\"([\w./~-]+)\"[^\S\n]*(?://.*)?$", re.MULTILINE
)
_ES = re.compile(
    r"^[^\S\n]*(?:import|export)\s+(?:type\s+)?([^'\";]{1,2000}?)\s+from\s+['\"]([^'\"\n]+)['\"]", re.MULTILINE
)
_REQUIRE = re.compile(
    r"^[^\S\n]*(?:const|let|var)\s+([^=;]{1,2000}?)\s*=\s*require\(['\"]([^'\"\n]+)['\"]\)", re.MULTILINE
)
_RUST = re.compile(r"^[^\S\n]*(?:pub\s+)?use\s+([\w:]+?)::(?:\{([^{}]*)\}|(\w+(?:\s+as\s+\w+)?));", re.MULTILINE)
_CLASS = re.compile(r"^[^\S\n]*import\s+(?:static\s+)?([\w.]+)\.(\w+)(?:\s+as\s+(\w+))?;?[^\S\n]*$", re.MULTILINE)
_VERSION = re.compile(r"v\d+")


def imported(path: str, text: str) -> dict[str, str]:
    """Names in a file, each with the module that it is: its path from the root or the last parts of that, no extension;
    `module:name` where it is something of a module, which may be a module again. Of Python, Go, JavaScript, Rust and
    languages of the JVM; others say less."""
    language, text, own = language_of(path), text[:_MOST], posixpath.dirname(path)
    if language == "python":
        return dict(_python(text, own))
    if language == "go":
        named = ((alias or _last_of(module), module) for alias, module in _GO.findall(text))
        return {name: module for name, module in named if name not in ("", "_")}
    if language in _SCRIPT:
        return dict(_script(text, own))
    if language == "rust":
        return dict(_rust(text))
    if language in _JVM:
        return {(alias or name): f"{package}.{name}".replace(".", "/") for package, name, alias in _CLASS.findall(text)}
    return {}


def among(paths: Iterable[str], module: str, *, itself: bool = False) -> set[str]:
    """Those of some files that can be what `imported` says; with `itself` only where a name is a module, not where it
    is something of one."""
    module, _, name = module.partition(":")
    paths = list(paths)
    named = {path for path in paths if name and _is(path, f"{module}/{name}")}
    return named if named or (name and itself) else {path for path in paths if _is(path, module)}


def _is(path: str, module: str) -> bool:
    """Is a file a module, or in it? The one may know more of the folders above than the other."""
    stem = posixpath.splitext(path)[0]
    folder, _, last = stem.rpartition("/")
    ways = {stem, folder} if last not in ("index", "__init__", "mod", "lib") else {folder}
    return any(way and _ends(way, module) for way in ways)


def _ends(path: str, module: str) -> bool:
    return f"/{path}".endswith(f"/{module}") or f"/{module}".endswith(f"/{path}")


def _python(text: str, own: str) -> Iterator[tuple[str, str]]:
    for module, many, few in _FROM.findall(text):
        dots = len(module) - len(module.lstrip("."))
        base = own
        for _ in range(dots - 1):
            base = posixpath.dirname(base)
        rest = module.lstrip(".").replace(".", "/")
        whole = posixpath.join(base, rest).rstrip("/") if dots else rest
        for one in re.sub(r"#[^\n]*", "", many or few).split(","):
            name, _, alias = (part.strip() for part in one.partition(" as "))
            if name.isidentifier():
                yield alias or name, f"{whole}:{name}"
    for modules in _IMPORT.findall(text):
        for one in modules.split(","):
            module, _, alias = (part.strip() for part in one.partition(" as "))
            if name := alias or module.rpartition(".")[2]:
                yield name, module.replace(".", "/")


def _last_of(module: str) -> str:
    parts = [part for part in module.split("/") if not _VERSION.fullmatch(part)]
    return parts[-1] if parts else ""


def _script(text: str, own: str) -> Iterator[tuple[str, str]]:
    for names, module in (*_ES.findall(text), *_REQUIRE.findall(text)):
        stem = re.sub(r"\.(?:[cm]?[jt]sx?|vue|svelte)$", "", module)
        whole = posixpath.normpath(posixpath.join(own, stem)) if stem.startswith(".") else stem.lstrip("@~/")
        for one in re.split(r"[{},]", names):
            parts = re.split(r"\s+as\s+|:", one.strip())
            name = parts[-1].strip().removeprefix("type ")
            if re.fullmatch(r"[A-Za-z_$][\w$]*", name):
                yield name, whole


def _rust(text: str) -> Iterator[tuple[str, str]]:
    for module, many, few in _RUST.findall(text):
        parts = [part for part in module.split("::") if part not in ("crate", "self", "super")]
        for one in (many or few).split(","):
            name, _, alias = (part.strip() for part in one.partition(" as "))
            if name.isidentifier():
                yield alias or name, f"{'/'.join(parts)}:{name}"
