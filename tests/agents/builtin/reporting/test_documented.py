"""Which option is meant where its name does not say it and its comment does; and what an answer says of it."""

import pytest

CONFIG = '''
class ModelConfig(TypedDict, total=False):
    """What a model may be told."""

    extra: str
    """
    Whether to ignore, allow, or forbid extra data. Defaults to `'ignore'`.

    With `'forbid'`, fields that nobody knows are an error.
    """

    frozen: bool
    """Whether models can be changed, defaults to True where nothing else is said of them."""

    door: int
    """How many doors there are. Drawers default to 7."""

    cached: bool
    """See `<cache>` for what it is that caches drawers."""
'''
PLUGIN = """
class Plugin:
    def __init__(self, init_forbid_extra=False):
        self.init_forbid_extra = init_forbid_extra


def made(plugin):
    return plugin.init_forbid_extra
"""
TABLE = (
    "config table[] = {\n"
    '    createIntConfig("maxdrawers", NULL, M, 0, 9, server.maxdrawers, 7, NULL),\n};\n\n'
    "struct drawer_options {\n\tint depth; /* How deep a drawer is at most. */\n"
    "\tint drawer_width; /* What it takes to pull one */\n};\n"
)
FILES = {"shop/config.py": CONFIG, "shop/plugin.py": PLUGIN, "src/config.c": TABLE}


@pytest.fixture
def shop(make):
    return make(FILES)


def test_the_comment_is_told_with_its_place_and_the_default_that_it_says(look, shop):
    looked = look(shop, "Which setting forbids extra fields?")
    assert looked.doubts == []
    first = looked.found.settings[0]
    assert (first.owner, first.name, first.cited.path, first.cited.start) == (
        "ModelConfig",
        "extra",
        "shop/config.py",
        5,
    )
    said = "Whether to ignore, allow, or forbid extra data"
    line = "`extra` of `ModelConfig` at `shop/config.py:5`, `'ignore'` by default"
    assert f"\n\n{line}: {said}" in looked.text
    assert f"- {line}; told at `shop/config.py:7`: {said}\n" in looked.section("Settings")
    assert looked.text.startswith("# Which setting forbids extra fields? ModelConfig.extra in shop/config.py\n")


def test_a_default_that_depends_on_something_is_none(look, shop):
    first = look(shop, "Which setting says whether models can be changed?").found.settings[0]
    assert (first.name, first.default) == ("frozen", "")
    first = look(shop, "Which setting says how many doors there are?").found.settings[0]
    assert (first.name, first.default) == ("door", "")


def test_what_a_report_cannot_say_is_not_said(look, shop):
    looked = look(shop, "Which setting caches drawers?")
    assert (looked.found.settings[0].name, looked.found.settings[0].said) == ("cached", "")
    assert looked.doubts == []


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which setting is the maximum of drawers?", "maxdrawers"),  # a key that has all of it in its name
        ("Which setting says how deep a drawer is?", "depth"),
        ("Which setting is the width of a drawer?", "drawer_width"),
    ],
)
def test_the_one_that_has_more_of_the_question_comes_first(look, shop, question, name):
    looked = look(shop, question)
    assert looked.doubts == []
    assert looked.found.settings[0].name == name


def test_a_field_is_no_flag(look, shop):
    said = look(shop, "Which flag pulls drawers?").text.split("\n\n")[1]
    assert said.startswith("No flag that fits was found; perhaps `drawer_width` of `drawer_options` at")
    assert not any(one.owner for one in look(shop, "Which flag pulls the bell of the drawer?").found.settings)
