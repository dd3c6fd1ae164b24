"""Without Jinja2 a template becomes what Jinja2 makes of it, or is left to it."""

from __future__ import annotations

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.model.agents import END_OF_REPORT
from scoutkit.reuse import plain, templates

JINJA = templates.environment(None)
PARTS = [
    "{#- head\n  `x` -#}\n",
    "{# other #}",
    "{{ a }}",
    "{{ b }}",
    "{{ gone }}",
    "{{a}}",
    "{{ a|upper }}",
    "{",
    "}",
    "{{",
]
PARTS += [
    "{% if a %}\n",
    "  {% if b is defined and b %}\n",
    "{% if gone is defined and gone %}\n",
    "{% if a is defined and b %}\n",
]
PARTS += [
    "{% endif %}\n",
    "{% endif %}",
    "{%- endif %}\n",
    "{% else %}\n",
    "{% if gone %}\n",
    "{% if dict is defined and dict %}\n",
]
PARTS += ["words\n", "\n", "  ", " ", "\t", "}}", "%}", "{% if a %}{{ a }}{% endif %}\n", "{{ dict }}", "\r\n"]
VARIABLES = st.fixed_dictionaries(
    {"a": st.sampled_from(["", "x\n", "{{ b }}", "é"]), "b": st.sampled_from(["", "{% if %}"])}
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=9).map("".join), VARIABLES)
def test_what_it_says_is_what_jinja_says(text, variables):
    said = plain.rendered(text, variables)
    if said is not None:
        assert said == JINJA.from_string(text).render(variables)


@pytest.mark.parametrize("notes", [None, "", "```\n{{ question }}\n```"])
@pytest.mark.parametrize("hints", [None, "src/a.py"])
def test_the_prompt_of_a_question_takes_no_jinja(notes, hints):
    text = templates.read(templates.shipped() / "ask.md")
    variables = {"question": "Where?", "repository": "shop", "commit": "3f" * 20, "end_of_report": END_OF_REPORT}
    variables |= {name: value for name, value in (("notes", notes), ("hints", hints)) if value is not None}
    assert plain.rendered(text, variables) == JINJA.from_string(text).render(variables)


def test_what_is_missing_is_jinjas_to_say():
    assert plain.rendered("{{ gone }}", {}) is None
    with pytest.raises(jinja2.UndefinedError):
        JINJA.from_string("{{ gone }}").render()
