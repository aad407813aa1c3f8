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
from yarrow.charting.errors import ChartImpossible

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


@pytest.mark.parametrize(
    ("places", "told"),
    [
        (("North", "North Total", "South", "Grand Total"), "North Total, Grand Total"),
        (("华东", "华东小计", "合计"), "华东小计, 合计"),
        (("Total", "Subtotal"), ""),
        (("TotalEnergies", "Shell"), ""),
    ],
)
def test_places_called_as_totals_are_told(places: tuple[str, ...], told: str) -> None:
    rows: list[JsonObject] = [{"place": place, "sales": n + 1.5} for n, place in enumerate(places)]
    request: JsonObject = {"chart_type": "Bar Chart", "encodings": {"x": "place", "y": "sales"}}

    notes = compile_chart(parse_intent(request), RowSource(rows)).notes

    assert [told in note for note in notes] == ([True] if told else [])


def test_one_value_and_none_have_no_standard_deviation() -> None:
    rows: list[JsonObject] = [
        {"k": k, "n": n} for k, n in (("a", 1), ("a", 3), ("b", 7), ("c", None), ("c", None))
    ]

    chart = draw(rows, "bar", {"x": "k", "y": {"field": "n", "aggregate": "stdev"}})

    assert values(chart, "k", "n") == {"a": pytest.approx(2**0.5), "b": None, "c": None}
    assert "n has no value in 2 of 3 places; nothing is drawn there" in chart.notes


def test_wedges_that_are_left_out_are_counted_as_places() -> None:
    rows: list[JsonObject] = [
        {"shop": shop, "profit": profit}
        for shop, profit in (("a", 5), ("a", 6), ("b", 9), ("c", -4), ("c", -2))
    ]

    chart = draw(rows, "pie", {"color": "shop", "size": "profit"})

    assert values(chart, "shop", "profit") == {"a": 11, "b": 9}
    assert "1 place without a value above zero is left out" in chart.notes


PEOPLE: list[JsonObject] = [
    {"age": 20.5 + n % 40, "sex": "mf"[n % 2], "pay": n} for n in range(400)
]


@pytest.mark.parametrize(
    ("chart", "measure", "drawn"),
    [
        ("bar", {"aggregate": "count"}, {10}),
        ("lollipop", {"aggregate": "count"}, {10}),
        ("bar", {"field": "pay", "aggregate": "max"}, {*range(360, 400)}),
    ],
)
def test_the_aggregated_axis_is_the_measure_whatever_the_other_is(
    chart: str, measure: JsonObject, drawn: set[int]
) -> None:
    bars = draw(PEOPLE, chart, {"x": measure, "y": "age"})

    key = bars.spec["encoding"]["x"]["field"]
    assert {row[key] for row in bars.spec["data"]["values"]} == drawn
    assert len(bars.spec["data"]["values"]) == 40


def test_a_pyramid_counts_people_by_age() -> None:
    pyramid = draw(PEOPLE, "pyramid", {"x": {"aggregate": "count"}, "y": "age", "color": "sex"})

    rows = pyramid.spec["data"]["values"]
    assert {(row["sex"], row["_size"]) for row in rows} == {("m", 10), ("f", 10)}
    assert {row["age"] for row in rows} == {20.5 + n for n in range(40)}


def test_a_card_of_many_rows_says_what_its_number_is() -> None:
    cards = draw(LIVES, "kpi", {"metric": "country", "value": "life_expect"})

    names = {row["_name"] for row in cards.spec["data"]["values"]}
    assert names == {"Japan: mean of life_expect", "Chad: mean of life_expect"}


def test_the_smallest_wedge_is_not_told_as_the_smallest_of_all() -> None:
    rows: list[JsonObject] = [{"shop": s, "profit": p} for s, p in (("a", 9), ("b", 5), ("c", -6))]

    pie = draw(rows, "pie", {"color": "shop", "size": "profit"})

    assert pie.spec["description"] == "largest profit: a, 9"


def test_a_radar_of_losses_is_refused() -> None:
    rows: list[JsonObject] = [{"shop": s, "saldo": p} for s, p in (("a", 9), ("b", 5), ("c", -6))]

    with pytest.raises(ChartImpossible, match="below zero"):
        draw(rows, "radar", {"x": "shop", "y": "saldo"})


