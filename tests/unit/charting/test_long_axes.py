"""Axes with many places: time keeps all of them, and the picture still fits a page."""

from datetime import date, timedelta

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource
from tests.unit.charting.test_compile import spec_of

from yarrow.charting import DType, compile_chart, parse_intent
from yarrow.rendering.limits import is_size_allowed
from yarrow.rendering.render import render_svg

pytestmark = pytest.mark.slow

TEN_YEARS = [f"{2014 + n // 12}-{n % 12 + 1:02d}" for n in range(120)]


def days(count: int) -> list[JsonObject]:
    first = date(2020, 1, 1)
    prices: JsonObject = {"open": 2, "high": 4, "low": 1, "close": 3}
    return [{"day": str(first + timedelta(n)), "sales": n, **prices} for n in range(count)]


@pytest.mark.parametrize(
    ("chart", "count"),
    [
        *(("bar", 365), ("lollipop", 365), ("waterfall", 365), ("boxplot", 365)),
    ],
)
def test_bars_of_many_days_fit_a_page(chart: str, count: int) -> None:
    spec = spec_of(days(count), chart, {"x": "day", "y": "sales"})

    assert len(spec["data"]["values"]) == count
    assert is_size_allowed(render_svg(spec), 2)


def test_four_years_of_days_are_bars_of_months() -> None:
    source = RowSource(days(1461), {"day": DType.DATE})
    wish: JsonObject = {"chart_type": "bar", "encodings": {"x": "day", "y": "sales"}}

    chart = compile_chart(parse_intent(wish), source)

    values = chart.spec["data"]["values"]
    assert (len(values), values[0]["day"], values[-1]["day"]) == (48, "2020-01", "2023-12")
    assert sum(row["sales"] for row in values) == sum(range(1461))
    assert any("grouped by month" in note for note in chart.notes)


@pytest.mark.parametrize("chart", ["bar", "line"])
def test_months_of_many_rows_are_not_grouped_by_week(chart: str) -> None:
    months = [str(date(2000 + n // 12, n % 12 + 1, 1)) for n in range(240)]
    rows: list[JsonObject] = [{"month": month, "sales": 1} for month in months for _ in range(50)]
    wish: JsonObject = {"chart_type": chart, "encodings": {"x": "month", "y": "sales"}}

    drawn = compile_chart(parse_intent(wish), RowSource(rows, {"month": DType.DATE}))

    assert [row["month"] for row in drawn.spec["data"]["values"]] == months
    assert not any("grouped by" in note for note in drawn.notes)


def test_candles_of_three_years_fit_a_page() -> None:
    wish = {name: name for name in ("open", "high", "low", "close")} | {"x": "day"}

    assert is_size_allowed(render_svg(spec_of(days(1000), "candlestick", wish)), 2)


def test_groups_of_many_bars_fit_a_page() -> None:
    rows = [row | {"shop": shop} for row in days(90) for shop in "abc"]

    spec = spec_of(rows, "grouped bar", {"x": "day", "y": "sales", "group": "shop"})

    assert is_size_allowed(render_svg(spec), 2)


@pytest.mark.parametrize("count", [20, 90])
def test_candles_stand_over_names_too(count: int) -> None:
    rows = [row | {"day": f"round {n}"} for n, row in enumerate(days(count))]
    wish = {name: name for name in ("open", "high", "low", "close")} | {"x": "day"}

    assert spec_of(rows, "candlestick", wish)["encoding"]["x"]["axis"]["values"]


@pytest.mark.parametrize("name", ["year_month", "年月"])
def test_months_of_ten_years_are_all_shown(name: str) -> None:
    rows = [{name: month, "sales": n} for n, month in enumerate(TEN_YEARS)]

    assert len(spec_of(rows, "line", {"x": name, "y": "sales"})["data"]["values"]) == 120


def test_years_are_all_shown_whatever_they_are_called() -> None:
    rows = [{"founded": 1900 + n, "shops": n} for n in range(120)]

    assert len(spec_of(rows, "bar", {"x": "founded", "y": "shops"})["data"]["values"]) == 120
