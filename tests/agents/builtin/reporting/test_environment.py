"""Which environment variable a question means: read by its name, through a constant, or only told of in a help text."""

import pytest

FILES = {
    "main.go": (
        'package shop\n\nconst (\n\ttillToken = "SHOP_TOKEN"\n\tplain = "NOT_ONE"\n)\n\n'
        "// token lets the till talk to the bank.\nfunc token() string {\n\treturn os.Getenv(tillToken)\n}\n\n"
        'func quiet() bool {\n\t_, found := os.LookupEnv("SHOP_NO_BELL")\n\treturn found\n}\n\n'
        'func bell() string {\n\treturn os.Getenv("SHOP_BELL")\n}\n'
    ),
    "help.go": (
        "package shop\n\nvar topic = `\nEnvironment variables that can be used with shop:\n\n"
        "%[1]sSHOP_EDITOR%[1]s, %[1]sEDITOR%[1]s (in order of precedence): the editor for receipts.\n\n"
        "%[1]sSHOP_CONFIG_DIR%[1]s: the directory where shop keeps its configuration files.\n`\n"
    ),
    "cli.c": (
        '#define SHOP_AUTH_ENV "SHOPCLI_AUTH"\n#define SHOP_RC_ENV "SHOPCLI_RC"\n\n'
        "void usage(void) {\n"
        '    puts("Use the " SHOP_AUTH_ENV " variable to pass the password of the till more safely");\n}\n\n'
        "char *auth(void) {\n    return getenv(SHOP_AUTH_ENV);\n}\n"
    ),
    "shop.js": "const slow = process.env.SHOP_DELAY || 20\n",
    "shop.py": 'import click\n\n@click.option("--till", envvar="SHOP_TILL")\ndef open_till(till):\n    return till\n',
    "docs/shop.rst": (
        "Environment Variables\n=====================\n\n.. envvar:: SHOP_THEME\n\n"
        "    Colors of the window.\n\n.. envvar:: SHOP_LOCALE\n\n    Language of the receipts.\n"
    ),
}
ASKED = {
    "Which environment variable sets the token of the till?": ("SHOP_TOKEN", "main.go", 4),
    "Which environment variable turns off the bell?": ("SHOP_NO_BELL", "main.go", 14),
    "Which environment variable sets the bell?": ("SHOP_BELL", "main.go", 19),
    "Which environment variable sets the editor?": ("SHOP_EDITOR", "help.go", 6),
    "Which environment variable sets the config directory?": ("SHOP_CONFIG_DIR", "help.go", 8),
    "Which env var sets the password?": ("SHOPCLI_AUTH", "cli.c", 1),
    "Which environment variable sets the delay?": ("SHOP_DELAY", "shop.js", 1),
    "What environment variable chooses the till to open?": ("SHOP_TILL", "shop.py", 3),
    "Which environment variable sets the colors of the window?": ("SHOP_THEME", "docs/shop.rst", 4),
}


@pytest.fixture
def shop(make):
    return make(FILES)


@pytest.mark.parametrize(("question", "variable"), ASKED.items())
def test_the_variable_that_is_meant_comes_first(look, shop, question, variable):
    looked = look(shop, question)
    first = looked.found.settings[0]
    assert looked.doubts == []
    assert (first.name, first.cited.path, first.cited.start) == variable
    assert first.kind == "environment variable"
    assert f"{first.shown} (environment variable) at {first.place}" in looked.text.split("\n\n")[1]


def test_a_help_text_says_what_it_is_for_and_its_name_is_no_code_where_signs_run_into_it(look, shop):
    text = look(shop, "Which environment variable sets the editor?").section("Settings")
    said = "SHOP_EDITOR (environment variable) at `help.go:6` (`editor`): the editor for receipts"
    assert f"- {said}\n" in text


def test_one_that_is_read_through_a_constant_is_told_with_that(look, shop):
    text = look(shop, "Which environment variable sets the token of the till?").section("Settings")
    assert "- `SHOP_TOKEN` (environment variable, kept in `tillToken`) at `main.go:4`; used at `main.go:10`" in text


def test_a_word_in_another_spelling_is_not_missed(look, shop):
    text = look(shop, "Which environment variable sets the colour of the bell?").text
    assert "Nowhere in this code: colour" in text
    text = look(shop, "Which environment variable sets the editer?").text
    assert "SHOP_EDITOR" in text
    assert "Nowhere" not in text


def test_where_none_fits_it_says_so(look, shop):
    text = look(shop, "Which environment variable limits the number of customers?").text
    assert "SHOP_" not in text.split("\n\n")[1].partition(";")[0]


def test_another_kind_of_setting_is_not_told_as_a_variable(look, make):
    files = {"shop.py": 'parser.add_argument("--max-customers", default=20)\n\ndef admit(max_customers):\n    pass\n'}
    looked = look(make(files), "Which environment variable limits the customers?")
    assert looked.doubts == []
    told = looked.text.split("\n\n")[1]
    assert "No environment variable that fits was found; perhaps `--max-customers` (flag) at `shop.py:1`" in told
