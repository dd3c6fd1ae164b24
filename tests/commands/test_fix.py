"""check --fix over a real history: every spelling of a citation in one note."""

from __future__ import annotations

import pytest

SIGNING = "src/auth/signing.py"
TEXT = """See {p}:{a} and `{p}:{c}-{d}`, again {p}:{a}; `{p}:{a}-{b},{c}-{d}`.

# Heading of {p}:{a}

- [{label}:{a}]({p}#L{a} "title") and [the signer][1], [{p}:{c}][]
- {p}, lines {a}–{b}, ./{p}#L{c}-L{d}, {p}:{a}:5

| what | where |
|---|---|
| größe | `{p}:{a}` \\| <{p}#L{c}> |

> quoted {p}::sign, {other}:1 and https://github.com/o/r/blob/{commit}/src/auth/signing.py#L12
> with https://github.com/o/r/blob/main/{p}#L{a}-L{b} and https://github.com/o/r/blob/v2.1/src/auth/signing.py#L12

```
src/auth/signing.py:12
```

<p>{p}:{a}</p>

[1]: <{p}#L{a}-L{b}>
[{p}:{c}]: {p}#L{c}
the end, 12 and {p}:{a}"""
OLD = {"p": SIGNING, "label": "signing.py", "other": SIGNING, "a": 12, "b": 14, "c": 16, "d": 18}
LOWER = {**OLD, "a": 14, "b": 16, "c": 18, "d": 20}


@pytest.fixture
def said(repo, git):
    """The text that cites these places."""
    commit = git(repo, "rev-parse", "HEAD").strip()
    return lambda places: TEXT.format(**places, commit=commit)


@pytest.fixture
def note(scoutkit, repo, said):
    return repo / scoutkit("new", "Signing", "--json", stdin=said(OLD)).json["notes"][0]["path"]


@pytest.fixture
def change(repo, git):
    """Change the signing module and commit."""

    def call(old: str, new: str) -> None:
        path = repo / SIGNING
        path.write_text(path.read_text().replace(old, new))
        git(repo, "commit", "-qam", "imports")

    return call


def test_every_spelling_moves_and_no_other_byte_of_the_text(scoutkit, note, said, change):
    before = note.read_text()
    assert said(OLD) in before
    change("import hmac\n", "import hmac\nimport os\nimport sys\n")
    answer = scoutkit("check", "--fix")
    assert answer.code == 0
    left = [line for line in answer.err.splitlines() if line.startswith("not rewritten")]
    assert len(left) == 1
    assert left[0].endswith("/blob/v2.1/src/auth/signing.py#L12")
    after = note.read_text()
    assert after.split("\n---\n")[1] == before.split("\n---\n")[1].replace(said(OLD), said(LOWER))
    assert scoutkit("check", "--fix").code == 0
    assert note.read_text() == after
    change("import os\nimport sys\n", "")
    assert scoutkit("check", "--fix").code == 0
    assert note.read_text() == before


@pytest.mark.parametrize("name", ["lib/sign.py", "lib/größe.py"])
def test_a_renamed_file_is_renamed_in_every_spelling(scoutkit, note, said, repo, git, name):
    before = note.read_text()
    (repo / "lib").mkdir()
    git(repo, "mv", SIGNING, name)
    git(repo, "commit", "-qm", "moved")
    assert scoutkit("check", "--fix").code == 0
    places = {**OLD, "p": name, "label": name, "other": name}
    assert note.read_text().split("\n---\n")[1] == before.split("\n---\n")[1].replace(said(OLD), said(places))
    assert scoutkit("check", "--json").json["held"] == 1


def test_title_and_description_move_and_the_question_stays(scoutkit, note, change):
    head = f"title: Made in {SIGNING}:12  # mine\nquestion: What is {SIGNING}:12?\n"
    note.write_text(note.read_text().replace("title: Signing\n", head))
    assert f"description: See {SIGNING}:12 and {SIGNING}:16-18, again" in note.read_text()
    change("import hmac\n", "import hmac\nimport os\nimport sys\n")
    assert scoutkit("check", "--fix").code == 0
    assert head.replace(":12  #", ":14  #") in note.read_text()
    assert f"description: See {SIGNING}:14 and {SIGNING}:18-20, again" in note.read_text()
    assert scoutkit("list", "--json").json["hits"][0]["title"] == f"Made in {SIGNING}:14"


def test_what_cannot_be_respelled_is_named_with_its_line(scoutkit, repo, git):
    text = f"In {SIGNING}:12.\n\n<p>{SIGNING}:12</p>\n"
    note = repo / scoutkit("new", "Signing", "--json", stdin=text).json["notes"][0]["path"]
    (repo / "my lib").mkdir()
    git(repo, "mv", SIGNING, "my lib/sign.py")
    git(repo, "commit", "-qm", "moved")
    answer = scoutkit("check", "--fix")
    lines = note.read_text().splitlines()
    number = lines.index(f"<p>{SIGNING}:12</p>") + 1
    assert "In `my lib/sign.py`:12." in lines
    name = note.relative_to(repo).as_posix()
    assert f"not rewritten in the text, do it by hand: {name}:{number}: {SIGNING}:12\n" in answer.err
