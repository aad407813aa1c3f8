"""A chart says in words which of its places is the largest and which the smallest."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.question_table import SALES as MANY_SALES
from tests.unit.charting.question_table import open_table
from tests.unit.charting.row_source import RowSource, infer_shape, open_duckdb

from yarrow.charting import (
    Aggregate,
    ChartLanguage,
    chart_question,
    compile_chart,
    parse_intent,
    read_question,
)

SALES: list[JsonObject] = [
    {"city": city, "day": day, "revenue": revenue}
    for city, day, revenue in [
        ("Oslo", "2024-01-01", 1200.5),
        ("Rome", "2024-02-01", 300),
        ("Oslo", "2024-03-01", 99.5),
        ("Lima", "2024-05-01", 300),
    ]
]


def describe(
    rows: list[JsonObject],
    chart: str,
    encodings: JsonObject,
    language: ChartLanguage = ChartLanguage.EN,
) -> str:
    intent = parse_intent({"chart_type": chart, "encodings": encodings}, language=language)
    spec = compile_chart(intent, RowSource(rows), language=language).spec
    return str(spec.get("description", ""))


@pytest.mark.parametrize("chart", ["bar", "horizontal bar", "lollipop", "pie"])
def test_places_with_the_same_value_are_all_named(chart: str) -> None:
    channels = ("color", "size") if chart == "pie" else ("x", "y")
    told = describe(SALES, chart, dict(zip(channels, ("city", "revenue"), strict=True)))

    assert told == "largest sum of revenue: Oslo, 1,300; smallest: Rome, Lima, 300"


def test_chinese_charts_are_described_in_chinese() -> None:
    told = describe(SALES, "bar", {"x": "city", "y": "revenue"}, ChartLanguage.ZH)

    assert told == "revenue合计最大的是Oslo（1,300），最小的是Rome, Lima（300）"


def test_first_days_of_months_are_written_as_months() -> None:
    told = describe(SALES, "line", {"x": "day", "y": "revenue"})

    assert told == "largest revenue: 2024-01, 1,200.5; smallest: 2024-03, 99.5"


def test_the_smallest_is_not_told_where_places_are_omitted() -> None:
    rows: list[JsonObject] = [{"name": f"n{at:03}", "revenue": at} for at in range(200)]

    assert describe(rows, "bar", {"x": "name", "y": "revenue"}) == "largest revenue: n199, 199"


def test_gathered_parts_are_no_place() -> None:
    rows: list[JsonObject] = [{"name": f"n{at:03}", "revenue": 50 + at} for at in range(200)]

    told = describe(rows, "pie", {"color": "name", "size": "revenue"})

    assert told == "largest sum of revenue: n199, 249"


@pytest.mark.parametrize(
    ("chart", "encodings"),
    [
        ("line", {"x": "day", "y": "revenue", "color": "city"}),
        ("scatter", {"x": "day", "y": "revenue"}),
        ("histogram", {"x": "revenue"}),
    ],
)
def test_charts_of_several_series_or_of_single_rows_are_not_described(
    chart: str, encodings: JsonObject
) -> None:
    assert describe(SALES, chart, encodings) == ""


def test_one_number_is_written_out() -> None:
    told = describe(SALES, "kpi card", {"value": {"field": "revenue", "aggregate": "sum"}})

    assert told == "sum of revenue: 1,900"


def test_equal_values_have_no_largest() -> None:
    rows: list[JsonObject] = [{"k": "a", "revenue": 2}, {"k": "b", "revenue": 2}]

    assert describe(rows, "bar", {"x": "k", "y": "revenue"}) == "revenue is 2 everywhere: a, b"


@pytest.mark.parametrize(
    ("question", "place", "order"),
    [
        ("which region has the lowest revenue", "region", "ASC"),
        ("which product has the least revenue", "product", "ASC"),
        ("which region has the highest revenue", "region", "DESC"),
        ("when was revenue highest", "order_date", "DESC"),
    ],
)
def test_a_question_for_an_extreme_is_answered_over_all_rows(
    question: str, place: str, order: str
) -> None:
    asked = open_table("sales").ask(question)
    best = open_duckdb().execute(
        f"SELECT {place}::VARCHAR FROM ({MANY_SALES}) GROUP BY 1 ORDER BY sum(revenue) {order}"
    )

    assert asked.chart is not None
    told = asked.chart.spec["description"].split("smallest")[order == "ASC"]
    assert str((best.fetchone() or ("no row",))[0]) in told
    assert not any("not read" in note for note in asked.notes)


def test_without_a_place_a_highest_is_told_as_not_read() -> None:
    asked = open_table("sales").ask("show the price highest")

    assert any("highest" in note for note in asked.notes)


def test_a_column_of_two_values_is_no_number_of_values() -> None:
    rows: list[JsonObject] = [
        {"city": city, "returned": returned, "order": at}
        for at, (city, returned) in enumerate([("Oslo", "yes"), ("Oslo", "no"), ("Rome", "no")])
    ]
    shape = infer_shape(rows, name="orders")

    [chart, *_] = chart_question(read_question("number of returned orders by city", shape), shape)

    assert set(chart.intent.encodings.values()) == {"city", "returned"}
    assert set(chart.intent.aggregates.values()) == {Aggregate.COUNT}
