"""What axes, labels and stacks say is what the rows say."""

import re

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource
from tests.unit.charting.test_compile import spec_of
from tests.vega_schema import validate_spec

from yarrow.charting import compile_chart, parse_intent, read_meanings
from yarrow.charting.errors import ChartWithoutRows
from yarrow.charting.fields import make_field
from yarrow.charting.model import ChartLanguage
from yarrow.charting.number_formats import format_short
from yarrow.rendering.limits import is_size_allowed
from yarrow.rendering.render import render_svg

FOUNDED: list[JsonObject] = [
    {"founded": 1990 + n % 30, "staff": n * 7.5, "kind": "ab"[n % 2]} for n in range(100)
]


def texts(spec: JsonObject) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", render_svg(spec))


@pytest.mark.parametrize(
    ("chart", "wish"),
    [
        ("histogram", {"x": "founded"}),
        ("boxplot", {"x": "kind", "y": "founded"}),
        ("regression", {"x": "founded", "y": "staff"}),
    ],
)
def test_years_that_are_measured_have_no_comma(chart: str, wish: JsonObject) -> None:
    said = texts(spec_of(FOUNDED, chart, wish))

    assert "2000" in said
    assert "2,000" not in said


@pytest.mark.parametrize("most", [1, 2])
def test_whole_numbers_stand_once_on_an_axis(most: int) -> None:
    rows: list[JsonObject] = [{"shop": "abc"[n], "orders": most} for n in range(3)]

    said = texts(spec_of(rows, "bar", {"x": "shop", "y": "orders"}))

    assert [said.count(str(number)) for number in range(most + 1)] == [1] * (most + 1)


def test_a_logarithmic_axis_is_labelled_by_powers_of_ten() -> None:
    rows: list[JsonObject] = [{"gdp": 10 ** (2 + n / 6), "life": 50.5 + n} for n in range(31)]

    said = texts(spec_of(rows, "scatter", {"x": "gdp", "y": "life"}))

    assert {"100", "1k", "10k", "100k", "1M", "10M"} <= set(said)
    assert "70k" not in said


@pytest.mark.parametrize("chart", ["stacked bar", "streamgraph"])
def test_a_stack_may_be_higher_than_its_parts_can_be(chart: str) -> None:
    rows: list[JsonObject] = [
        {"year": year, "part": part, "share": 60} for year in (2023, 2024) for part in "abc"
    ]
    wish: JsonObject = {
        "type": chart,
        "encodings": {"x": "year", "y": "share", "color": "part"},
    }
    told = read_meanings({"share": {"semantic_type": "Percentage", "intrinsic_domain": [0, 100]}})

    spec = compile_chart(parse_intent(wish), RowSource(rows), meanings=told).spec

    assert "domain" not in spec["encoding"]["y"]["scale"]


def test_each_panel_of_a_waterfall_begins_at_zero() -> None:
    rows: list[JsonObject] = [
        {"shop": shop, "step": step, "amount": 10} for shop in "ab" for step in ("one", "two")
    ]

    spec = spec_of(rows, "waterfall", {"x": "step", "y": "amount", "facet": "shop"})

    assert [row["_from"] for row in spec["data"]["values"]] == [0, 10, 0, 10]


@pytest.mark.parametrize(
    ("value", "language", "text"),
    [
        (0.0042, ChartLanguage.EN, "0.0042"),
        (-0.001, ChartLanguage.EN, "-0.001"),
        (0, ChartLanguage.EN, "0"),
        (0.25, ChartLanguage.EN, "0.25"),
        (9_000, ChartLanguage.EN, "9,000"),
        (999_999, ChartLanguage.EN, "1M"),
        (9_000, ChartLanguage.ZH, "9,000"),
        (-25_000, ChartLanguage.ZH, "-2.5万"),
        (10_499, ChartLanguage.ZH, "1.05万"),
        (104_000_000, ChartLanguage.ZH, "1.04亿"),
        (140e12, ChartLanguage.EN, "140T"),
        (140e12, ChartLanguage.ZH, "140万亿"),
        (272_600_000_000, ChartLanguage.HANT, "2,726億"),
    ],
)
def test_small_and_rounded_numbers_are_written_as_they_are(
    value: float, language: ChartLanguage, text: str
) -> None:
    assert format_short(value, make_field("v", "v"), language) == text


