"""A unit of time that a request names groups the times, or a note says that it does not."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from tests.loose_json import JsonObject, JsonValue
from tests.unit.charting.row_source import RowSource

from yarrow.charting import CompiledChart, DType, compile_chart, parse_intent

FIRST = date(2023, 1, 1)
DAYS: list[JsonObject] = [
    {"day": str(FIRST + timedelta(n)), "shop": "ab"[n % 2], "price": n} for n in range(700)
]
PRICES: JsonObject = {"open": "price", "high": "price", "low": "price", "close": "price"}
QUARTERS = [f"{year}-Q{quarter}" for year in (2023, 2024) for quarter in range(1, 5)]
UNUSED = "nothing is grouped by quarter, as the request says"


def draw(chart: str, encodings: JsonObject, dtype: DType) -> CompiledChart:
    wish: JsonObject = {"chart_type": chart, "encodings": encodings}
    wish["config"] = {"timeUnit": "quarter"}
    return compile_chart(parse_intent(wish), RowSource(DAYS, {"day": dtype}))


@pytest.mark.parametrize("dtype", [DType.DATE, DType.STRING])
def test_box_plots_are_grouped_by_the_unit(dtype: DType) -> None:
    chart = draw("boxplot", {"x": "day", "y": "price"}, dtype)

    boxes = [row for row in chart.spec["data"]["values"] if row["_n"] is not None]
    assert [row["day"] for row in boxes] == QUARTERS
    assert boxes[0]["_middle"] == 44.5
    assert "day is grouped by quarter" in chart.notes


def test_candles_open_and_close_with_the_unit() -> None:
    chart = draw("candlestick", {"x": "day", **PRICES}, DType.DATE)

    assert [row["day"] for row in chart.spec["data"]["values"]] == QUARTERS
    assert "day is grouped by quarter" in chart.notes


@pytest.mark.parametrize(
    ("chart", "encodings"),
    [
        ("scatter", {"x": "day", "y": "price"}),
        ("strip", {"x": "shop", "y": "price"}),
        ("bar", {"x": "shop", "y": "price"}),
    ],
)
def test_a_unit_without_effect_is_told(chart: str, encodings: JsonObject) -> None:
    notes = draw(chart, encodings, DType.DATE).notes

    assert any(note.startswith(UNUSED) for note in notes)


@pytest.mark.parametrize(
    ("dates", "unit"),
    [
        (["2024-01", "2024-02", "2024-03"], "week"),
        (["Jan 2024", "Feb 2024", "Mar 2024"], "day"),
        (["2024-Q1", "2024-Q2", "2024-Q3"], "month"),
        (["2022", "2023", "2024"], "quarter"),
    ],
)
@pytest.mark.parametrize("chart", ["line", "bar"])
def test_longer_periods_are_not_grouped_by_a_shorter_unit(
    chart: str, dates: list[str], unit: str
) -> None:
    rows: list[JsonObject] = [{"when": when, "sales": n} for n, when in enumerate(dates * 3)]
    wish: JsonObject = {"chart_type": chart, "encodings": {"x": "when", "y": "sales"}}

    drawn = compile_chart(parse_intent({**wish, "config": {"timeUnit": unit}}), RowSource(rows))

    # Each date has three of the numbers 0 to 8: 0 + 3 + 6, 1 + 4 + 7, 2 + 5 + 8.
    assert [row["sales"] for row in drawn.spec["data"]["values"]] == [9, 12, 15]
    assert not any("when is grouped by" in note for note in drawn.notes)


class RecordingSource(RowSource):
    """Records the statements of a chart."""

    statements: list[str]

    def run(self, sql: str, parameters: Sequence[JsonValue] = ()) -> list[list[JsonValue]]:
        self.statements = [*getattr(self, "statements", []), sql]
        return super().run(sql, parameters)


@pytest.mark.parametrize(("days", "is_counted"), [(12_000, False), (12, True)])
def test_moments_are_counted_only_if_a_part_of_the_rows_has_few(
    days: int, is_counted: bool
) -> None:
    first = date(1990, 1, 1)
    rows: list[JsonObject] = [
        {"day": str(first + timedelta(n % days * (12_000 // days))), "v": n} for n in range(12_000)
    ]
    source = RecordingSource(rows, {"day": DType.DATE})

    chart = compile_chart(
        parse_intent({"chart_type": "line", "encodings": {"x": "day", "y": "v"}}), source
    )

    assert any("approx_count_distinct" in sql for sql in source.statements) is is_counted
    assert any("grouped by" in note for note in chart.notes) is not is_counted
