"""Filters of load plans: the spellings models use, and what is left of each."""

import pytest
from tests.loose_json import JsonObject, JsonValue

from yarrow.agents.analyst.loader.load_filters import normalise_filters

# reference, §6: filter normalisation for load plans


@pytest.mark.parametrize(
    ("given", "operator"),
    [
        *(("=", "EQ"), ("==", "EQ"), ("!=", "NEQ"), ("<>", "NEQ")),
        *((">", "GT"), (">=", "GTE"), ("<", "LT"), ("<=", "LTE")),
        *(("CONTAINS", "ILIKE"), ("contains", "ILIKE"), ("LIKE", "ILIKE"), ("ilike", "ILIKE")),
        *(("in", "IN"), ("NOT_IN", "NOT_IN"), ("between", "BETWEEN")),
        *(("FUZZY", "EQ"), (None, "EQ"), (3, "EQ")),
    ],
)
def test_operators_have_one_spelling(given: JsonValue, operator: str) -> None:
    found = normalise_filters([{"column": "x", "operator": given, "value": "v"}])

    assert found == [{"column": "x", "operator": operator, "value": "v"}]


@pytest.mark.parametrize("operator", ["EQ", "LIKE", "ILIKE"])
def test_wildcards_are_taken_out_and_mean_any_place(operator: str) -> None:
    found = normalise_filters([{"column": "brand", "operator": operator, "value": "%奔图%"}])

    assert found == [{"column": "brand", "operator": "ILIKE", "value": "奔图"}]


def test_wildcards_in_other_comparisons_are_only_taken_out() -> None:
    found = normalise_filters([{"column": "a", "operator": "NEQ", "value": "50%"}])

    assert found == [{"column": "a", "operator": "NEQ", "value": "50"}]


@pytest.mark.parametrize("operator", ["IS_NULL", "IS_NOT_NULL"])
def test_a_test_for_nothing_has_no_value(operator: str) -> None:
    found = normalise_filters([{"column": "a", "operator": operator, "value": "x"}])

    assert found == [{"column": "a", "operator": operator}]


@pytest.mark.parametrize(
    "useless",
    [
        {"column": "brand", "operator": "LIKE", "value": "%%"},
        {"operator": "EQ", "value": "x"},
        {"column": "", "operator": "EQ", "value": "x"},
        {"column": 3, "operator": "EQ", "value": "x"},
    ],
)
def test_a_filter_that_says_nothing_is_left_out(useless: JsonObject) -> None:
    kept: JsonObject = {"column": "a", "operator": "EQ", "value": 1}

    assert normalise_filters([useless, "junk", kept]) == [kept]


@pytest.mark.parametrize("given", [None, "bad", {}, 3])
def test_what_is_no_list_is_no_filter(given: JsonValue) -> None:
    assert normalise_filters(given) == []
