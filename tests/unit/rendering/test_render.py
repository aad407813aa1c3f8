"""Pictures: Chinese is drawn, and nothing is fetched."""

import re
import struct

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.gallery import Exhibit, exhibits
from tests.unit.charting.test_schema import compiled, wish_of
from tests.vega_schema import validate_spec

from yarrow.charting.strip_urls import strip_urls
from yarrow.rendering.fonts import find_bundled_fonts, find_cjk_font
from yarrow.rendering.render import rasterise_svg, render_svg

BAR: JsonObject = {
    "data": {"values": [{"a": "甲", "b": 2}, {"a": "乙", "b": 3}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "a", "type": "nominal"},
        "y": {"field": "b", "type": "quantitative"},
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("exhibit", exhibits(), ids=lambda exhibit: exhibit.chart.name)
def test_every_chart_becomes_a_picture(exhibit: Exhibit) -> None:
    svg = render_svg(compiled(exhibit.rows, wish_of(exhibit)).spec)

    assert svg.startswith("<svg")
    assert "NaN" not in svg
    title = exhibit.config.get("title", "")
    assert str(title) in svg


def test_a_png_has_the_size_asked_for() -> None:
    svg = render_svg(BAR)

    one, two = rasterise_svg(svg), rasterise_svg(svg, 2)

    assert one.startswith(b"\x89PNG")
    assert [2 * side for side in _size(one)] == pytest.approx(_size(two), abs=2)


def _size(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_the_font_came_along_with_its_licence() -> None:
    folder = find_bundled_fonts()

    assert folder is not None
    assert "SIL OPEN FONT LICENSE" in (folder / "OFL.txt").read_text("utf-8").upper()
    assert find_cjk_font() == "Noto Sans SC"


def test_different_chinese_characters_give_different_pictures() -> None:
    """A font without them draws the same empty box for each."""
    titles = ("销售额", "日期率", "地区名")

    pictures = {rasterise_svg(render_svg(BAR | {"title": title})) for title in titles}

    assert len(pictures) == 3


@pytest.mark.parametrize(
    "spec",
    [
        {"data": {"url": "https://example.com/x.csv", "format": {"type": "csv"}}, "mark": "bar"},
        {"data": {"url": "file:///etc/passwd"}, "mark": "point"},
        {"mark": {"type": "bar", "href": "https://example.com"}},
        {"mark": {"type": "image", "url": "data:image/png;base64,xx"}},
        {"encoding": {"href": {"field": "a"}, "url": {"value": "https://example.com"}}},
        {"usermeta": {"embedOptions": {"loader": {"baseURL": "https://example.com"}}}},
        {"transform": [{"lookup": "a", "from": {"data": {"url": "//example.com/t"}, "key": "a"}}]},
        {"layer": [{"data": {"url": "HTTP://example.com"}, "mark": "geoshape"}]},
        {"title": {"text": "x", "anything": " javascript:alert(1)"}},
    ],
)
def test_nothing_that_leads_outside_stays_in_a_spec(spec: JsonObject) -> None:
    said = repr(strip_urls({"$schema": "https://vega.github.io/schema", **spec}))

    assert "example.com" not in said
    assert not any(word in said for word in ("'url'", "'href'", "file:", "javascript:", "base64"))


def test_rows_and_the_schema_are_kept() -> None:
    rows = [{"url": "https://example.com", "href": "x"}]
    spec: JsonObject = {"$schema": "https://vega.github.io/schema", "data": {"values": rows}}

    assert strip_urls(spec) == spec
    assert strip_urls(spec)["data"]["values"] is rows


def test_control_characters_are_left_out_of_pictures() -> None:
    """vl-convert 1.9 aborts the process on them, so this test would not fail but end the run."""
    svg = render_svg(BAR | {"title": "a\x1ab\x00c\x08d\\u001ae\uffffz"})

    assert "abcd\\u001aez" in svg


def test_problems_of_a_spec_are_told_with_their_place() -> None:
    broken = BAR | {"mark": "barr"}

    assert validate_spec(BAR) == []
    assert "$.mark" in validate_spec(broken)[0]
    assert validate_spec({"foo": 1}) != []


def test_text_in_an_svg_falls_back_to_the_readers_own_font() -> None:
    families = set(re.findall(r'font-family="([^"]*)"', render_svg(BAR)))

    assert families == {"Noto Sans SC, Noto Sans CJK SC, system-ui, sans-serif"}
