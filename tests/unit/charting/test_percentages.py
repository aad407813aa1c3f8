"""Percentages keep the scale in which the table has them, whatever is computed or left of them."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource

from yarrow.charting import (
    CompiledChart,
    DType,
    FieldMeaning,
    RowFilter,
    SemanticType,
    compile_chart,
    parse_intent,
)
from yarrow.charting.errors import ChartWithoutNumbers

GROWTH: list[JsonObject] = [
    {"q": f"q{n}", "year": 2020 + n % 2, "growth_rate": rate}
    for n, rate in enumerate((0.05, 0.1, 0.07, 0.02, 0.04, 2.4))
]
DISCOUNTS: list[JsonObject] = [
    {"store": store, "discount_rate": rate}
    for store, rate in (("a", 0.5), ("a", 0.7), ("a", 0.9), ("b", 0.4), ("c", 0.1))
]
DEFECTS: list[JsonObject] = [
    {"line": "ab"[n % 2], "defect_rate": rate} for n, rate in enumerate((0.5, 0.8, 1.2, 0.7))
]
SMALL: list[JsonObject] = [
    {"bank": bank, "default_rate": rate}
    for bank, rate in (("a", 0.0004), ("b", 0.0008), ("c", 0.0012))
]


def draw(rows: list[JsonObject], chart: str, wish: JsonObject, **options) -> CompiledChart:
    return compile_chart(
        parse_intent({"chart_type": chart, "encodings": wish}), RowSource(rows), **options
    )


def list_cards(chart: CompiledChart) -> dict[str, str]:
    return {row["_name"]: row["_value"] for row in chart.spec["data"]["values"]}


def test_one_large_growth_does_not_turn_fractions_into_percent() -> None:
    mean = {"value": {"field": "growth_rate", "aggregate": "mean"}}

    card = draw(GROWTH, "kpi", mean, row_filter=RowFilter("t", "year = 2020", 3))

    assert list_cards(card) == {"mean of growth_rate": "5.3%"}
    assert card.spec["description"] == "mean of growth_rate: 5.33%"


def test_a_scale_is_a_guess_that_is_told() -> None:
    card = draw(GROWTH, "bar", {"x": "q", "y": "growth_rate"})

    told = "growth_rate is read as fractions (0.25 is 25%): a guess by name and values"
    assert told in card.notes


def test_each_metric_of_a_card_has_its_own_scale() -> None:
    rows: list[JsonObject] = [
        {"metric": "revenue", "value": 12000.0},
        {"metric": "conversion_rate", "value": 0.032},
        {"metric": "churn_rate", "value": 0.0475},
        {"metric": "fill_rate", "value": 87.5},
    ]

    cards = list_cards(draw(rows, "kpi", {"metric": "metric", "value": "value"}))

    assert cards == {
        "revenue": "12k",
        "conversion_rate": "3.2%",
        "churn_rate": "4.8%",
        "fill_rate": "87.5",
    }


def test_cards_of_dates_have_no_scale() -> None:
    rows: list[JsonObject] = [{"shop": "a", "opened": "2024-02-03"}]
    wish: JsonObject = {"metric": "shop", "value": "opened"}

    with pytest.raises(ChartWithoutNumbers):
        compile_chart(
            parse_intent({"chart_type": "kpi", "encodings": wish}),
            RowSource(rows, {"opened": DType.DATE}),
        )


def test_a_sum_of_fractions_is_in_their_scale() -> None:
    total = {"field": "discount_rate", "aggregate": "sum"}

    drawn = draw(DISCOUNTS, "bar", {"x": "store", "y": total})

    y = drawn.spec["encoding"]["y"]
    assert (y["title"], y["axis"]) == ("sum of discount_rate", {"format": ".0%"})
    assert drawn.spec["description"].startswith("largest sum of discount_rate: a, 210%")


def test_values_that_may_be_either_are_written_as_they_are() -> None:
    drawn = draw(DEFECTS, "bar", {"x": "line", "y": "defect_rate"})

    assert drawn.spec["encoding"]["y"]["title"] == "mean of defect_rate"
    assert "%" not in str(drawn.spec["encoding"]["y"])
    told = "largest mean of defect_rate: a, 0.85; smallest: b, 0.75"
    assert drawn.spec["description"] == told


def test_small_shares_keep_their_digits() -> None:
    bars = draw(SMALL, "bar", {"x": "bank", "y": "default_rate"}).spec
    mean = {"field": "default_rate", "aggregate": "mean"}

    assert bars["encoding"]["y"]["axis"] == {"format": ".3~%"}
    assert bars["encoding"]["tooltip"][1]["format"] == ".4~%"
    assert bars["description"] == "largest default_rate: c, 0.12%; smallest: a, 0.04%"
    assert list_cards(draw(SMALL, "kpi", {"value": mean})) == {"mean of default_rate": "0.08%"}


def test_points_close_together_have_ticks_that_differ() -> None:
    rows: list[JsonObject] = [{"day": n, "uptime_pct": 0.991 + n / 1000} for n in range(8)]

    y = draw(rows, "scatter", {"x": "day", "y": "uptime_pct"}).spec["encoding"]["y"]

    assert (y["scale"]["zero"], y["axis"]["format"]) == (False, ".2~%")


@pytest.mark.parametrize(
    ("meaning", "title"),
    [
        (FieldMeaning(SemanticType.PERCENTAGE, unit="%"), "mean of defect_rate (%)"),
        (FieldMeaning(SemanticType.PERCENTAGE, domain=(0, 100)), "mean of defect_rate (%)"),
        (FieldMeaning(SemanticType.PERCENTAGE, domain=(0, 1)), "mean of defect_rate"),
    ],
)
def test_a_registered_scale_is_no_guess(meaning: FieldMeaning, title: str) -> None:
    wish = {"x": "line", "y": "defect_rate"}

    drawn = draw(DEFECTS, "bar", wish, meanings={"defect_rate": meaning})

    assert drawn.spec["encoding"]["y"]["title"] == title
    assert not any("a guess by name and values" in note for note in drawn.notes)
