"""A definition whose name says nearly all that is asked for counts for more."""

import pytest

from scoutkit.agents.builtin.indexing.index import open_index
from scoutkit.agents.builtin.indexing.segment import Place
from scoutkit.agents.builtin.ranking import names
from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.ranking.rank import rank
from scoutkit.agents.builtin.ranking.weights import Weights

WORTH = {"prop": 1.0, "valid": 2.0, "command": 1.0, "tabl": 2.0, "defin": 1.0, "retri": 1.0, "option": 2.0, "merg": 3.0}


def told(question, name, kind="function"):
    return names.told(Place(1, 9, kind, name, name), names.asked(understand(question), WORTH))


@pytest.mark.parametrize(
    ("question", "name", "share"),
    [
        ("Where are props validated?", "validateProps", 1.0),
        ("Where are props validated?", "validatePropName", 2 / 3),
        ("Where are props validated?", "validate", 0.0),  # half of it
        ("Where is the command table defined?", "populateCommandTable", 2 / 3),  # `defined` only asks
        ("Where are the options of a prop merged?", "mergeOptions", 5 / 6),
        ("Where are retries?", "retries", 0.0),  # one word names too much
    ],
)
def test_a_name_is_worth_what_it_says_of_the_question_and_less_for_what_it_says_beside_it(question, name, share):
    assert told(question, name) == pytest.approx(share)


@pytest.mark.parametrize("kind", ["block", "section", "test"])
def test_only_definitions_have_such_names(kind):
    assert told("Where are props validated?", "validateProps", kind) == 0.0


def test_the_definition_comes_before_a_file_that_only_has_the_words_more_often(store, make, head):
    many = "".join(
        f"int help_{at}(void) {{\n    /* The command table of help. */\n    return table(command);\n}}\n"
        for at in range(2)
    )
    where = make({"src/help.c": many, "src/server.c": "void populateCommandTable(void) {\n    add(all);\n}\n"})
    question = understand("Where is the command table defined?")
    with open_index(store, where, head(where), lambda _: None) as index:
        assert rank(index, question, Weights(told=0.0)).files[0][0] == "src/help.c"
        ranking = rank(index, question)
    assert ranking.files[0][0] == "src/server.c"
    assert ranking.ranges[0].place.name == "populateCommandTable"
