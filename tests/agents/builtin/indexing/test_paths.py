import pytest

from scoutkit.agents.builtin.indexing.paths import Role, role_of


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/app.py", Role.SOURCE),
        ("src/flask/testing.py", Role.SOURCE),
        ("pkg/cmd/release/release.go", Role.SOURCE),
        ("history.py", Role.SOURCE),
        ("contrib/lib/contest.rb", Role.TOOL),
        ("sinatra-contrib/lib/sinatra/contrib/all.rb", Role.SOURCE),
        ("tests/test_app.py", Role.TEST),
        ("pkg/app_test.go", Role.TEST),
        ("src/app.spec.ts", Role.TEST),
        ("src/main/AppTest.java", Role.TEST),
        ("pkg/manager_mock.go", Role.TEST),
        ("spec/app_spec.rb", Role.TEST),
        ("test/fixtures/a/input.js", Role.FIXTURE),
        ("pkg/testdata/x.txt", Role.FIXTURE),
        ("node_modules/a/index.js", Role.VENDORED),
        ("deps/lua/src/lua.c", Role.VENDORED),
        ("dist/app.js", Role.GENERATED),
        ("web/app.min.js", Role.GENERATED),
        ("yarn.lock", Role.GENERATED),
        ("types/app.d.ts", Role.TYPES),
        ("CHANGELOG.md", Role.RECORD),
        ("LICENSE-MIT", Role.RECORD),
        ("docs/index.rst", Role.DOCUMENT),
        ("docs/tutorial/tests.rst", Role.DOCUMENT),
        ("README.md", Role.DOCUMENT),
        ("_examples/rest/main.go", Role.EXAMPLE),
        ("src/compat.py", Role.OLD),
        (".github/workflows/ci.yml", Role.TOOL),
    ],
)
def test_what_a_file_is_for_is_told_by_its_path(path, role):
    assert role_of(path) is role
