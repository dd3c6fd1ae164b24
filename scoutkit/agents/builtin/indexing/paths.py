"""What a file is for, by its path: source, test, fixture, document, somebody else's code."""

from __future__ import annotations

import re
from enum import StrEnum

VERSION = 4  # of the rules: what they say is kept with each tree


class Role(StrEnum):
    """Kept as one letter a path."""

    SOURCE = "s"
    TEST = "t"
    FIXTURE = "f"  # what tests read: not worth parsing
    VENDORED = "v"
    GENERATED = "g"
    DOCUMENT = "d"
    TYPES = "y"  # declarations of what is written elsewhere
    EXAMPLE = "e"
    TOOL = "o"
    OLD = "x"
    RECORD = "r"  # changelogs, licences, lists of people


_PROSE = r"(?:\.(?:md|rst|txt|adoc|html))?$"
_RULES = {  # the first that fits
    Role.FIXTURE: (
        r"(?:^|/)(?:__)?(?:fixtures?|testdata|test-data|test_data|snapshots?|golden|cassettes)(?:__)?/",
        r"\.snap$",
    ),
    Role.VENDORED: (
        r"(?:^|/)(?:node_modules|vendor(?:ed)?|_vendor|third[-_]?party|bower_components|deps|external|extern)/",
    ),
    Role.GENERATED: (
        r"(?:^|/)(?:dist|generated|gen|_build|\.yarn)/",
        r"\.min\.(?:js|css)$|[._-](?:pb|pb2|generated|gen)\.|_pb2\.py$",
        r"\.(?:map|lock|svg|csv|tsv|po|pot|mo|ipynb|patch|diff|log)$",
        r"(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum|npm-shrinkwrap\.json|.*\.lock\.json)$",
    ),
    Role.RECORD: (
        rf"(?:^|/)(?:changes|changelog|history|news|releases?|licen[cs]e|copying|notice)(?:[-_][^/.]*)?{_PROSE}",
        rf"(?:^|/)(?:authors|contributors|maintainers|governance|code_of_conduct|security|sponsors|backers){_PROSE}",
        r"(?:^|/)(?:changelogs?|\.changeset)/",
    ),
    Role.DOCUMENT: (r"\.(?:md|mdx|rst|adoc|txt|markdown)$",),
    Role.TEST: (
        r"(?:^|/)(?:tests?|specs?|__tests__|e2e|testing|test[-_]suite|\w+[-_]tests?|tests?[-_]\w+|cypress)/",
        r"(?:^|/)(?:test_[^/]*|tests?|conftest)\.\w+$",
        r"[._-](?:tests?|specs?|spec-d|test-d|e2e|bench)\.\w+$",
        r"(?:^|/)\w*(?:Tests?|Spec|IT)\.(?:java|kt|scala|cs|swift|php|groovy)$",
        r"(?:^|/)(?:__mocks__|mocks?|fakes?|stubs?)(?:/|\.\w+$)",
        r"(?:^|[/_.-])(?:mock|fake|stub)[_.-]|[_.-](?:mocks?|fakes?|stubs?)\.\w+$",
    ),
    Role.TYPES: (r"\.d\.[cm]?ts$|\.pyi$|\.rbi$",),
    Role.EXAMPLE: (r"(?:^|/)_?(?:examples?|samples?|demos?|tutorials?|playground|benchmarks?|bench)/",),
    Role.OLD: (r"(?:^|/)(?:deprecated|legacy|compat|obsolete|old)(?:/|\.\w+$)",),
    Role.TOOL: (r"(?:^|/)(?:scripts?|tools?|ci|\.github|\.circleci|hack|devtools|packaging)/|^contrib/",),
}
_BUILT = r"c|cc|cpp|cs|cxx|go|h|hpp|java|kt|rs|scala|swift"  # a package of these may be named doc
_RULES_LATE = {
    Role.DOCUMENT: (
        rf"^(?:docs?|website)/(?!.*\.(?:{_BUILT})$)",
        rf"(?<!src)(?<!lib)/(?:docs?|website)/(?!.*\.(?:{_BUILT})$)",
    )
}
_COMPILED = [
    (role, re.compile("|".join(rules), re.IGNORECASE if role is not Role.TEST else 0))
    for table in (_RULES, _RULES_LATE)
    for role, rules in table.items()
]


def role_of(path: str) -> Role:
    """What a file is for."""
    return next((role for role, rule in _COMPILED if rule.search(path)), Role.SOURCE)


WORDS = {
    Role.TEST: {"test", "tests", "testing", "tested", "spec", "unittest", "测试", "テスト"},
    Role.FIXTURE: {"fixture", "fixtures", "test", "tests", "snapshot"},
    Role.DOCUMENT: {"doc", "docs", "documentation", "documented", "readme", "guide", "manual", "文档"},
    Role.TYPES: {"type", "types", "typing", "typescript", "declaration", "declarations", "interface"},
    Role.EXAMPLE: {"example", "examples", "sample", "demo", "tutorial", "benchmark", "benchmarks"},
    Role.TOOL: {"script", "scripts", "ci", "workflow", "release", "tool", "tools", "packaging"},
    Role.OLD: {"deprecated", "deprecation", "legacy", "compat", "compatibility", "backwards"},
    Role.VENDORED: {"vendor", "vendored", "dependency", "bundled"},
    Role.GENERATED: {"generated", "lock", "lockfile", "build"},
    Role.RECORD: {"changelog", "licence", "license", "history", "release", "contributors", "authors"},
}
"""What a question says when it means such files."""
