"""Only what adds up is stacked; aggregates of a request are obeyed, or the notes say why not."""

import pytest
from tests.loose_json import JsonObject, JsonValue
from tests.unit.charting.row_source import RowSource
from tests.unit.charting.test_aggregates import LIVES, draw, values

from yarrow.charting import (
    ChartChannel,
    ChartLanguage,
    ChartType,
    CompiledChart,
    compile_chart,
    parse_intent,
    read_meanings,
)
from yarrow.charting.errors import ChartImpossible

READINGS: list[JsonObject] = [
    {"site": site, "kind": kind, "level": level}
    for site in "abc"
    for kind in ("raw", "clean")
    for level in (10, 30)
]
BY_KIND: JsonObject = {"x": "site", "y": "level", "color": "kind"}


@pytest.mark.parametrize(
    ("asked", "encodings", "drawn"),
    [
        ("bar", BY_KIND, ChartType.GROUPED_BAR),
        ("stacked bar", BY_KIND, ChartType.GROUPED_BAR),
        ("100% stacked bar", BY_KIND, ChartType.GROUPED_BAR),
        ("rose", BY_KIND, ChartType.GROUPED_BAR),
        ("area", BY_KIND, ChartType.LINE),
        ("streamgraph", BY_KIND, ChartType.LINE),
        ("pie", {"color": "site", "size": "level"}, ChartType.BAR),
        ("waterfall", {"x": "site", "y": "level"}, ChartType.BAR),
    ],
)
def test_means_are_drawn_side_by_side(asked: str, encodings: JsonObject, drawn: ChartType) -> None:
    chart = draw(READINGS, asked, encodings)

    assert chart.intent.chart_type is drawn
    assert {row["level"] for row in chart.spec["data"]["values"]} == {20}
    assert chart.spec["encoding"]["y"]["title"] == "mean of level"
    assert "stack" not in chart.spec["encoding"]["y"]
    assert any("not stacked" in note and str(drawn) in note for note in chart.notes)


@pytest.mark.parametrize(
    ("asked", "encodings", "drawn"),
    [
        ("stacked bar", {**BY_KIND, "y": {"field": "by", "aggregate": "distinct"}}, "Grouped Bar"),
        ("pie", {"color": "kind", "size": {"field": "by", "aggregate": "distinct"}}, "Bar Chart"),
    ],
)
def test_distinct_values_that_groups_share_are_not_added_up(
    asked: str, encodings: JsonObject, drawn: str
) -> None:
    rows = [{**row, "by": by} for row in READINGS for by in ("Ann", "Bo")]

    chart = draw(rows, asked, encodings)

    assert chart.intent.chart_type.startswith(drawn)
    assert {row["by_"] for row in chart.spec["data"]["values"]} == {2}
    assert any("distinct by may be added up, so it is not stacked" in n for n in chart.notes)


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_notes_are_kept_when_the_chart_is_replaced(orientation: str) -> None:
    encodings: JsonObject = {**BY_KIND, "color": {"field": "kind", "aggregate": "mean"}}
    wish: JsonObject = {"chart_type": "bar", "encodings": {**encodings, "glow": "kind"}}
    wish["config"] = {"orientation": orientation}

    chart = compile_chart(parse_intent(wish), RowSource(READINGS))

    assert chart.intent.chart_type is ChartType.GROUPED_BAR
    assert sum("kind holds no numbers" in note for note in chart.notes) == 1
    assert sum("no channel glow" in note for note in chart.notes) == 1
    assert len(set(chart.notes)) == len(chart.notes)


@pytest.mark.parametrize("option", ["none", "no", "overlay", "", False, None, ["zero"]])
def test_only_a_way_to_stack_is_a_request_to_stack(option: object) -> None:
    wish: JsonObject = {"chart_type": "bar", "config": {"stack": option}}
    wish["encodings"] = {"x": "year", "y": "life_expect", "color": "country"}

    chart = compile_chart(parse_intent(wish), RowSource(LIVES))

    assert chart.intent.chart_type is ChartType.GROUPED_BAR


@pytest.mark.parametrize("option", ["zero", "normalize", "center", True])
def test_a_way_to_stack_is_a_request_to_stack(option: object) -> None:
    wish: JsonObject = {"chart_type": "bar", "config": {"stack": option}}
    wish["encodings"] = {"x": "year", "y": "life_expect", "color": "country"}

    chart = compile_chart(parse_intent(wish), RowSource(LIVES))

    assert chart.intent.chart_type is ChartType.BAR


def test_single_values_without_evidence_are_not_stacked_by_default() -> None:
    chart = draw(LIVES, "bar", {"x": "year", "y": "life_expect", "color": "country"})

    assert chart.intent.chart_type is ChartType.GROUPED_BAR
    assert chart.intent.encodings[ChartChannel.GROUP] == "country"
    assert chart.spec["encoding"]["xOffset"]["field"] == "country"


