"""Values of several units are told as such: neither their sums nor their sizes mean anything."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource

from yarrow.charting import ChartLanguage, RowFilter, compile_chart, parse_intent

MONTHS: list[JsonObject] = [
    {"month": month, "metric": metric, "unit": unit, "value": value}
    for month in ("Jan", "Feb")
    for metric, unit, value in (("revenue", "USD", 9000.5), ("margin", "%", 12.5))
]
BY_METRIC: JsonObject = {"x": "metric", "y": "value"}


def list_notes(rows: list[JsonObject], chart: str, wish: JsonObject, **options) -> list[str]:
    intent = parse_intent({"chart_type": chart, "encodings": wish})
    drawn = compile_chart(intent, RowSource(rows), **options)
    return [note for note in drawn.notes if "several units" in note or "多种单位" in note]


@pytest.mark.parametrize(
    ("chart", "wish"),
    [
        ("bar", BY_METRIC),
        ("kpi", {"value": {"field": "value", "aggregate": "sum"}}),
        ("stacked bar", {"x": "month", "y": "value", "color": "metric"}),
        ("line", {"x": "month", "y": "value"}),
        ("histogram", {"x": "value"}),
        ("boxplot", {"x": "month", "y": "value"}),
    ],
)
def test_a_chart_tells_that_its_values_are_in_several_units(chart: str, wish: JsonObject) -> None:
    (note,) = list_notes(MONTHS, chart, wish)

    assert "as the column unit says (%, USD)" in note


def test_the_note_is_in_the_language_of_the_chart() -> None:
    (note,) = list_notes(MONTHS, "bar", BY_METRIC, language=ChartLanguage.ZH)

    assert "value平均值有多种单位，见unit列（%, USD）" in note


@pytest.mark.parametrize(
    ("chart", "wish"),
    [
        ("bar", {"x": "unit", "y": "value"}),
        ("bar", {"x": "metric"}),
        ("bar", {"x": "metric", "y": {"field": "value", "aggregate": "count"}}),
    ],
)
def test_units_that_are_shown_and_counts_need_no_note(chart: str, wish: JsonObject) -> None:
    assert list_notes(MONTHS, chart, wish) == []


def test_only_the_rows_that_are_drawn_count() -> None:
    row_filter = RowFilter("months", "\"unit\" = 'USD'", 2)

    assert list_notes(MONTHS, "bar", {"x": "month", "y": "value"}, row_filter=row_filter) == []


def test_business_units_are_no_units() -> None:
    rows = [{**row, "unit": row["metric"]} for row in MONTHS]

    assert list_notes(rows, "bar", {"x": "month", "y": "value"}) == []


def test_currencies_are_units_whatever_they_are_called() -> None:
    rows: list[JsonObject] = [
        {"shop": shop, "currency": currency, "revenue": 100}
        for shop in "ab"
        for currency in ("ZAR", "NOK", "SEK", "DKK", "CHF")
    ]

    (note,) = list_notes(rows, "bar", {"x": "shop", "y": "revenue"})

    assert "currency says (CHF, DKK, NOK, SEK, …)" in note
