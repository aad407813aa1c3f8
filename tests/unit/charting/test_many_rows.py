"""Charts of single rows say what they made of very many."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource

from yarrow.charting import ReductionKind, compile_chart, parse_intent
from yarrow.charting.errors import ChartTooLarge

PRICES: JsonObject = {"open": "price", "high": "price", "low": "price", "close": "price"}


def test_of_very_many_dots_the_extremes_of_each_place_are_drawn() -> None:
    rows: list[JsonObject] = [{"city": "AB"[n % 2], "noise": n / 10} for n in range(5000)]
    wish: JsonObject = {"chart_type": "ranged dot", "encodings": {"x": "noise", "y": "city"}}

    chart = compile_chart(parse_intent(wish), RowSource(rows))

    drawn = {(row["city"], row["noise"]) for row in chart.spec["data"]["values"]}
    assert drawn == {("A", 0), ("A", 499.8), ("B", 0.1), ("B", 499.9)}
    assert chart.reduction.kind is ReductionKind.AGGREGATED
    assert chart.reduction.by == ("city",)


def test_candles_of_several_rows_are_told_as_aggregated() -> None:
    rows: list[JsonObject] = [{"day": f"2024-01-0{1 + n % 3}", "price": n} for n in range(9)]
    wish: JsonObject = {"chart_type": "candlestick", "encodings": {"x": "day", **PRICES}}

    chart = compile_chart(parse_intent(wish), RowSource(rows))

    assert chart.reduction.kind is ReductionKind.AGGREGATED
    assert chart.reduction.by == ("day",)
    assert chart.rows[0] == {
        "day": "2024-01-01",
        "price": 0,
        "price_": 6,
        "price__": 0,
        "price___": 6,
    }


def test_candles_of_too_many_places_are_refused_and_none_is_dropped() -> None:
    rows: list[JsonObject] = [{"ticker": f"T{n}", "price": n} for n in range(20_001)]
    wish: JsonObject = {"chart_type": "candlestick", "encodings": {"x": "ticker", **PRICES}}

    with pytest.raises(ChartTooLarge):
        compile_chart(parse_intent(wish), RowSource(rows))


def test_the_box_of_missing_names_is_one_of_the_largest() -> None:
    rows: list[JsonObject] = [{"k": f"k{n % 160}" if n % 2 else None, "v": n} for n in range(2000)]
    wish: JsonObject = {"chart_type": "boxplot", "encodings": {"x": "k", "y": "v"}}

    chart = compile_chart(parse_intent(wish), RowSource(rows))

    counts = {row["k"]: row["_n"] for row in chart.spec["data"]["values"]}
    assert (len(counts), counts["–"]) == (68, 1000)
    assert "k: the 68 largest are shown, 13 items omitted" in chart.notes


def test_the_steps_of_a_waterfall_keep_the_order_of_a_long_table() -> None:
    steps = ("start", "gain", "cost")
    rows: list[JsonObject] = [{"step": step, "amount": 1} for step in steps for _ in range(66_667)]
    wish: JsonObject = {"chart_type": "waterfall", "encodings": {"x": "step", "y": "amount"}}

    chart = compile_chart(parse_intent(wish), RowSource(rows))

    assert [row["step"] for row in chart.spec["data"]["values"]][:3] == [*steps]


def test_a_line_over_too_many_names_keeps_their_order() -> None:
    rows: list[JsonObject] = [{"lot": f"L{n:02}", "v": n * 37 % 80} for n in range(80)]

    wish: JsonObject = {"chart_type": "line", "encodings": {"x": "lot", "y": "v"}}
    spec = compile_chart(parse_intent(wish), RowSource(rows)).spec

    *places, omitted = spec["encoding"]["x"]["scale"]["domain"]
    assert places == sorted(places)
    assert omitted == "… 12 items omitted"
