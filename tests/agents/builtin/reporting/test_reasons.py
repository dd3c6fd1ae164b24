"""Questions of why are answered by the sentence of a comment that says so, with its very lines."""

import pytest

FILES = {
    "shop/till.py": (
        "class Till:\n"
        '    """Counts the money."""\n\n'
        "    def close(self, lock):\n"
        '        """Close the till at night.\n\n'
        "        The drawer is counted twice. This is needed\n"
        "        because coins stick together.\n"
        '        """\n'
        "        lock.release()\n"
        "        return self.count() + self.count()\n\n"
        "    def sum(self, orders):\n"
        "        # Read the orders in one go.\n"
        "        rows = list(orders)\n"
        "        return sum(rows)  # a copy, otherwise the bank could change it meanwhile\n"
    ),
    "shop/ship.go": (
        "package shop\n\n"
        "// promote moves parcels to the van. Must not be called with the mutex held,\n"
        "// since drivers call back into user code.\n"
        "func promote(parcels []Parcel) {\n\tvan.load(parcels)\n}\n\n"
        "func script() string {\n\treturn `\n# Labels are printed upside down so that the printer\n# does not jam.\n"
        "print labels\n`\n}\n"
    ),
    "shop/ledger.c": (
        "/* The ledger of the shop. */\n"
        "int write_ledger(int row) {\n"
        "    /* We write the ledger row by row.\n"
        "     * A whole page at once is faster, but the __disk of the old till\n"
        "     * cannot hold one, so a page would be torn. */\n"
        "    return row;\n}\n"
    ),
    "shop/price.rb": (
        "class Price\n  # HACK: prices are rounded down as the tax office insists.\n"
        "  def total=(value)\n    @total = value.floor\n  end\nend\n"
    ),
    "shop/Scale.java": (
        "class Scale {\n    /**\n     * Weighs parcels. Parcels are weighed wet, as rain is sold too.\n"
        "     * @throws ScaleError where parcels are weighed on water\n     * @since 4.0 parcels are weighed\n     */\n"
        "    int weigh(int parcels) {\n        return parcels;\n    }\n}\n"
    ),
    "README.md": "# Shop\n\nClosed on Mondays. Gift cards are blue,\nbecause the red ones faded in the window.\n",
}
ASKED = {
    "Why is the drawer counted twice?": ("shop/till.py", 7, 8),
    "Why are the orders copied before they are summed?": ("shop/till.py", 16, 16),
    "Why must promote not be called with a lock held?": ("shop/ship.go", 3, 4),
    "What is the reason that labels are upside down?": ("shop/ship.go", 11, 12),
    "Why is the ledger not written a page at once?": ("shop/ledger.c", 3, 5),
    "Why are prices rounded down?": ("shop/price.rb", 2, 2),
    "Why are gift cards blue?": ("README.md", 3, 4),
}


@pytest.fixture
def shop(make):
    return make(FILES)


@pytest.mark.parametrize(("question", "place"), ASKED.items())
def test_the_comment_that_gives_the_reason_comes_first_with_its_lines(look, shop, question, place):
    looked = look(shop, question)
    first = looked.found.reasons[0]
    assert (first.cited.path, first.cited.start, first.cited.end) == place
    assert looked.doubts == []
    said = looked.text.split("\n\n")[1]
    assert said.startswith(f"`{first.cited.name}` at {first.cited.place}")
    assert looked.section("Why").startswith(f"- {first.cited.place} (`{first.cited.name}`")


def test_of_two_comments_that_answer_as_well_neither_begins_the_report(look, make):
    said = "def {0}(crates):\n    # Crates are {0} in the yard because the lift is slow.\n    return crates\n"
    two = make({f"shop/{name}.py": said.format(name) for name in ("packed", "sealed")})
    looked = look(two, "Why are crates handled in the yard?")
    assert [reason.cited.start for reason in looked.found.reasons] == [2, 2]
    assert looked.text.split("\n\n")[1].startswith("`packed` at `shop/packed.py:1-3`")
    one = look(two, "Why are crates sealed in the yard?")
    assert one.text.split("\n\n")[1].startswith("`Crates` at `shop/sealed.py:2`")


def test_what_could_be_taken_for_markup_is_shown_as_a_block(look, shop):
    section = look(shop, "Why is the ledger not written a page at once?").section("Why")
    assert "```text\n  We write the ledger row by row. A whole page at once is faster, but the __disk of" in section


def test_a_comment_that_has_little_of_the_question_answers_nothing(look, shop):
    looked = look(shop, "Why does the ledger write no checksum into the monthly archive?")
    assert not any(one.sure for one in looked.found.reasons)
    assert "`write_ledger` at `shop/ledger.c:1-7`" in looked.text.split("\n\n")[1]


def test_tags_of_a_documentation_give_no_reason(look, shop):
    told = [one.text for one in look(shop, "Why are parcels weighed wet?").found.reasons]
    assert told[0].endswith("Parcels are weighed wet, as rain is sold too")
    assert not any("@" in text for text in told)


def test_what_no_question_of_why_is_has_no_reasons(look, shop):
    assert look(shop, "Where are prices rounded down?").found.reasons == ()
