"""How a report says it: its title, what it says once, and what it leaves out of other people's headings."""

import pytest

from scoutkit.agents.builtin.reporting.beside import plain_title

POOL = "def evict_pooled(connection):\n    # idle connections are closed\n    connection.close()\n"
LONG = "How are pooled connections closed when they have been idle for very much longer than is allowed here?"


@pytest.mark.parametrize(
    ("question", "title"),
    [
        (LONG, f"# {LONG}"),
        (f"How are pooled connections closed, {LONG[4:]}", "# How are pooled connections closed:"),
        ("TypeError: a pooled connection was closed", "# TypeError: a pooled connection was closed:"),
    ],
)
def test_a_title_keeps_the_question_or_its_first_clause(look, make, question, title):
    assert look(make({"src/pool.py": POOL}), question).text.splitlines()[0].startswith(title)


@pytest.mark.parametrize(
    ("message", "title"),
    [
        (
            "[pool warn]: Idle pooled connections were all closed for <{name}>. ",
            "Idle pooled connections were all closed for",
        ),
        ("[E42] Idle pooled connections were all closed: ", "Idle pooled connections were all closed"),
        (
            "Idle pooled connections of *all* kinds [and names] were closed. ",
            "Idle pooled connections of all kinds and",
        ),
    ],
)
def test_a_pasted_message_is_called_by_its_first_words(look, make, message, title):
    said = f"{message}This means that nobody asked for one of them for very much longer than is allowed here"
    code = f'def evict(name):\n    warn("{said}")\n'
    looked = look(make({"src/pool.py": code}), said.replace("{name}", "Main"))
    assert looked.doubts == []
    assert looked.text.splitlines()[0].startswith(f"# {title}")


def test_what_else_has_a_name_is_said_once(look, make):
    files = {f"src/{name}.py": f"def settle_all():\n    return '{name}'\n" for name in ("job", "cart", "order")}
    text = look(make({**files, "src/use.py": "def run():\n    settle_all()\n"}), "What calls settle_all?").text
    assert text.count("Others are named `settle_all` too") == 1


def test_a_heading_of_badges_is_told_by_their_words():
    badge = "[![build](https://example.org/build.svg)](https://example.org/ci)"
    assert plain_title(f"Pool {badge}") == "Pool build"
    assert plain_title("[Connections](https://example.org/connections)") == "Connections"
    assert len(plain_title(" ".join([badge] * 60))) <= 80


def test_a_document_that_only_quotes_the_question_is_no_evidence(look, make):
    asked = "How are pooled connections evicted?"
    readme = f'# Pool\n\n## Try it\n\n    ask "{asked}"\n\nconnections pooled evicted\n'
    other = "# Pool\n\n## Eviction\n\nPooled connections are evicted when idle.\n"
    looked = look(make({"src/pool.py": POOL, "README.md": readme, "docs/pool.md": other}), asked)
    assert "README.md" not in looked.text
    assert "`docs/pool.md:3` `Eviction`" in looked.text


def test_a_document_that_shares_only_common_words_is_left_out(look, make):
    common = {f"src/part{at}.py": f"def server_test{at}(server):\n    return server.test\n" for at in range(12)}
    rare = {"src/pool.py": "def evict_pooled(server):\n    return server.idle\n"}
    docs = {"docs/tags.md": "# Tags\n\nA server test, a test of the server.\n"}
    text = look(make({**common, **rare, **docs}), "How does the server test evict pooled?").text
    assert "src/pool.py" in text
    assert "docs/tags.md" not in text


def test_one_file_is_no_files(look, make):
    text = look(make({"src/pool.py": POOL}), "zygomorphic").text
    assert "The only file does not hold these words" in text
