"""Rows that are totals of others are told where no channel of a chart shows them."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.question_table import QuestionTable
from tests.unit.charting.row_source import RowSource

from yarrow.charting import ChartLanguage, RowFilter, compile_chart, parse_intent

ROWS: list[JsonObject] = [
    {"region": region, "month": month, "qty": qty}
    for region, month, qty in (
        ("North", "Jan", 10),
        ("North total", "Jan", 10),
        ("South", "Feb", 20),
        ("Total", "Feb", 30),
    )
]
TOLD = "rows that the column region calls North total, Total may be totals of others"


def list_notes(rows: list[JsonObject], chart: str, wish: JsonObject, **options) -> list[str]:
    intent = parse_intent({"chart_type": chart, "encodings": wish})
    return list(compile_chart(intent, RowSource(rows), **options).notes)


@pytest.mark.parametrize(
    ("chart", "wish"),
    [
        ("kpi", {"value": {"field": "qty", "aggregate": "sum"}}),
        ("bar", {"x": "month", "y": "qty"}),
        ("bar", {"x": "month"}),
        ("histogram", {"x": "qty"}),
    ],
)
def test_totals_in_a_column_that_is_not_drawn_are_told(chart: str, wish: JsonObject) -> None:
    assert any(note.startswith(TOLD) for note in list_notes(ROWS, chart, wish))


def test_totals_are_told_in_the_language_of_the_chart() -> None:
    rows: list[JsonObject] = [
        {"地区": place, "数量": n} for place, n in (("华东", 1), ("华东小计", 1), ("合计：", 2))
    ]
    wish: JsonObject = {"value": {"field": "数量", "aggregate": "sum"}}

    notes = list_notes(rows, "kpi", wish, language=ChartLanguage.ZH)

    assert "地区列为华东小计, 合计：的行可能是其他行的合计，也一并计入" in notes


def test_only_the_rows_that_are_drawn_count() -> None:
    wish: JsonObject = {"value": {"field": "qty", "aggregate": "sum"}}
    without = RowFilter("t", "region NOT LIKE '%otal'", 2)
    only = RowFilter("t", "region = 'Total'", 1)

    for row_filter in (without, only):
        notes = list_notes(ROWS, "kpi", wish, row_filter=row_filter)
        assert not any("may be totals" in note for note in notes)


def test_a_total_at_the_end_of_many_rows_is_told() -> None:
    sql = "SELECT CASE WHEN i = 29999 THEN 'Total' ELSE 'r' || i % 9 END AS region, i AS amount"
    table = QuestionTable("t", f"{sql} FROM range(30000) AS t(i)")

    asked = table.ask("total amount")

    assert any("calls Total may be totals of others" in note for note in asked.notes)