@pytest.mark.parametrize(
    ("chart", "config"),
    [
        ("scatter", {"opacity": True}),
        ("regression", {"regressionMethod": "poly", "polyOrder": True}),
        ("map", {"projectionCenter": [float("inf"), float("nan")]}),
    ],
)
def test_a_config_of_wrong_values_is_passed_over(chart: str, config: JsonObject) -> None:
    rows: list[JsonObject] = [{"a": n + 0.5, "b": n * 2.5} for n in range(9)]

    assert validate_spec(spec_of(rows, chart, {"x": "a", "y": "b"}, **config)) == []


@pytest.mark.slow
@pytest.mark.parametrize("chart", ["radar", "rose", "bar table", "bar"])
def test_long_names_and_titles_do_not_make_a_picture_too_large(chart: str) -> None:
    rows: list[JsonObject] = [{"名": f"{n}" + "很长的名字" * 50, "v": n + 1} for n in range(3)]
    wish: JsonObject = {"x": "名", "y": "v", "facet": "名"}

    assert is_size_allowed(render_svg(spec_of(rows, chart, wish, title="标题" * 150)), 2)


def test_a_long_waterfall_keeps_every_step() -> None:
    changes = [n if n % 2 else -n for n in range(80)]
    rows: list[JsonObject] = [{"step": f"s{n:02}", "amount": by} for n, by in enumerate(changes)]

    values = spec_of(rows, "waterfall", {"x": "step", "y": "amount"})["data"]["values"]

    assert len(values) == len(changes)
    assert values[-1]["_to"] == sum(changes)


@pytest.mark.parametrize("chart", ["bar", "stacked bar", "lollipop", "line", "scatter"])
@pytest.mark.parametrize("empty", ["k", "v"])
def test_a_column_without_a_value_is_not_counted_instead(chart: str, empty: str) -> None:
    rows: list[JsonObject] = [{"k": name, "v": n} | {empty: None} for n, name in enumerate("ab")]

    with pytest.raises(ChartWithoutRows, match=f"no row has a value for {empty}"):
        spec_of(rows, chart, {"x": "k", "y": "v"})


@pytest.mark.parametrize("name", ["heart_rate", "exchangeRate", "心率", "人民币汇率"])
def test_rates_of_another_kind_are_no_percents(name: str) -> None:
    rows: list[JsonObject] = [{"k": "a", name: 62.5}, {"k": "b", name: 71.0}]

    assert "%" not in str(spec_of(rows, "bar", {"x": "k", "y": name})["encoding"]["y"])


def test_a_box_of_equal_values_is_drawn_as_a_line_in_its_colour() -> None:
    rows: list[JsonObject] = [{"k": name, "v": 5} for name in "ab" for _ in range(4)]

    svg = render_svg(spec_of(rows, "boxplot", {"x": "k", "y": "v"}))

    assert re.findall(r'description="tick" d="[^"]+" fill="([^"]+)"', svg) == ["#0072B2"] * 2


def test_the_numbers_of_a_diverging_heatmap_contrast_with_their_cells() -> None:
    rows: list[JsonObject] = [
        {"q": q, "k": k, "growth": growth}
        for (q, k), growth in zip(
            [(q, k) for q in "ab" for k in "xy"], (-0.4, -0.05, 0.04, 0.38), strict=True
        )
    ]

    svg = render_svg(spec_of(rows, "heatmap", {"x": "q", "y": "k", "color": "growth"}))

    inks = dict.fromkeys(re.findall(r'fill="(\w+)">([^<]*%)</text>', svg))
    written = {text: ink for ink, text in inks}
    assert written["−40.0%"] == written["+38.0%"] == "white"
    assert written["−5.0%"] == written["+4.0%"] == "black"
