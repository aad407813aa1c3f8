"""Reading a chart as models word it: tolerant, and honest about what it drops."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loose_json import JsonObject, JsonValue
from tests.unit.charting.row_source import RowSource

from yarrow.charting import (
    ChartChannel,
    ChartType,
    FieldMeaning,
    SemanticType,
    compile_chart,
    parse_intent,
    read_meanings,
)

ROWS: list[JsonObject] = [{"a": 1.5, "b": 2.5, "c": "x"}, {"a": 3.5, "b": 0.5, "c": "y"}]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("bar", ChartType.BAR),
        ("Bar Chart", ChartType.BAR),
        ("line", ChartType.LINE),
        ("Line Chart", ChartType.LINE),
        ("scatter", ChartType.SCATTER),
        ("point", ChartType.SCATTER),
        ("Scatter Plot", ChartType.SCATTER),
        ("grouped_bar", ChartType.GROUPED_BAR),
        ("group_bar", ChartType.GROUPED_BAR),
        ("Grouped Bar Chart", ChartType.GROUPED_BAR),
        ("pie", ChartType.PIE),
        ("worldmap", ChartType.WORLD_MAP),
        ("US-Map", ChartType.US_MAP),
        ("HEAT MAP", ChartType.HEATMAP),
        ("kpi card", ChartType.KPI_CARD),
        ("Ranged Dot Plot", ChartType.RANGED_DOT),
        ("box plot", ChartType.BOXPLOT),
    ],
)
def test_short_names_case_and_punctuation_do_not_matter(said, meant) -> None:  # reference, §10
    assert parse_intent({"chart_type": said}).chart_type is meant


@pytest.mark.parametrize("chart", ChartType)
def test_every_full_name_is_understood(chart: ChartType) -> None:
    intent = parse_intent({"chart_type": str(chart), "encodings": {}})

    assert (intent.chart_type, intent.notes) == (chart, ())


def test_an_unknown_chart_is_a_scatter_plot_with_a_note() -> None:  # reference, §10
    intent = parse_intent({"chart_type": "hologram", "encodings": {"x": "a", "y": "b"}})

    assert intent.chart_type is ChartType.SCATTER
    assert "hologram" in intent.notes[0]


def test_facet_is_called_column() -> None:  # reference, §10
    intent = parse_intent({"chart_type": "bar", "encodings": {"x": "a", "y": "b", "facet": "c"}})

    assert intent.encodings == {ChartChannel.X: "a", ChartChannel.Y: "b", ChartChannel.COLUMN: "c"}


def test_a_channel_the_chart_does_not_know_is_dropped_with_a_note() -> None:
    intent = parse_intent({"chart_type": "bar", "encodings": {"x": "a", "open": "b", "glow": "c"}})

    assert intent.encodings == {ChartChannel.X: "a"}
    assert ["open" in intent.notes[0], "glow" in intent.notes[1]] == [True, True]


def test_a_pie_may_be_told_by_x_and_y() -> None:
    intent = parse_intent({"chart_type": "pie", "encodings": {"x": "c", "y": "a"}})

    assert intent.encodings == {ChartChannel.COLOR: "c", ChartChannel.SIZE: "a"}


def test_fields_may_be_objects_as_in_vega_lite_and_empty_ones_are_none() -> None:
    told = {"x": {"field": "a"}, "y": None, "color": "", "size": {"value": 3}}

    assert parse_intent({"type": "scatter", "encoding": told}).encodings == {ChartChannel.X: "a"}


@pytest.mark.parametrize(("chart_type", "mark"), [("bar", "bar"), ("line", "line")])
def test_a_chart_without_encodings_stays_what_it_is_called(chart_type: str, mark: str) -> None:
    chart = compile_chart(parse_intent({"chart_type": chart_type}), RowSource(ROWS))

    assert chart.spec["mark"]["type"] == mark
    assert chart.intent.chart_type is parse_intent({"chart_type": chart_type}).chart_type
    drawn = {chart.spec["encoding"][axis]["field"] for axis in ("x", "y")}
    assert drawn == set(chart.intent.encodings.values())
    assert chart.notes


def test_what_cannot_be_drawn_bare_is_called_the_scatter_plot_it_becomes() -> None:
    rows: list[JsonObject] = [{"a": "x", "b": "y"}, {"a": "z", "b": "w"}]

    chart = compile_chart(parse_intent({"chart_type": "candlestick"}), RowSource(rows))

    assert chart.intent.chart_type is ChartType.SCATTER
    assert chart.spec["mark"]["type"] == "circle"


def test_meanings_are_read_from_words_and_from_objects() -> None:  # reference, §10
    told: JsonObject = {
        "a": "Price",
        "b": {"semantic_type": "Percentage", "unit": "%", "intrinsic_domain": [0, 100]},
        "c": "Flavour",
        "d": None,
    }

    assert read_meanings(told) == {
        "a": FieldMeaning(SemanticType.PRICE),
        "b": FieldMeaning(SemanticType.PERCENTAGE, "%", (0.0, 100.0)),
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(("chart_type", "type", "encodings", "config", "other")), json_values
    )
)
def test_any_json_object_is_an_intent(raw) -> None:
    assert parse_intent(raw).chart_type in ChartType
    assert read_meanings(raw) is not None


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Horizontal Bar Chart", ChartType.BAR),
        ("100% Stacked Bar", ChartType.STACKED_BAR),
        ("Multi-Line Chart", ChartType.LINE),
        ("柱状图", ChartType.BAR),
        ("饼图", ChartType.PIE),
        ({"type": "bar"}, ChartType.BAR),
    ],
)
def test_what_models_call_charts(said: JsonValue, meant: ChartType) -> None:
    intent = parse_intent({"mark": said, "encodings": {"x": "a"}})

    assert (intent.chart_type, intent.notes) == (meant, ())


@pytest.mark.parametrize("told", [["v"], {"name": "v"}, {"column": "v"}, {"field": "v"}])
def test_a_field_is_found_however_it_is_wrapped(told: JsonValue) -> None:
    assert parse_intent({"chart_type": "bar", "encodings": {"y": told}}).encodings == {"y": "v"}


def test_what_is_not_done_is_said() -> None:
    wished: JsonObject = {"x": 5, "y": {"field": "v", "aggregate": "loudest"}}

    intent = parse_intent({"chart_type": "bar", "encodings": wished})

    assert intent.notes == (
        "x names no field: 5",
        "y is not aggregated: there is no aggregate 'loudest'",
    )


@pytest.mark.parametrize(
    ("wish", "names"),
    [
        ({"config": {"filter": "v > 3", "limit": 5, "title": "T"}}, "filter, limit"),
        ({"config": {"timeUnit": "dayofweek"}}, "timeUnit dayofweek"),
        ({"encodings": {"x": {"field": "v", "bin": True}, "y": {"aggregate": "count"}}}, "bin"),
    ],
)
def test_options_without_effect_are_named(wish: JsonObject, names: str) -> None:
    intent = parse_intent({"chart_type": "bar", **wish})

    assert f"{names}: no option of this chart; it has no effect" in intent.notes


def test_options_with_effect_are_not_named() -> None:
    wish: JsonObject = {"config": {"stackMode": "normalize", "timeUnit": "yearmonth"}}

    assert parse_intent({"chart_type": "bar", **wish}).notes == ()