def test_two_aggregates_of_one_column_are_two_numbers() -> None:
    low, high = ({"field": "life_expect", "aggregate": which} for which in ("min", "max"))

    dots = draw(LIVES, "scatter", {"x": low, "y": high, "color": "country"})

    assert {row["country"]: (row["life_expect"], row["life_expect_"]) for row in dots.rows} == {
        "Japan": (60, 80),
        "Chad": (40, 50),
    }
    titles = [dots.spec["encoding"][axis]["title"] for axis in "xy"]
    assert titles == ["min of life_expect", "max of life_expect"]


def test_a_gathered_series_of_single_values_is_told_as_their_mean() -> None:
    rows: list[JsonObject] = [
        {"day": f"2024-01-0{day}", "site": f"s{site:02d}", "level": site}
        for day in range(1, 4)
        for site in range(20)
    ]

    lines = draw(rows, "line", {"x": "day", "y": "level", "color": "site"})

    others = {row["level"] for row in lines.rows if row["site"] == "Other"}
    assert others == {sum(range(10)) / 10}
    assert lines.spec["encoding"]["y"]["title"] == "mean of level"
    assert lines.reduction.aggregates == {"level": "mean"}


def test_the_rest_of_a_pie_of_single_values_is_their_sum() -> None:
    rows: list[JsonObject] = [{"site": f"s{site:02d}", "level": site + 1} for site in range(20)]

    pie = draw(rows, "pie", {"color": "site", "size": "level"})

    assert pie.intent.chart_type is ChartType.PIE
    assert values(pie, "site", "level")["Other"] == sum(range(1, 15))
    assert pie.reduction.aggregates == {"level": "sum"}


@pytest.mark.parametrize("chart", ["bar", "line", "radar", "heatmap"])
def test_deviations_of_single_rows_are_refused(chart: str) -> None:
    rows: list[JsonObject] = [{"k": k, "n": n} for n, k in enumerate("abcd")]
    measure: JsonObject = {"field": "n", "aggregate": "stdev"}
    measured = {"y": "k", "color": measure} if chart == "heatmap" else {"y": measure}

    with pytest.raises(ChartImpossible, match="standard deviation of n"):
        draw(rows, chart, {"x": "k", **measured})


@pytest.mark.parametrize("chart", ["bar", "boxplot"])
@pytest.mark.parametrize("names", [68, 91])
def test_the_omitted_places_of_a_long_axis_include_that_of_missing_names(
    chart: str, names: int
) -> None:
    rows: list[JsonObject] = [
        {"k": f"k{n}" if n < names else None, "v": n} for n in range(names + 1)
    ]

    drawn = draw(rows, chart, {"x": "k", "y": "v"})

    assert len({row["k"] for row in drawn.spec["data"]["values"]}) == 68
    omitted = f"k: the 68 largest are shown, {names - 67} items omitted"
    assert omitted in drawn.notes


@pytest.mark.parametrize(
    ("chart", "wish"),
    [
        ("bar", {"x": "shop", "y": "revenue"}),
        ("stacked bar", {"x": "shop", "y": "revenue", "color": "day"}),
        ("pie", {"color": "shop", "size": "revenue"}),
        ("heatmap", {"x": "shop", "y": "day", "color": "revenue"}),
        ("kpi", {"value": "revenue"}),
        ("kpi", {"value": {"field": "revenue", "aggregate": "mean"}}),
    ],
)
def test_an_aggregate_tells_how_many_rows_have_no_value(chart: str, wish: JsonObject) -> None:
    rows: list[JsonObject] = [
        {"shop": "ab"[n % 2], "day": "xy"[n // 2 % 2], "revenue": None if n % 5 == 0 else 10}
        for n in range(100)
    ]

    notes = draw(rows, chart, wish).notes

    assert [note for note in notes if "without a value" in note] == [
        "20 rows without a value of revenue are left out"
    ]


def test_a_count_of_values_needs_no_such_note() -> None:
    rows: list[JsonObject] = [{"k": "a", "v": 1}, {"k": "a", "v": None}]

    notes = draw(rows, "bar", {"x": "k", "y": {"field": "v", "aggregate": "count"}}).notes

    assert not any("without a value" in note for note in notes)


def test_numbers_that_name_things_are_not_told_to_be_no_numbers() -> None:
    rows: list[JsonObject] = [{"k": name, "iso_num": 276} for name in "ab"]

    assert draw(rows, "bar", {"x": "k", "y": "iso_num"}).notes == (
        "the numbers of iso_num are read as names or times; rows are counted",
    )
