"""Filters as reference data-agent.md §8 has them."""

from tests.loose_json import JsonObject

from yarrow.protocols.ndjson.tables.row_filters import parse_filters
from yarrow.tables.model import ContainsFilter, InFilter, RangeFilter


def test_filters_are_read_and_unknown_ones_left_out() -> None:
    given: list[JsonObject] = [
        {"field": "n", "op": "range", "min": 1, "max": 2, "include_nulls": True},
        {"field": "n", "op": "in", "values": [1, None]},
        {"field": "s", "op": "contains", "value": "x%"},
        {"field": "s", "op": "sounds like", "value": "x"},
        {"op": "in", "values": [1]},
    ]

    assert parse_filters(given) == [
        RangeFilter("n", 1, 2, include_nulls=True),
        InFilter("n", [1, None]),
        ContainsFilter("s", "x%"),
    ]
