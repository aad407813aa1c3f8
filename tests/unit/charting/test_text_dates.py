"""Dates that are stored as text: guesses of their order and texts that are no dates are told."""

from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource

from yarrow.charting import CompiledChart, RowFilter, compile_chart, parse_intent


def draw(
    *days: str, chart: str = "line", unit: str = "", row_filter: RowFilter | None = None
) -> CompiledChart:
    rows: list[JsonObject] = [{"day": day, "sales": 1 + n} for n, day in enumerate(days)]
    wish: JsonObject = {"chart_type": chart, "encodings": {"x": "day", "y": "sales"}}
    wish["config"] = {"timeUnit": unit} if unit else {}
    return compile_chart(parse_intent(wish), RowSource(rows), row_filter=row_filter)


def list_days(chart: CompiledChart) -> list[object]:
    return [row["day"] for row in chart.spec["data"]["values"]]


def test_an_order_that_no_value_decides_is_told() -> None:
    chart = draw("05/02/2024", "06/02/2024")

    assert list_days(chart) == ["2024-05-02", "2024-06-02"]
    assert (
        "day: dates such as 05/02/2024 are read as 2024-05-02, a guess: the values do not decide "
        "the order of day and month"
    ) in chart.notes


def test_two_orders_in_one_column_are_told() -> None:
    chart = draw("13/02/2024", "02/14/2024", "03/04/2024")

    assert list_days(chart) == ["2024-02-13", "2024-02-14", "2024-04-03"]
    assert any("03/04/2024 are read as 2024-04-03, a guess" in note for note in chart.notes)


def test_an_order_that_a_value_decides_is_no_guess() -> None:
    assert not any("guess" in note for note in draw("13/02/2024", "03/04/2024").notes)


def test_rows_that_a_filter_leaves_keep_the_order_of_the_table() -> None:
    chart = draw(
        "05/02/2024", "06/03/2024", "25/03/2024", row_filter=RowFilter("t", "sales <= 2", 2)
    )

    assert list_days(chart) == ["2024-02-05", "2024-03-06"]


def test_rows_without_a_date_are_told() -> None:
    days = ("2024-01-05", "2024-01-06", "2024-02-01", "2024-02-02", "TBD")

    for chart in (draw(*days), draw(*days, unit="month"), draw(*days, chart="bar")):
        assert "1 rows have no date in day but a text such as TBD" in chart.notes


def test_grouped_texts_of_separate_months_are_months() -> None:
    chart = draw("2024-01-05", "05/17/2024", "2024-03-01", unit="month")

    assert list_days(chart) == ["2024-01-01", "2024-05-01", "2024-03-01"]
    assert "day is grouped by month" in chart.notes
