"""Places that the rows tell apart have labels that tell them apart."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource
from tests.unit.charting.test_compile import spec_of

from yarrow.charting import RowFilter, compile_chart, parse_intent

SNOWFLAKE = 1_541_815_603_606_036_480


def test_a_dash_of_the_rows_is_not_a_missing_value() -> None:
    rows: list[JsonObject] = [{"grade": grade, "pupils": 1} for grade in ("–", None, "a")]

    drawn = spec_of(rows, "bar", {"x": "grade", "y": "pupils"})["data"]["values"]

    assert {row["grade"] for row in drawn} == {"–", "– (null)", "a"}


def test_ids_that_differ_in_their_last_digit_are_places_of_their_own() -> None:
    rows: list[JsonObject] = [{"user_id": SNOWFLAKE + n, "posts": n + 1} for n in range(80)]

    spec = spec_of(rows, "bar", {"x": "user_id", "y": "posts"})

    assert {row["user_id"] for row in spec["data"]["values"]} == {
        str(SNOWFLAKE + n) for n in range(12, 80)
    }
    assert spec["encoding"]["x"]["scale"]["domain"][0] == str(SNOWFLAKE + 79)


def test_the_rest_of_a_pie_of_years_has_its_name() -> None:
    rows: list[JsonObject] = [{"year": 2000 + n, "sales": 1 + n} for n in range(20)]

    drawn = spec_of(rows, "pie", {"color": "year", "size": "sales"})["data"]["values"]

    assert {row["year"]: row["sales"] for row in drawn}["Other"] == sum(range(1, 15))


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([0.0004, 1250.5], ",.5~f"),
        ([0.25, 1250.5], ",.2f"),
        ([0.0004, 0.25], ",.3~g"),
        ([5.5e-17, 1250.5], ",.2f"),
    ],
)
def test_small_prices_are_not_written_as_zero(values: list[float], written: str) -> None:
    rows: list[JsonObject] = [{"coin": "ab"[n], "price": value} for n, value in enumerate(values)]

    table = spec_of(rows, "bar table", {"x": "price", "y": "coin"})

    assert table["layer"][1]["encoding"]["text"]["format"] == written


RATES: list[JsonObject] = [
    {"k": name, "rate": rate} for name in "ab" for rate in (0.2, 0.4, 0.3, 0.1, 0.5, 9.5)
]


@pytest.mark.parametrize("aggregate", ["mean", "median", "min"])
def test_small_means_of_percentages_are_no_fractions(aggregate: str) -> None:
    y = spec_of(RATES, "bar", {"x": "k", "y": {"field": "rate", "aggregate": aggregate}})

    assert y["encoding"]["y"]["title"].endswith("(%)")
    assert "%" not in str(y["encoding"]["y"]["axis"])


def test_a_filter_does_not_turn_percentages_into_fractions() -> None:
    intent = parse_intent({"chart_type": "bar", "encodings": {"x": "k", "y": "rate"}})
    row_filter = RowFilter("rates", "rate < 1", 10)

    drawn = compile_chart(intent, RowSource(RATES), row_filter=row_filter)

    assert drawn.spec["encoding"]["y"]["title"] == "mean of rate (%)"
    assert "%" not in str(drawn.spec["encoding"]["y"]["axis"])
