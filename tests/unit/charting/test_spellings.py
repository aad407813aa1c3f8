"""Texts that differ only in case or outer spaces are counted apart, and a note tells it."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource

from yarrow.charting import ChartLanguage, compile_chart, parse_intent

CITIES = ("Paris", "PARIS", "Oslo", "oslo ", "Rome")
SALES: list[JsonObject] = [
    {"city": city, "month": month, "code": code, "amount": 10 + place}
    for place, city in enumerate(CITIES)
    for month, code in (("Jan", f"k{place}"), ("Feb", f"K{place}"))
]


def list_notes(rows: list[JsonObject], chart: str, wish: JsonObject, **options) -> list[str]:
    intent = parse_intent({"chart_type": chart, "encodings": wish})
    drawn = compile_chart(intent, RowSource(rows), **options)
    return [note for note in drawn.notes if "only case" in note or "大小写" in note]


@pytest.mark.parametrize(
    ("chart", "wish"),
    [
        ("bar", {"x": "city"}),
        ("pie", {"color": "city", "size": "amount"}),
        ("line", {"x": "month", "y": "amount", "color": "city"}),
        ("heatmap", {"x": "month", "y": "city", "color": "amount"}),
        ("bar", {"x": "month", "y": "amount", "column": "city"}),
        ("boxplot", {"x": "city", "y": "amount"}),
    ],
)
def test_a_chart_tells_which_values_may_be_the_same(chart: str, wish: JsonObject) -> None:
    (note,) = list_notes(SALES, chart, wish)

    assert note == (
        'city: "Oslo" / "oslo ", "PARIS" / "Paris" are taken for different values; only case or '
        "spaces around them distinguish them"
    )


def test_values_that_are_gathered_are_compared_too() -> None:
    many: list[JsonObject] = [
        {"city": city, "amount": 1} for n in range(100) for city in (f"Town {n}", f"TOWN {n}")
    ]

    (note,) = list_notes(many, "bar", {"x": "city", "y": "amount"})

    assert note.startswith('city: "TOWN 0" / "Town 0", ')
    assert ", … are taken" in note


def test_the_note_is_in_the_language_of_the_chart() -> None:
    (note,) = list_notes(SALES, "bar", {"x": "city"}, language=ChartLanguage.ZH)

    assert note.startswith('city："Oslo" / "oslo ", "PARIS" / "Paris"仅大小写')


@pytest.mark.parametrize(
    ("chart", "wish"),
    [
        ("bar", {"x": "month", "y": "amount"}),
        ("bar", {"x": "code", "y": "amount"}),
        ("scatter", {"x": "amount", "y": "amount", "color": "city"}),
    ],
)
def test_columns_that_are_not_grouped_by_and_codes_need_no_note(
    chart: str, wish: JsonObject
) -> None:
    assert list_notes(SALES, chart, wish) == []
