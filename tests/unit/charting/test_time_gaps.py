"""Times without rows between bars that stand side by side are told."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource

from yarrow.charting import compile_chart, parse_intent
from yarrow.charting.time_gaps import find_gaps


@pytest.mark.parametrize(
    ("labels", "gaps"),
    [
        (["2024-01", "2024-02", "2024-05", "2024-06"], ["2024-02 – 2024-05"]),
        (["2024-05", "2023-12", "2024-01", "–"], ["2024-01 – 2024-05"]),
        (["2015", "2016", "2020"], ["2016 – 2020"]),
        (["2016", "2020", "2024"], []),
        (["2023-Q4", "2024-Q1", "2024-Q3"], ["2024-Q1 – 2024-Q3"]),
        (["2024-W52", "2025-W01", "2025-W03"], ["2025-W01 – 2025-W03"]),
        (["2024-01", "2024-02"], []),
        (["2024-01-01", "2024-01-02", "2024-01-05"], []),
        (["North", "South"], []),
    ],
)
def test_gaps_are_where_steps_are_longer_than_others(labels: list[str], gaps: list[str]) -> None:
    assert find_gaps(labels) == gaps


@pytest.mark.parametrize(("chart", "is_told"), [("bar", True), ("line", False)])
def test_a_gap_is_told_where_the_axis_does_not_show_it(chart: str, *, is_told: bool) -> None:
    months = ("2024-01", "2024-02", "2024-05")
    rows: list[JsonObject] = [{"month": month, "sales": 1} for month in months]
    wish: JsonObject = {"chart_type": chart, "encodings": {"x": "month", "y": "sales"}}

    notes = compile_chart(parse_intent(wish), RowSource(rows)).notes

    told = "month: times without rows have no place on the axis: 2024-02 – 2024-05"
    assert (told in notes) is is_told
