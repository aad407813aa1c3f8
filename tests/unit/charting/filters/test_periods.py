"""Times in questions, and the columns that they are about."""

import pytest
from tests.unit.charting.question_table import QuestionTable, open_table

from yarrow.charting.filters.read_periods import (
    narrow_relatives,
    read_periods,
    read_relative_periods,
)
from yarrow.charting.question_text import QuestionText


def read_spans(text: str) -> list[tuple[str, str]]:
    rest = QuestionText(text)
    relatives = read_relative_periods(rest)
    periods = narrow_relatives(relatives, read_periods(rest), rest)
    return [(str(s.start or ""), str(s.end or "")) for p in periods for s in p.spans]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("in 2023", "2023-01-01", "2024-01-01"),
        ("since 2020", "2020-01-01", ""),
        ("after 2020", "2021-01-01", ""),
        ("before 2020", "", "2020-01-01"),
        ("until 2020", "", "2021-01-01"),
        ("from 2020 onwards", "2020-01-01", ""),
        ("from March to June 2023", "2023-03-01", "2023-07-01"),
        ("between 2019 and 2021", "2019-01-01", "2022-01-01"),
        ("2019-2021", "2019-01-01", "2022-01-01"),
        ("in the first half of 2022", "2022-01-01", "2022-07-01"),
        ("Q4 2022", "2022-10-01", "2023-01-01"),
        ("the third quarter of 2022", "2022-07-01", "2022-10-01"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("on March 5, 2023", "2023-03-05", "2023-03-06"),
        ("2023-03-05 to 2023-04-02", "2023-03-05", "2023-04-03"),
        ("first 3 months of 2023", "2023-01-01", "2023-04-01"),
        ("last two quarters of 2023", "2023-07-01", "2024-01-01"),
        ("2023年", "2023-01-01", "2024-01-01"),
        ("2023年3月到6月", "2023-03-01", "2023-07-01"),
        ("2023年第一季度", "2023-01-01", "2023-04-01"),
        ("2023年下半年", "2023-07-01", "2024-01-01"),
        ("2020年以来", "2020-01-01", ""),
        ("2020年之前", "", "2020-01-01"),
        ("2023年前三个月", "2023-01-01", "2023-04-01"),
        ("2023年3月5日", "2023-03-05", "2023-03-06"),
        ("2020-2022年", "2020-01-01", "2023-01-01"),
    ],
)
def test_a_period_is_a_span_of_days(text: str, start: str, end: str) -> None:
    assert read_spans(text) == [(start, end)]


@pytest.mark.parametrize(
    "text", ["above 2000", "more than 2000 orders", "2000元", "may be", "march on", "1,990", "12%"]
)
def test_other_numbers_and_words_are_no_times(text: str) -> None:
    assert read_spans(text) == []


@pytest.mark.parametrize(
    ("sql", "question", "expected"),
    [
        (
            "SELECT 2020 + i // 12 % 4 AS year, i % 12 + 1 AS month, i AS sales",
            "total sales in March 2021",
            "year = 2021 AND month = 3",
        ),
        (
            "SELECT ['2021-11', '2021-12', '2022-01', '2022-02'][i % 4 + 1] AS month, i AS sales",
            "total sales in 2022",
            "month LIKE '2022%'",
        ),
        (
            "SELECT ['Jan', 'Feb', 'Mar', 'Apr'][i % 4 + 1] AS month, i AS sales",
            "total sales in March and April",
            "month IN ('Mar', 'Apr')",
        ),
        (
            "SELECT ['2021年11月', '2021年12月', '2022年1月'][i % 3 + 1] AS 月份, i AS sales",
            "2021年的 total sales",
            "月份 LIKE '2021%'",
        ),
        (
            "SELECT DATE '2020-01-01' + (i % 900)::INTEGER AS day, "
            "year(DATE '2020-01-01' + (i % 900)::INTEGER) AS year, i AS sales",
            "total sales in 2021",
            "year = 2021",
        ),
    ],
)
def test_a_period_is_compared_as_its_column_stores_times(
    sql: str, question: str, expected: str
) -> None:
    table = QuestionTable("t", f"{sql} FROM range(25000) AS r(i)")

    drawn = table.ask(question)

    assert drawn.chart is not None, drawn.notes
    (row,) = drawn.chart.rows
    assert [row["sales"]] == [*table.select(f"SELECT sum(sales) FROM t WHERE {expected}")[0]]


def test_the_last_units_are_counted_from_the_last_day_of_the_data() -> None:
    drawn = open_table("sales").ask("revenue by region in the last 2 years")

    assert drawn.where == "\"order_date\" >= '2022-01-01' AND \"order_date\" < '2024-01-01'"
