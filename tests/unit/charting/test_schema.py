"""Whatever the table and the wish: a valid spec with its fields inside, or a stated reason."""

import copy
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from tests.examples import scale_examples
from tests.loose_json import JsonObject, JsonValue
from tests.unit.charting.gallery import Exhibit, exhibits
from tests.unit.charting.row_source import RowSource
from tests.unit.charting.strategies import wishes
from tests.vega_schema import validate_spec

from yarrow.charting import ChartType, CompiledChart, compile_chart, parse_intent
from yarrow.charting.errors import ChartImpossible
from yarrow.kit.json import encode_json


def compiled(rows: list[JsonObject], wish: JsonObject) -> CompiledChart:
    return compile_chart(parse_intent(wish), RowSource(rows))


def wish_of(exhibit: Exhibit) -> JsonObject:
    return {
        "chart_type": str(exhibit.chart),
        "encodings": exhibit.encodings,
        "config": exhibit.config,
    }


def fields_of(value: JsonValue) -> Iterator[str]:
    """Every field that a spec names, outside its rows and layers with data of their own."""
    match value:
        case dict():
            for key, inner in value.items():
                if key == "field" and isinstance(inner, str):
                    yield inner
                elif key not in {"data", "config"}:
                    yield from fields_of(inner)
        case list():
            for inner in value:
                if not (isinstance(inner, dict) and "data" in inner):
                    yield from fields_of(inner)


def test_the_gallery_shows_every_chart() -> None:
    assert {exhibit.chart for exhibit in exhibits()} == set(ChartType)


@pytest.mark.parametrize("exhibit", exhibits(), ids=lambda exhibit: exhibit.chart.name)
def test_every_chart_is_valid_vega_lite(exhibit: Exhibit) -> None:
    spec = compiled(exhibit.rows, wish_of(exhibit)).spec

    assert validate_spec(spec) == []
    assert spec["data"]["values"]


@pytest.mark.parametrize("facets", [{"facet": "panel"}, {"column": "panel", "row": "side"}])
@pytest.mark.parametrize("exhibit", exhibits(), ids=lambda exhibit: exhibit.chart.name)
def test_every_chart_can_be_divided_into_panels(exhibit: Exhibit, facets) -> None:
    rows = [
        row | {"panel": f"部分{n % 3}", "side": "ab"[n % 2]}
        for n, row in enumerate(exhibit.rows * 2)
    ]
    wish = wish_of(exhibit)
    wish["encodings"] = wish["encodings"] | facets

    assert validate_spec(compiled(rows, wish).spec) == []


@settings(max_examples=scale_examples(100))
@given(wishes())
def test_any_wish_gives_a_valid_spec_or_a_reason(wish: tuple[list[JsonObject], JsonObject]) -> None:
    rows, told = wish
    before = copy.deepcopy(rows)

    try:
        chart = compiled(rows, told)
    except ChartImpossible:
        return

    assert validate_spec(chart.spec) == []
    values = chart.spec["data"]["values"]
    assert values
    made = {"_density"}
    assert set(fields_of(chart.spec)) - made <= {key for row in values for key in row}
    assert b"NaN" not in encode_json(chart.spec)
    assert repr(rows) == repr(before)
