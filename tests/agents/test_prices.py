import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit.agents.prices import Tokens, cost, plain

COUNT = st.integers(0, 10**9)


def test_what_comes_from_a_cache_counts_once():
    assert cost("gpt-5.5", Tokens(input=1_000_000)) == 5
    assert cost("gpt-5.5", Tokens(input=1_000_000, cached=1_000_000)) == 0.5
    assert cost("gpt-5.5", Tokens(input=1_000_000, cached=400_000, output=1_000_000)) == pytest.approx(33.2)


def test_what_goes_to_a_cache_costs_what_the_table_says_or_as_other_input():
    assert cost("gpt-5.6-sol", Tokens(input=1_000_000, written=1_000_000)) == 6.25
    assert cost("gpt-5.5", Tokens(input=1_000_000, written=1_000_000)) == 5


@given(COUNT, COUNT, COUNT, COUNT)
def test_more_in_the_cache_than_was_read_is_never_counted_twice(read, wrote, cached, written):
    dear = cost("m", Tokens(read, wrote, cached, written), {"m": {"input": 3, "output": 5}})

    assert dear == pytest.approx((read * 3 + wrote * 5) / 1e6)


@pytest.mark.parametrize("model", ["", "gpt", "gpt-5.5-pro", "gpt-5.5.1", "gpt-6", "claude-opus-5-5", "a/b/", "é"])
def test_a_model_that_is_not_in_the_table_has_no_price(model):
    assert cost(model, Tokens(1, 1)) is None


@pytest.mark.parametrize(
    "model",
    [
        *("claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5", "claude-sonnet-4-5@20250929"),
        *("Claude-Sonnet-4-5-latest", "x/y/claude-sonnet-4-5-2025-09-29"),
    ],
)
def test_who_serves_it_and_its_date_do_not_matter(model):
    assert plain(model) == "claude-sonnet-4-5"
    assert cost(model, Tokens(1_000_000)) == 3


def test_the_users_price_counts_more_by_full_name_first():
    theirs = {"gpt-5.5": {"input": 1, "output": 2, "cached": 0.1}, "me/gpt-5.5": {"input": 7, "output": 7}}
    tokens = Tokens(input=1_000_000, cached=500_000)

    assert cost("gpt-5.5", tokens, theirs) == pytest.approx(0.55)
    assert cost("gpt-5.5-2026-04-01", tokens, theirs) == pytest.approx(0.55)
    assert cost("me/gpt-5.5", tokens, theirs) == 7
    assert cost("unheard-of", Tokens(1_000_000), {"unheard-of": {"input": 0, "output": 0}}) == 0


@pytest.mark.parametrize(
    "entry",
    [3, {}, {"input": 1}, {"input": "1", "output": 2}, {"input": -1, "output": 2}, {"input": True, "output": 1}],
)
def test_a_users_price_that_lacks_a_number_says_nothing(entry):
    assert cost("gpt-5.5", Tokens(1_000_000), {"gpt-5.5": entry}) == 5
    assert cost("unheard-of", Tokens(1), {"unheard-of": entry}) is None
