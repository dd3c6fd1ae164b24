"""Dependencies before and after, manifest by manifest."""

from __future__ import annotations

import contextlib

import pytest

from scoutkit.harvest.dependencies import compared, manifest

CASES = {
    "package.json": ('{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "2"}, "devDependencies": {"b": "^1"}}'),
    "web/composer.json": ('{"require": {"a": "1"}}', '{"require": {"a": "2", "b": "^1"}}'),
    "Cargo.toml": ('[dependencies]\na = "1"\n', '[dependencies]\na = { version = "2" }\nb = "^1"\n'),
    "pyproject.toml": (
        '[project]\ndependencies = ["a 1"]\n',
        '[project]\ndependencies = ["a 2"]\n[dependency-groups]\ndev = ["b ^1"]\n',
    ),
    "requirements-dev.txt": ("a 1 # why\n-r other.txt\n", "a 2\nb ^1\n"),
    "go.mod": ("module m\nrequire a.b/a v1\n", "module m\nrequire (\n\ta.b/a v2\n\ta.b/b v1 // indirect\n)\n"),
    "pom.xml": (
        "<dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency>",
        "<dependency><groupId>g</groupId><artifactId>a</artifactId><version>2</version></dependency>"  # noqa: ISC004
        "<dependency><groupId>g</groupId><artifactId>b</artifactId><version>1</version></dependency>",
    ),
    "Gemfile": ('gem "a", "1"\n', "gem 'a', '2'\ngem \"b\"\n"),
    "build.gradle.kts": ('implementation("g:a:1")', 'implementation("g:a:2")\n    testImplementation("g:b:1")'),
    "App.csproj": (
        '<PackageReference Include="a" Version="1" />',
        '<PackageReference Include="a" Version="2" /> <PackageReference Include="b" Version="1" />',
    ),
    "pubspec.yaml": ("dependencies:\n  a: '1'\n", "dependencies:\n  a: '2'\n  b: ^1\n"),
    "Pipfile": ('[packages]\na = "1"\n', '[packages]\na = "2"\nb = "*"\n'),
    "mix.exs": ('{:a, "1"}', '{:a, "2"}, {:b, "1"}'),
}


@pytest.mark.parametrize("path", CASES)
def test_a_version_that_moved_and_a_dependency_that_came_are_seen(path):
    before, after = CASES[path]
    moved, came = compared(path, before, after)
    assert moved.name.endswith("a")
    assert (moved.before, moved.after) == (("v1", "v2") if path == "go.mod" else ("1", "2"))
    assert came.name.endswith("b")
    assert not came.before
    assert came.after
    assert moved.manifest == path


def test_a_manifest_that_is_gone_lost_all_and_other_files_are_none():
    assert [(one.name, one.after) for one in compared("package.json", CASES["package.json"][0], None)] == [("a", "")]
    assert manifest("src/app.py") is None
    assert compared("src/app.py", "a", "b") == []


@pytest.mark.parametrize("path", ["package.json", "pyproject.toml", "pubspec.yaml"])
@pytest.mark.parametrize("text", ["{", "[1, 2", "\x00", '{"dependencies": [1]}'])
def test_a_broken_manifest_is_a_value_error_or_nothing(path, text):
    with contextlib.suppress(ValueError):
        compared(path, None, text)