@pytest.mark.parametrize(
    ("chart", "measure", "meaning"),
    [
        ("bar", "revenue", "Unknown"),
        ("bar", "level", "Quantity"),
        ("stacked bar", "level", "Unknown"),
        ("area", "orders", "Unknown"),
    ],
)
def test_values_with_evidence_are_stacked(chart: str, measure: str, meaning: str) -> None:
    rows: list[JsonObject] = [
        {"site": site, "kind": kind, measure: 10} for site in "abc" for kind in ("raw", "clean")
    ]

    told = read_meanings({measure: meaning} if meaning != "Unknown" else {})

    drawn = compile_chart(
        parse_intent(
            {"chart_type": chart, "encodings": {"x": "site", "y": measure, "color": "kind"}}
        ),
        RowSource(rows),
        meanings=told,
    )

    assert drawn.intent.chart_type is parse_intent({"chart_type": chart}).chart_type


def test_shares_of_a_whole_are_stacked() -> None:
    rows: list[JsonObject] = [
        {"year": year, "part": part, "pct": pct}
        for year in (2023, 2024)
        for part, pct in (("a", 60.5), ("b", 39.5))
    ]

    chart = draw(rows, "area", {"x": "year", "y": "pct", "color": "part"}, pct="Percentage")

    assert chart.intent.chart_type is ChartType.AREA


def test_the_other_wedge_is_the_sum_of_what_it_gathers() -> None:
    rows: list[JsonObject] = [{"k": f"k{n:02d}", "level": 20 - n} for n in range(20)]

    chart = draw(rows, "pie", {"color": "k", "size": "level"})

    assert values(chart, "k", "level")["Other"] == sum(range(1, 15))
    assert sum(values(chart, "k", "level").values()) == sum(range(1, 21))


@pytest.mark.parametrize(
    ("chart", "encodings"),
    [
        ("histogram", {"x": {"field": "level", "aggregate": "mean"}}),
        ("density", {"x": {"field": "level", "aggregate": "mean"}}),
        ("boxplot", {"x": "site", "y": {"field": "level", "aggregate": "mean"}}),
    ],
)
def test_an_aggregate_that_a_chart_cannot_have_is_told(chart: str, encodings: JsonObject) -> None:
    made = draw(READINGS, chart, encodings)

    assert not made.intent.aggregates
    assert any("level is not averaged" in note for note in made.notes)


def test_the_count_of_a_histogram_is_no_aggregate_of_its_field() -> None:
    chart = draw(READINGS, "histogram", {"x": "level", "y": {"aggregate": "count"}})

    assert not chart.intent.aggregates
    assert not chart.notes


def test_an_aggregate_is_dropped_with_the_field_it_belongs_to() -> None:
    encodings: JsonObject = {"x": "level", "y": {"field": "level", "aggregate": "sum"}}

    assert not parse_intent({"chart_type": "histogram", "encodings": encodings}).aggregates


def test_counted_rows_are_told_as_a_count_and_not_as_the_field_of_texts() -> None:
    encodings: JsonObject = {"x": "site", "y": {"field": "kind", "aggregate": "mean"}}

    chart = draw(READINGS, "bar", encodings)
    chinese = draw(READINGS, "bar", encodings, ChartLanguage.ZH)

    assert chart.intent.encodings == {ChartChannel.X: "site"}
    assert chart.intent.aggregates == {ChartChannel.Y: "count"}
    assert "kind holds no numbers, so it cannot be averaged" in chart.notes
    assert "kind不是数值，无法取平均值" in chinese.notes


SHOPS: list[JsonObject] = [
    {"lon": lon, "lat": lat, "sales": sales}
    for lon, lat in ((-74.0, 40.7), (-87.6, 41.9))
    for sales in (1, 2, 3)
]


@pytest.mark.parametrize("chart", ["world map", "us map"])
def test_a_map_sums_the_rows_of_each_place_if_asked(chart: str) -> None:
    encodings: JsonObject = {"longitude": "lon", "latitude": "lat"}
    encodings["size"] = {"field": "sales", "aggregate": "sum"}

    made = draw(SHOPS, chart, encodings)

    assert [row["sales"] for row in made.spec["data"]["values"]] == [6, 6]
    assert made.spec["layer"][-1]["encoding"]["size"]["title"] == "sum of sales"


@pytest.mark.parametrize(
    ("chart", "axes"),
    [("scatter", ("x", "y")), ("world map", ("longitude", "latitude"))],
)
def test_dots_are_sized_by_the_number_of_their_rows(chart: str, axes: tuple[str, str]) -> None:
    encodings: JsonObject = {axes[0]: "lon", axes[1]: "lat", "size": {"aggregate": "count"}}

    made = compile_chart(
        parse_intent({"chart_type": chart, "encodings": encodings}), RowSource(SHOPS)
    )

    assert [row["_count"] for row in made.spec["data"]["values"]] == [3, 3]


