"""A message pasted from the program is found where it is made."""

import pytest

from scoutkit.agents.builtin.ranking.verbatim import literals

MESSAGE = "The oven is configured to refuse loaves while its door stands open"
FILES = {
    "src/oven.c": (
        "/* Ovens. */\n\nvoid startOven(struct oven *one) {\n    one->heat = 1;\n"
        f'    one->refused = makeText("-NO {MESSAGE} (limit %d of %d).\\r\\n", 1, 2);\n    one->loaves = 0;\n}}\n'
    ),
    "src/door.c": (
        "/* Whether its door stands open. */\nint doorStandsOpen(struct oven *oven) {\n    return oven->door;\n}\n\n"
        "/* The oven refuses loaves: its door stands open. */\nvoid refuseLoaves(struct oven *oven) {\n"
        "    ovenConfigured(oven);\n    loavesRefused(oven);\n}\n"
    ),
    "src/flour.c": "int flour(void) {\n    return 1;\n}\n",
    "tests/oven_test.c": f'void test_oven(void) {{\n    expect("{MESSAGE}");\n}}\n',
}


@pytest.mark.parametrize(
    "question",
    [
        f"Where does '{MESSAGE}' come from?",
        f'What says "{MESSAGE[4:45]}" and why is the door refused?',
        MESSAGE,
        f"ERROR: {MESSAGE.upper()} (limit 7 of 12).",
        f"Why do I see that {MESSAGE}?",
    ],
)
def test_quoted_or_pasted_it_is_found_at_its_line(look, make, question):
    looked = look(make(FILES), question)
    first = looked.found.ranking.ranges[0]
    assert (first.path, first.place.start, first.place.end) == ("src/oven.c", 5, 5)
    assert MESSAGE[4:45] in first.text
    assert looked.doubts == []
    assert "` at `src/oven.c:5`: it holds this text, in `startOven`" in looked.text


@pytest.mark.parametrize(
    "said", ["OvenException", "shop.oven.OvenError", "java.net.ClosedWarning", "[E1] shop::StandsError"]
)
def test_a_short_message_behind_the_name_of_an_error_is_found_without_it(look, make, said):
    first = look(make(FILES), f"{said}: configured to refuse loaves").found.ranking.ranges[0]
    assert (first.path, first.place.start, first.text) == ("src/oven.c", 5, "configured to refuse loaves")


def test_a_placeholder_stands_for_what_the_program_put_there(look, make):
    made = (
        'fun check(level: Int) {\n    error("Wanted level 21 of the oven but it was ${"$"}{level} today")\n}\n'.replace(
            '${"$"}', "$"
        )
    )
    where = make({"src/a.kt": made, "src/b.kt": "/** The wanted oven level today. */\nfun level() = 21\n"})
    first = look(where, "Wanted level 23 of the oven but it was hot enough for today").found.ranking.ranges[0]
    assert (first.path, first.place.start) == ("src/a.kt", 2)


@pytest.mark.parametrize(
    "question",
    [
        "Which oven refuses loaves while it is open?",
        "What does `refuseLoaves` do in `oven.door.stands_open`?",
        "the oven's door",
    ],
)
def test_an_ordinary_question_is_ranked_as_it_was(look, make, question):
    assert not any(one.text for one in look(make(FILES), question).found.ranking.ranges)


def test_only_what_has_several_words_is_looked_for():
    assert literals("Where is 'not found'?") == literals("`get_user_name`") == ()
    assert [one.words[:2] for one in literals("redis says: can't save in background")] == [("can", "t")]
