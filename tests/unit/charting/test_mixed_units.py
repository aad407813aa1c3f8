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


@pytest.mark.parametrize("units", [("ICU", "M", "ER"), ("S", "M", "L"), ("USD", "usd ", " Usd")])
def test_sizes_wards_and_spellings_are_no_units(units: tuple[str, ...]) -> None:
    rows: list[JsonObject] = [
        {"dept": "xy"[n % 2], "unit": unit, "beds": 10.5 * n} for n in range(2) for unit in units
    ]

    assert list_notes(rows, "bar", {"x": "dept", "y": "beds"}) == []


def test_only_what_may_be_money_has_a_currency() -> None:
    rows: list[JsonObject] = [
        {"shop": "ab"[n % 2], "currency": ("USD", "EUR")[n // 2 % 2], "quantity": n, "value": n}
        for n in range(8)
    ]

    assert list_notes(rows, "bar", {"x": "shop", "y": "quantity"}) == []
    assert "EUR, USD" in list_notes(rows, "bar", {"x": "shop", "y": "value"})[0]
    (note,) = list_notes(rows, "scatter", {"x": "quantity", "y": "value"})
    assert note.startswith("value is in several units")


def test_columns_of_units_are_known_in_both_scripts() -> None:
    rows: list[JsonObject] = [
        {"指標": name, "單位": unit, "數值": value}
        for name, unit, value in (("產值", "億元", 1000), ("失業率", "%", 5.1))
    ]

    (note,) = list_notes(rows, "bar", {"x": "指標", "y": "數值"}, language=ChartLanguage.ZH)

    assert "见單位列（%, 億元）" in note


def test_money_has_a_currency_and_weights_have_a_unit() -> None:
    rows: list[JsonObject] = [
        {
            "region": "NS"[n % 2],
            "unit": ("kg", "lb")[n // 2 % 2],
            "currency": ("USD", "EUR")[n // 4 % 2],
            "weight": n + 1.5,
            "revenue": n,
        }
        for n in range(16)
    ]

    (weight,) = list_notes(rows, "bar", {"x": "region", "y": "weight"})
    (revenue,) = list_notes(rows, "bar", {"x": "region", "y": "revenue"})
    assert ("column unit says" in weight, "column currency says" in revenue) == (True, True)
    assert list_notes(rows, "bar", {"x": "currency", "y": "revenue"}) == []
