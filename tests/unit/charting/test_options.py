"""Options of a chart: they change it, or a note says that they do not."""

import pytest
from tests.loose_json import JsonObject, JsonValue
from tests.unit.charting.gallery import Exhibit, exhibits
from tests.unit.charting.row_source import RowSource

from yarrow.charting import ChartType, compile_chart, parse_intent

OTHER_VALUES: dict[str, JsonValue] = {
    "opacity": 0.31,
    "regressionMethod": "log",
    "polyOrder": 4,
    "binCount": 7,
    "maxbins": 7,
    "interpolate": "step",
    "innerRadius": 37,
    "colorScheme": "blues",
    "projection": "mercator",
    "projectionCenter": [100, 30],
    "orientation": "horizontal",
    "limit": 5,
}
NEEDED_OPTIONS: dict[str, JsonObject] = {
    "polyOrder": {"regressionMethod": "poly"},
    "projectionCenter": {"projection": "mercator"},
}
ROWS: list[JsonObject] = [{"v": n} for n in range(100)]


@pytest.mark.parametrize("option", OTHER_VALUES)
@pytest.mark.parametrize("exhibit", exhibits(), ids=lambda exhibit: str(exhibit.chart))
def test_an_option_changes_the_chart_or_is_named(exhibit: Exhibit, option: str) -> None:
    encodings = dict(exhibit.encodings)
    if exhibit.chart is ChartType.LOLLIPOP:
        encodings = {"x": encodings["y"], "y": encodings["x"]}
    request: JsonObject = {"chart_type": str(exhibit.chart), "encodings": encodings}
    plain: JsonObject = {**exhibit.config, **NEEDED_OPTIONS.get(option, {})}
    plain.pop(option, None)
    source = RowSource(exhibit.rows)

    before = compile_chart(parse_intent({**request, "config": plain}), source)
    after = compile_chart(
        parse_intent({**request, "config": {**plain, option: OTHER_VALUES[option]}}), source
    )

    notes = [n for n in after.notes if "no option of this chart" in n and option in n]
    assert (after.spec != before.spec) is not bool(notes)


@pytest.mark.parametrize(
    ("bins", "width"), [(True, 5), ({"maxbins": 4}, 25), ({"maxbins": 12}, 10)]
)
def test_the_bins_of_a_channel_are_those_of_the_histogram(bins: JsonValue, width: int) -> None:
    wish: JsonObject = {"chart_type": "histogram", "encodings": {"x": {"field": "v", "bin": bins}}}

    chart = compile_chart(parse_intent(wish), RowSource(ROWS))

    assert {row["_step"] for row in chart.spec["data"]["values"]} == {width}
    assert chart.notes == ()


@pytest.mark.parametrize("count", [1, 500, "9"])
def test_a_number_of_bins_that_is_not_drawn_is_named(count: JsonValue) -> None:
    request: JsonObject = {"chart_type": "histogram", "encodings": {"x": "v"}}

    chart = compile_chart(parse_intent({**request, "config": {"binCount": count}}), RowSource(ROWS))

    assert chart.notes == (f"binCount {count}: no option of this chart; it has no effect",)


def test_bins_of_another_form_are_named() -> None:
    x: JsonObject = {"field": "v", "bin": {"step": 25, "maxbins": 4}}

    intent = parse_intent({"chart_type": "histogram", "encodings": {"x": x}})

    assert intent.notes == ("bin.step: no option of this chart; it has no effect",)


@pytest.mark.parametrize("key", ["scale", "sort", "filter", "impute"])
def test_what_a_channel_asks_for_in_vain_is_told(key: str) -> None:
    value: JsonObject = {"field": "v", key: {"type": "log"}}
    wish: JsonObject = {"chart_type": "scatter", "encodings": {"x": "v", "y": value}}

    notes = compile_chart(parse_intent(wish), RowSource(ROWS)).notes

    assert f"{key}: no option of this chart; it has no effect" in notes
