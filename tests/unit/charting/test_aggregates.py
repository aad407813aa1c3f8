"""How rows of one place are combined, and what the chart says about it."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource

from yarrow.charting import (
    Aggregate,
    ChartChannel,
    ChartIntent,
    ChartLanguage,
    ChartType,
    CompiledChart,
    DType,
    compile_chart,
    parse_intent,
    read_meanings,
)

LIVES: list[JsonObject] = [
    {"country": country, "year": year, "life_expect": life}
    for country, lives in {"Japan": (60, 70, 80), "Chad": (40, 45, 50)}.items()
    for year, life in zip((1960, 1980, 2000), lives, strict=True)
]


def draw(
    rows: list[JsonObject],
    chart: str,
    encodings: JsonObject,
    language: ChartLanguage = ChartLanguage.EN,
    **meanings: str,
) -> CompiledChart:
    wish: JsonObject = {"chart_type": chart, "encodings": encodings}
    intent = parse_intent(wish, language=language)
    return compile_chart(
        intent, RowSource(rows), meanings=read_meanings({**meanings}), language=language
    )


def values(chart: CompiledChart, key: str, value: str) -> JsonObject:
    return {row[key]: row[value] for row in chart.spec["data"]["values"]}


def test_life_expectancies_are_averaged_and_the_axis_says_so() -> None:
    chart = draw(LIVES, "bar", {"x": "country", "y": "life_expect"})

    assert values(chart, "country", "life_expect") == {"Japan": 70, "Chad": 45}
    assert chart.spec["encoding"]["y"]["title"] == "mean of life_expect"
    assert "nothing says that it may be summed" in chart.notes[0]


@pytest.mark.parametrize(
    "name", ["miles_per_gallon", "weight", "population", "age", "库存", "人口"]
)
def test_measures_without_evidence_are_averaged(name: str) -> None:
    rows: list[JsonObject] = [{"k": "a", name: 10}, {"k": "a", name: 30}]

    assert values(draw(rows, "bar", {"x": "k", "y": name}), "k", name) == {"a": 20}


@pytest.mark.parametrize(
    "name", ["revenue", "order_count", "total_cost", "销售额", "订单数", "收入"]
)
def test_flows_are_summed_by_name_and_it_is_told_as_a_guess(name: str) -> None:
    rows: list[JsonObject] = [{"k": "a", name: 10}, {"k": "a", name: 30}]

    chart = draw(rows, "bar", {"x": "k", "y": name})

    assert values(chart, "k", name) == {"a": 40}
    assert "a guess by its name" in chart.notes[0]


@pytest.mark.parametrize("name", ["avg_revenue", "revenue_per_user", "平均收入", "人均收入"])
def test_means_of_flows_are_not_summed(name: str) -> None:
    rows: list[JsonObject] = [{"k": "a", name: 10}, {"k": "a", name: 30}]

    assert values(draw(rows, "bar", {"x": "k", "y": name}), "k", name) == {"a": 20}


def test_a_registered_meaning_is_evidence() -> None:
    rows: list[JsonObject] = [{"k": "a", "v": 10}, {"k": "a", "v": 30}]

    summed = draw(rows, "bar", {"x": "k", "y": "v"}, v="Amount")
    averaged = draw(rows, "bar", {"x": "k", "y": "v"}, v="Price")

    assert values(summed, "k", "v") == {"a": 40}
    assert values(averaged, "k", "v") == {"a": 20}
    assert "guess" not in str(summed.notes)


@pytest.mark.parametrize(
    ("aggregate", "value"),
    [("sum", 60), ("mean", 20), ("average", 20), ("median", 10), ("min", 10), ("max", 40)],
)
def test_an_aggregate_of_the_request_is_obeyed(aggregate: str, value: float) -> None:
    rows: list[JsonObject] = [{"k": "a", "revenue": v} for v in (10, 10, 40)]

    chart = draw(rows, "bar", {"x": "k", "y": {"field": "revenue", "aggregate": aggregate}})

    assert values(chart, "k", "revenue") == {"a": value}
    assert chart.spec["encoding"]["y"]["title"].endswith(" of revenue")


def test_a_count_needs_no_field_and_distinct_values_no_numbers() -> None:
    rows: list[JsonObject] = [{"k": "a", "who": w} for w in ("x", "x", "y")]

    counted = draw(rows, "line", {"x": "k", "y": {"aggregate": "count"}})
    distinct = draw(rows, "bar", {"x": "k", "y": {"field": "who", "aggregate": "distinct"}})

    assert values(counted, "k", counted.spec["encoding"]["y"]["field"]) == {"a": 3}
    assert values(distinct, "k", distinct.spec["encoding"]["y"]["field"]) == {"a": 2}


def test_a_text_cannot_be_averaged_and_that_is_told() -> None:
    rows: list[JsonObject] = [{"k": "a", "who": "x"}, {"k": "a", "who": "y"}]

    chart = draw(rows, "bar", {"x": "k", "y": {"field": "who", "aggregate": "mean"}})

    assert "who holds no numbers" in chart.notes[0]


def test_an_aggregate_without_a_field_is_told_once() -> None:
    asked = draw(LIVES, "bar", {"x": "country", "y": {"aggregate": "mean"}})
    made = compile_chart(
        ChartIntent(
            ChartType.BAR,
            {ChartChannel.X: "country"},
            aggregates={ChartChannel.Y: Aggregate.MEAN},
        ),
        RowSource(LIVES),
    )

    assert [note for note in asked.notes if "y names no field" in note] == [asked.notes[0]]
    assert made.notes == ("y names no field: mean", "rows are counted")


def test_titles_and_notes_are_in_the_language_of_the_chart() -> None:
    rows: list[JsonObject] = [{"地区": "北", "收入": 10}, {"地区": "北", "收入": 30}]

    chart = draw(rows, "bar", {"x": "地区", "y": "收入", "glow": "x"}, ChartLanguage.ZH)

    assert chart.spec["encoding"]["y"]["title"] == "收入合计"
    assert len(chart.notes) == 2
    assert not any(word in str(chart.notes) for word in ("summed", "channel", "place"))


def test_single_rows_are_not_called_aggregated() -> None:
    chart = draw(LIVES[:1], "bar", {"x": "country", "y": "life_expect"})

    assert chart.spec["encoding"]["y"]["title"] == "life_expect"
    assert chart.notes == ()


def test_a_bump_chart_ranks_by_the_mean_not_by_the_number_of_rows() -> None:
    rows = [*LIVES, *({**row, "life_expect": 41} for row in LIVES[3:] for _ in range(9))]

    chart = draw(rows, "bump", {"x": "year", "y": "life_expect", "color": "country"})

    ranks = {(row["year"], row["country"]): row["_rank"] for row in chart.spec["data"]["values"]}
    assert {ranks[year, "Japan"] for year in ("1960", "1980", "2000")} == {1}


def test_beyond_ten_series_the_others_are_gathered_and_told() -> None:
    rows: list[JsonObject] = [
        {"day": f"2024-01-{day:02d}", "shop": f"s{shop:02d}", "sales": shop}
        for day in range(1, 4)
        for shop in range(20)
    ]

    chart = draw(rows, "line", {"x": "day", "y": "sales", "color": "shop"})

    first = {
        r["shop"]: r["sales"] for r in chart.spec["data"]["values"] if r["day"] == "2024-01-01"
    }
    assert len(first) == 11
    assert first["Other"] == sum(range(10))
    assert any("10 others are gathered in Other" in note for note in chart.notes)


def test_spellings_of_one_day_are_one_place() -> None:
    rows: list[JsonObject] = [
        {"day": d, "sales": 5} for d in ("2024-3-5", "2024/03/05", "2024-03-06")
    ]

    chart = draw(rows, "line", {"x": "day", "y": "sales"})

    assert values(chart, "day", "sales") == {"2024-03-05": 10, "2024-03-06": 5}


@pytest.mark.parametrize(
    ("language", "note"),
    [
        (ChartLanguage.EN, "n has no value in 2 of 3 places; nothing is drawn there"),
        (ChartLanguage.ZH, "3 个位置中有 2 个没有n的值，此处空缺"),
    ],
)
def test_a_bar_without_a_value_is_told(language: ChartLanguage, note: str) -> None:
    rows: list[JsonObject] = [{"k": "a", "n": 10}, {"k": "b", "n": None}, {"k": "c", "n": None}]

    chart = draw(rows, "bar", {"x": "k", "y": "n"}, language)

    assert values(chart, "k", "n") == {"a": 10, "b": None, "c": None}
    assert note in chart.notes


@pytest.mark.parametrize("where", ["channel", "config"])
def test_a_time_unit_of_the_request_groups_moments(where: str) -> None:
    days = [{"day": f"2024-0{n % 3 + 1}-{n % 28 + 1:02d}", "sales": n} for n in range(84)]
    unit = {"timeUnit": "yearmonth"}
    x = {"field": "day", **(unit if where == "channel" else {})}
    wish: JsonObject = {"chart_type": "line", "encodings": {"x": x, "y": "sales"}}
    wish["config"] = unit if where == "config" else {}

    chart = compile_chart(parse_intent(wish), RowSource(days, types={"day": DType.DATE}))

    totals = {str(row["day"])[:7]: row["sales"] for row in chart.spec["data"]["values"]}
    expected = {f"2024-0{m + 1}": sum(n for n in range(84) if n % 3 == m) for m in range(3)}
    assert totals == expected
