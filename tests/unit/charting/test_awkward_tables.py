"""Tables as people have them: odd names of columns, missing names, names that are numbers."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.gallery import Exhibit, exhibits
from tests.unit.charting.test_compile import spec_of
from tests.unit.charting.test_schema import compiled, wish_of
from tests.vega_schema import validate_spec

from yarrow.rendering.render import render_svg

ODD = ("销售额\n(万元)", "constructor", "toString", "_step", "_count", "a\tb", "it's [0].x")


def renamed(exhibit: Exhibit, name: str) -> tuple[list[JsonObject], JsonObject]:
    """The exhibit with its first field called otherwise."""
    old = next(iter(exhibit.encodings.values()))
    rows = [{name if key == old else key: row[key] for key in row} for row in exhibit.rows]
    wish = wish_of(exhibit)
    fields = exhibit.encodings.items()
    return rows, wish | {"encodings": {c: name if f == old else f for c, f in fields}}


def name_chart(value: int | Exhibit) -> str:
    return value.chart.name if isinstance(value, Exhibit) else ""


@pytest.mark.slow
@pytest.mark.parametrize(("place", "exhibit"), list(enumerate(exhibits())), ids=name_chart)
def test_a_column_may_be_called_anything(place: int, exhibit: Exhibit, thorough: bool) -> None:
    """Two names for each chart, others for the next one; all of them with `--thorough`."""
    names = ODD if thorough else (ODD[place % len(ODD)], ODD[(place + 3) % len(ODD)])
    for name in names:
        rows, wish = renamed(exhibit, name)

        assert "<path" in render_svg(compiled(rows, wish).spec), name


@pytest.mark.parametrize("channel", ["x", "color", "facet"])
def test_missing_names_are_a_name_of_their_own(channel: str) -> None:
    rows: list[JsonObject] = [
        {"region": region, "shop": shop, "sales": 3}
        for region in ("North", None, "South")
        for shop in ("a", "b")
    ]
    wish = {"x": "shop", "y": "sales"} | {channel: "region"}

    svg = render_svg(spec_of(rows, "bar", wish))

    assert ">–<" in svg
    assert ">null<" not in svg


def test_series_keep_colours_of_their_own_beside_missing_names() -> None:
    rows: list[JsonObject] = [{"g": g, "x": "a", "y": 1} for g in ("one", None, "two")]

    spec = spec_of(rows, "bar", {"x": "x", "y": "y", "color": "g"})

    assert len(spec["encoding"]["color"]["scale"]["range"]) == 3


def test_lines_still_leave_out_rows_without_a_moment() -> None:
    rows: list[JsonObject] = [{"quarter": quarter, "sales": 2} for quarter in ("Q1", None, "Q2")]

    assert len(spec_of(rows, "line", {"x": "quarter", "y": "sales"})["data"]["values"]) == 2


def test_a_card_without_a_name_does_not_say_none() -> None:
    rows: list[JsonObject] = [{"metric": None, "value": 3}, {"metric": "a", "value": 4}]

    values = spec_of(rows, "kpi", {"metric": "metric", "value": "value"})["data"]["values"]

    assert [row["_name"] for row in values] == ["–", "a"]


def test_a_pie_of_many_years_is_valid() -> None:
    rows: list[JsonObject] = [{"year": 2010 + n, "sales": n + 1} for n in range(12)]

    assert validate_spec(spec_of(rows, "pie", {"color": "year", "size": "sales"})) == []
