"""What a file is for, by its path: source, test, fixture, document, somebody else's code."""

from __future__ import annotations

import re
from enum import StrEnum


class Role(StrEnum):
    """Kept as one letter a path."""

    SOURCE = "s"
    TEST = "t"
    FIXTURE = "f"  # what tests read: not worth parsing
    VENDORED = "v"
    GENERATED = "g"
    DOCUMENT = "d"
    EXAMPLE = "e"
    TOOL = "o"
    OLD = "x"
    RECORD = "r"  # changelogs, licences, lists of people


_RULES = (
    (Role.FIXTURE, r"(?:^|/)(?:__)?(?:fixtures?|testdata|test-data|test_data|snapshots?|golden|cassettes)(?:__)?/|\.snap$"),
    (
        Role.VENDORED,
        r"(?:^|/)(?:node_modules|vendor(?:ed)?|_vendor|third[-_]?party|bower_components|deps|external|extern)/",
    ),
    (
        Role.GENERATED,
        r"(?:^|/)(?:dist|generated|gen|_build|\.yarn)/|\.min\.(?:js|css)$|[._-](?:pb|pb2|generated|gen)\."
        r"|\.(?:map|lock|svg|csv|tsv|po|pot|mo|ipynb|patch|diff|log)$|_pb2\.py$|(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml"
        r"|go\.sum|npm-shrinkwrap\.json|.*\.lock\.json)$",
    ),
    (
        Role.RECORD,
        r"(?:^|/)(?:changes|changelog|history|news|releases?|authors|contributors|maintainers|licen[cs]e|copying|notice"
        r"|governance|code_of_conduct|security|sponsors|backers)(?:[-_][^/.]*)?(?:\.(?:md|rst|txt|adoc|html))?$|(?:^|/)(?:changelogs?|\.changeset)/",
    ),
    (Role.DOCUMENT, r"\.(?:md|mdx|rst|adoc|txt|markdown)$"),
    (
        Role.TEST,
        r"(?:^|/)(?:tests?|specs?|__tests__|__mocks__|e2e|testing|test[-_]suite|\w+[-_]tests?|tests?[-_]\w+|cypress)/"
        r"|(?:^|/)(?:test_[^/]*|tests?|conftest)\.\w+$|[._-](?:tests?|specs?|spec-d|test-d|e2e|bench)\.\w+$"
        r"|(?:^|/)\w*(?:Tests?|Spec|IT)\.(?:java|kt|scala|cs|swift|php|groovy)$|(?:^|/)(?:mocks?|fakes?|stubs?)(?:/|\.\w+$)|(?:^|[/_.-])(?:mock|fake|stub)[_.-]|[_.-](?:mocks?|fakes?|stubs?)\.\w+$",
    ),
    (Role.EXAMPLE, r"(?:^|/)_?(?:examples?|samples?|demos?|tutorials?|playground|benchmarks?|bench)/"),
    (Role.OLD, r"(?:^|/)(?:deprecated|legacy|compat|obsolete|old)(?:/|\.\w+$)"),
    (Role.TOOL, r"(?:^|/)(?:scripts?|tools?|ci|\.github|\.circleci|hack|devtools|packaging)/|^contrib/"),
    (Role.DOCUMENT, r"(?:^|/)(?:docs?|website)/"),
)
_COMPILED = [
    (role, re.compile(rule, re.IGNORECASE if role is not Role.TEST else 0)) for role, rule in _RULES
]


def role_of(path: str) -> Role:
    """What a file is for."""
    return next((role for role, rule in _COMPILED if rule.search(path)), Role.SOURCE)


WORDS = {
    Role.TEST: {"test", "tests", "testing", "tested", "spec", "unittest", "测试", "テスト"},
    Role.FIXTURE: {"fixture", "fixtures", "test", "tests", "snapshot"},
    Role.DOCUMENT: {"doc", "docs", "documentation", "documented", "readme", "guide", "manual", "文档"},
    Role.EXAMPLE: {"example", "examples", "sample", "demo", "tutorial", "benchmark", "benchmarks"},
    Role.TOOL: {"script", "scripts", "ci", "workflow", "release", "tool", "tools", "packaging"},
    Role.OLD: {"deprecated", "deprecation", "legacy", "compat", "compatibility", "backwards"},
    Role.VENDORED: {"vendor", "vendored", "dependency", "bundled"},
    Role.GENERATED: {"generated", "lock", "lockfile", "build"},
    Role.RECORD: {"changelog", "licence", "license", "history", "release", "contributors", "authors"},
}
"""What a question says when it means such files."""
