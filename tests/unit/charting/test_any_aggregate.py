"""Whatever aggregate a request writes in a channel, a chart is drawn or refused."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import product

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource

from yarrow.charting import Aggregate, ChartChannel, ChartType, compile_chart, parse_intent
from yarrow.charting.chart_types import KNOWN, NEEDED, TURNABLE
from yarrow.charting.errors import ChartImpossible

ROWS: list[JsonObject] = [
    {
        "number": n % 4 + 0.5 if n % 5 else None,
        "name": "abc"[n % 3],
        "size": n % 7,
        "east": n - 110,
        "north": 40,
    }
    for n in range(24)
]
OTHER = {ChartChannel.LONGITUDE: "east", ChartChannel.LATITUDE: "north"}
MEASURES: list[JsonObject] = [
    *({"field": "number", "aggregate": str(aggregate)} for aggregate in Aggregate),
    *({"field": "name", "aggregate": aggregate} for aggregate in ("count", "distinct")),
    {"aggregate": "count"},
]


def list_encodings(chart: ChartType) -> Iterator[JsonObject]:
    """Each channel aggregated, alone and beside the channels that the chart needs."""
    channels = sorted(KNOWN[chart] - {ChartChannel.ROW})
    for channel, measure in product(channels, MEASURES):
        asked: JsonObject = {str(channel): measure}
        yield asked
        yield {**{str(channel): OTHER.get(channel, "size") for channel in NEEDED[chart]}, **asked}


@pytest.mark.parametrize(
    ("chart", "orientation"),
    [*((chart, "") for chart in ChartType), *((chart, "horizontal") for chart in sorted(TURNABLE))],
)
def test_no_aggregate_breaks_a_chart(chart: ChartType, orientation: str) -> None:
    source, drawn = RowSource(ROWS), 0
    for encodings in list_encodings(chart):
        wish: JsonObject = {"chart_type": str(chart), "encodings": encodings}
        wish["config"] = {"orientation": orientation}
        with suppress(ChartImpossible):
            compile_chart(parse_intent(wish), source)
            drawn += 1
    assert drawn > 0


@pytest.mark.parametrize("chart", ["Bar Chart", "Stacked Bar Chart", "Lollipop Chart"])
def test_bars_without_a_measure_count_rows_whatever_aggregate_x_has(chart: str) -> None:
    x: JsonObject = {"field": "size", "aggregate": "sum"}

    drawn = compile_chart(
        parse_intent({"chart_type": chart, "encodings": {"x": x}}), RowSource(ROWS)
    )

    rows = {row["size"]: row["_count"] for row in drawn.spec["data"]["values"]}
    assert rows == {n: 4 if n < 3 else 3 for n in range(7)}
    assert f"size is not summed: x of a {chart} has no aggregate" in drawn.notes
    assert "rows are counted" in drawn.notes


def test_a_box_plot_of_a_name_is_refused_in_both_directions() -> None:
    wish: JsonObject = {"chart_type": "boxplot", "encodings": {"y": "name"}}
    wish["config"] = {"orientation": "horizontal"}

    with pytest.raises(ChartImpossible):
        compile_chart(parse_intent(wish), RowSource(ROWS))
