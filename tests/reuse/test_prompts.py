import pytest

from scoutkit.errors import UsageError
from scoutkit.model.agents import END_OF_REPORT
from scoutkit.reuse import prompts

VARIABLES = {"question": "Where is {{ the }} cookie signed?", "repository": "shop", "commit": "3f2a" * 10}


@pytest.fixture
def overrides(tmp_path):
    folder = tmp_path / ".claude" / "scoutkit" / "prompts"
    folder.mkdir(parents=True)
    return folder


def render(overrides, text, **variables):
    (overrides / "ask.md").write_text(text)
    return prompts.render("ask", {**VARIABLES, **variables}, overrides=overrides)


def test_the_question_stands_in_the_prompt_as_it_was_asked():
    text = prompts.render("ask", VARIABLES)

    assert "\nWhere is {{ the }} cookie signed?\n" in text
    assert "`shop`" in text
    assert "3f2a" * 10 in text
    assert "{#" not in text
    assert "{{ question" not in text


def test_the_prompt_asks_for_what_the_note_is_made_of():
    text = prompts.render("ask", VARIABLES)

    for part in (
        "`path:start-end`",
        "backticks",
        "First line: `# `",
        "Open questions",
        END_OF_REPORT,
        "Change nothing",
    ):
        assert part in text


def test_a_repository_may_replace_a_template_or_add_to_it(overrides):
    assert render(overrides, "Only: {{ question }}\n") == "Only: Where is {{ the }} cookie signed?\n"
    added = render(overrides, '{% include "shipped/ask.md" %}\nMind the {{ area }}.\n', area="shop front")
    assert added == prompts.render("ask", VARIABLES) + "Mind the shop front.\n"


def test_a_folder_without_that_template_changes_nothing(overrides, tmp_path):
    (overrides / "mine.md").write_text("x {{ question }}")

    assert prompts.render("ask", VARIABLES, overrides=overrides) == prompts.render("ask", VARIABLES)
    assert prompts.render("ask", VARIABLES, overrides=tmp_path / "none") == prompts.render("ask", VARIABLES)
    assert prompts.render("mine", {"question": 7}, overrides=overrides) == "x 7"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("one\n{{ nope }}", 2, "needs a variable: nope"),
        ("{% if question %}\n{{ nope }}\n{% endif %}", 2, "needs a variable: nope"),
        ("one\n{{ question.nope }}", 2, "nope"),
        ("one\n\n{% if %}", 3, "template syntax"),
        ("{% for x in question %}", 1, "template syntax"),
        ("one\n{{ question|nosuch }}", 2, "No filter named 'nosuch'"),
        ("\n{{ 1 / 0 }}", 2, "ZeroDivisionError"),
        ("{{ question() }}", 1, "TypeError"),
        ("{% include 'ask.md' %}", 1, "includes itself"),
        ("{% include 'none.md' %}", 1, "no template to include: none.md"),
        ("{% include '../../../secret.md' %}", 1, "no template to include"),
        ("{{ question.__class__.__mro__ }}", 1, "unsafe"),
        ("{{ ''.format.__globals__ }}", 1, "unsafe"),
    ],
)
def test_a_template_that_cannot_be_rendered_is_named_with_its_line(overrides, text, line, words):
    (overrides.parents[2] / "secret.md").write_text("secret")

    with pytest.raises(UsageError) as caught:
        render(overrides, text)

    assert caught.value.message.startswith(f"{overrides / 'ask.md'}:{line}: ")
    assert words in caught.value.message
    assert caught.value.hint


def test_a_missing_variable_of_a_template_that_ships_is_named():
    with pytest.raises(UsageError, match=r"ask\.md:\d+: the template needs a variable: commit") as caught:
        prompts.render("ask", {"question": "x", "repository": "y"})
    assert caught.value.hint == "given: question, repository"


@pytest.mark.parametrize("name", ["aks", "../ask", "ask.md", "", "shipped/ask", "/etc/passwd"])
def test_only_templates_can_be_named(name, overrides):
    with pytest.raises(UsageError, match="no prompt template") as caught:
        prompts.render(name, VARIABLES, overrides=overrides)
    assert "ask" in caught.value.hint


def test_an_override_that_is_blank_no_text_or_a_link_out_is_refused(overrides, tmp_path):
    with pytest.raises(UsageError, match="renders to nothing"):
        render(overrides, "{# nothing #}\n")
    (overrides / "ask.md").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"ask\.md is not UTF-8"):
        prompts.render("ask", VARIABLES, overrides=overrides)
    (overrides / "ask.md").unlink()
    (tmp_path / "private.md").write_text("private")
    (overrides / "ask.md").symlink_to(tmp_path / "private.md")
    with pytest.raises(UsageError, match="link that leads out"):
        prompts.render("ask", VARIABLES, overrides=overrides)
