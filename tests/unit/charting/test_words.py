"""A Chinese chart says nothing in English, and an English one is as it was."""

import re

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource, infer_shape
from tests.vega_schema import validate_spec

from yarrow.charting import ChartLanguage, compile_chart, parse_intent, suggest_charts
from yarrow.charting.words import CHINESE_REASONS, SuggestionReason
from yarrow.rendering.render import render_svg

MANY: list[JsonObject] = [{"城市": f"城{n}", "销量": 100 - n} for n in range(12)]
CROWD: list[JsonObject] = [{"城市": f"城{n}", "销量": 100 - n} for n in range(80)]
MOVES: list[JsonObject] = [{"步": "一", "额": 5}, {"步": "二", "额": -2}, {"步": "总计", "额": 3}]
MONTHS: list[JsonObject] = [{"日期": f"2025-{m:02d}-01", "销量": m} for m in range(1, 6)]
LATIN = re.compile(r">[^<]*[A-Za-z]{3,}[^<]*</text>")


def chinese(rows: list[JsonObject], chart: str, encodings: JsonObject) -> JsonObject:
    wish = parse_intent({"chart_type": chart, "encodings": encodings})
    return compile_chart(wish, RowSource(rows), language=ChartLanguage.ZH).spec


@pytest.mark.parametrize(
    ("rows", "chart", "encodings", "said"),
    [
        (MANY, "pie", {"size": "销量", "color": "城市"}, "其他"),
        (MANY, "histogram", {"x": "销量"}, "数量"),
        (MANY, "bar", {"x": "城市"}, "数量"),
        (MANY, "density", {"x": "销量"}, "密度"),
        (CROWD, "bar", {"x": "城市", "y": "销量"}, "省略 12 项"),
        (MOVES, "waterfall", {"x": "步", "y": "额"}, "增加"),
        (MOVES, "waterfall", {"x": "步", "y": "额"}, "减少"),
        (MOVES, "waterfall", {"x": "步", "y": "额"}, "合计"),
        (MONTHS, "line", {"x": "日期", "y": "销量"}, "3月"),
    ],
)
def test_the_words_of_a_chinese_chart_are_chinese(
    rows: list[JsonObject], chart: str, encodings: JsonObject, said: str
) -> None:
    spec = chinese(rows, chart, encodings)
    svg = render_svg(spec)

    assert validate_spec(spec) == []
    assert said in svg
    assert LATIN.findall(svg) == []


def test_every_reason_is_worded_in_chinese() -> None:
    assert CHINESE_REASONS.keys() == set(SuggestionReason)
    assert (
        suggest_charts(infer_shape(MONTHS))[0].reason.describe(ChartLanguage.ZH)
        == "数值随时间的变化"
    )


def test_a_language_without_words_of_ours_is_english() -> None:
    assert [ChartLanguage(code) for code in ("zh", "en", "fr", "")] == ["zh", "en", "en", "en"]


def test_both_halves_of_a_pyramid_have_the_same_end() -> None:
    rows: list[JsonObject] = [
        {"age": age, "sex": sex, "people": count}
        for sex, counts in {"m": (10, 20), "f": (70, 35)}.items()
        for age, count in zip(("0-9", "10-19"), counts, strict=True)
    ]
    wish = parse_intent(
        {"chart_type": "pyramid", "encodings": {"x": "people", "y": "age", "color": "sex"}}
    )

    spec = compile_chart(wish, RowSource(rows)).spec

    assert spec["encoding"]["x"]["scale"]["domain"] == [-70, 70]