def test_a_ranged_dot_plot_obeys_an_aggregate() -> None:
    encodings: JsonObject = {"x": {"field": "level", "aggregate": "max"}, "y": "site"}

    made = draw(READINGS, "ranged dot", encodings)

    assert [row["level"] for row in made.spec["data"]["values"]] == [30, 30, 30]


SALES: list[JsonObject] = [
    {"month": month, "region": region, "sales": amount}
    for month in ("a", "b")
    for region, amount in (("north", 10), ("south", 30))
]
BY_REGION: JsonObject = {"x": "month", "y": "sales", "color": "region"}


def stack(chart: str, encodings: JsonObject, config: JsonObject | None = None) -> CompiledChart:
    asked: JsonObject = {"chart_type": chart, "encodings": encodings, "config": config or {}}
    return compile_chart(parse_intent(asked), RowSource(SALES))


@pytest.mark.parametrize("option", ["none", None, False, "layered"])
@pytest.mark.parametrize("asked", ["bar", "stacked bar"])
def test_bars_that_are_not_to_be_stacked_are_grouped(asked: str, option: JsonValue) -> None:
    chart = stack(asked, BY_REGION, {"stack": option})

    assert chart.intent.chart_type is ChartType.GROUPED_BAR
    assert any("is not stacked, as requested" in note for note in chart.notes)


def test_the_option_may_stand_in_the_channel() -> None:
    encodings = {**BY_REGION, "y": {"field": "sales", "aggregate": "sum", "stack": None}}

    assert stack("bar", encodings).intent.chart_type is ChartType.GROUPED_BAR


def test_areas_that_are_not_to_be_stacked_lie_over_each_other() -> None:
    chart = stack("area", BY_REGION, {"stack": "none"})

    assert chart.spec["encoding"]["y"]["stack"] is None
    assert stack("area", BY_REGION).spec["encoding"]["y"]["stack"] == "zero"


def test_a_pie_says_that_it_adds_up() -> None:
    chart = stack("pie", {"color": "region", "size": "sales"}, {"stack": None})

    assert chart.intent.chart_type is ChartType.PIE
    assert any("the option stack none is ignored" in note for note in chart.notes)


@pytest.mark.parametrize(
    ("asked", "stack", "drawn"),
    [
        ("stacked bar", "normalize", ChartType.GROUPED_BAR),
        ("bar", "center", ChartType.GROUPED_BAR),
        ("area", "normalize", ChartType.LINE),
        ("streamgraph", "zero", ChartType.LINE),
    ],
)
def test_losses_are_no_shares_of_a_whole(asked: str, stack: str, drawn: ChartType) -> None:
    rows: list[JsonObject] = [
        {"year": year, "shop": shop, "profit": profit}
        for year in (2023, 2024)
        for shop, profit in (("a", 5), ("b", -3))
    ]
    encodings: JsonObject = {"x": "year", "y": "profit", "color": "shop"}
    wish: JsonObject = {"chart_type": asked, "encodings": encodings}
    wish["config"] = {"stack": stack}

    chart = compile_chart(parse_intent(wish), RowSource(rows))

    assert chart.intent.chart_type is drawn
    assert {row["profit"] for row in chart.spec["data"]["values"]} == {5, -3}
    assert "stack" not in chart.spec["encoding"]["y"]
    assert any("no parts of a whole" in note for note in chart.notes)


def test_a_pyramid_of_losses_is_refused() -> None:
    rows: list[JsonObject] = [
        {"age": age, "sex": sex, "saldo": -1} for age in "abc" for sex in "mf"
    ]

    with pytest.raises(ChartImpossible, match="below zero"):
        draw(rows, "pyramid", {"x": "saldo", "y": "age", "color": "sex"})


def test_a_histogram_of_names_says_what_is_missing() -> None:
    with pytest.raises(ChartImpossible, match="site holds no numbers to draw"):
        draw(READINGS, "histogram", {"x": "site"})


def test_areas_above_and_below_zero_do_not_cover_each_other() -> None:
    rows: list[JsonObject] = [
        {"year": year, "unit": unit, "profit": profit}
        for year, profits in ((2021, (500, -300)), (2022, (-200, 400)))
        for unit, profit in zip("ab", profits, strict=True)
    ]

    chart = draw(rows, "area", {"x": "year", "y": "profit", "color": "unit"})

    assert chart.intent.chart_type is ChartType.LINE
    assert any("profit has values below zero" in note for note in chart.notes)


@pytest.mark.parametrize("sign", [1, -1])
def test_areas_of_one_side_are_stacked(sign: int) -> None:
    rows: list[JsonObject] = [
        {"year": year, "unit": unit, "profit": sign * 100} for year in (2021, 2022) for unit in "ab"
    ]

    chart = draw(rows, "area", {"x": "year", "y": "profit", "color": "unit"})

    assert chart.intent.chart_type is ChartType.AREA
