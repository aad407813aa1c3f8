"""`since March` without a year is no March of every year, as `in March` is."""

import pytest
from tests.unit.charting.question_table import QuestionTable, open_table

ONE_YEAR = "SELECT DATE '2024-01-15' + (i * 20)::INTEGER AS day, i AS stock FROM range(15) AS t(i)"
NAMES = "SELECT * FROM (VALUES ('Jan', 10), ('Feb', 20), ('Mar', 5), ('Dec', 7)) AS t(month, stock)"
NUMBERS = "SELECT * FROM (VALUES (1, 10), (2, 20), (3, 5), (12, 7)) AS t(month, stock)"
TWO_YEARS = "SELECT * FROM (VALUES (2023, 1, 10), (2024, 3, 5)) AS t(year, month, stock)"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("revenue by region since March", "since March"),
        ("revenue by region before June", "before June"),
        ("revenue by region until Q2", "until Q2"),
        ("revenue by region after Q3", "after Q3"),
        ("revenue by region up to March", "up to March"),
        ("revenue by region in March or later", "in March or later"),
    ],
)
def test_the_year_is_asked_for(question: str, words: str) -> None:
    drawn = open_table("sales").ask(question)

    assert drawn.where == ""
    assert f"'{words}' of the question is not applied: name the year" in drawn.notes


@pytest.mark.parametrize("words", ["3月以来", "截至6月", "6月之前", "第二季度以后"])
def test_the_year_is_asked_for_in_chinese(words: str) -> None:
    drawn = open_table("订单").ask(f"{words}各地区销售额")

    assert drawn.where == ""
    assert f"问题中的“{words}”没有用来筛选：请写明年份" in drawn.notes


@pytest.mark.parametrize("words", ["from March", "by March", "as of March"])
def test_what_may_be_one_month_is_told(words: str) -> None:
    drawn = open_table("sales").ask(f"revenue by region {words}")

    assert drawn.where == ""
    assert any(note.startswith(f"'{words}' of the question is not") for note in drawn.notes)


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("total stock since March", "month(day) >= 3"),
        ("total stock after March", "month(day) > 3"),
        ("total stock before Q2", "month(day) < 4"),
        ("total stock until June", "month(day) <= 6"),
    ],
)
def test_dates_of_one_year_need_none(question: str, condition: str) -> None:
    table = QuestionTable("stocks", ONE_YEAR)

    drawn = table.ask(question)

    ((total,),) = table.select(f"SELECT sum(stock) FROM stocks WHERE {condition}")
    assert drawn.chart is not None
    assert [row["stock"] for row in drawn.chart.rows] == [total]


@pytest.mark.parametrize(
    ("question", "stocks"),
    [
        ("stock since March", [5, 7]),
        ("stock after March", [7]),
        ("stock before March", [10, 20]),
        ("stock until March", [5, 10, 20]),
        ("stock in March", [5]),
    ],
)
@pytest.mark.parametrize("query", [NAMES, NUMBERS])
def test_months_without_a_year_go_on_to_its_end(
    query: str, question: str, stocks: list[int]
) -> None:
    drawn = QuestionTable("stocks", query).ask(question)

    assert drawn.chart is not None
    assert sorted(int(str(row["stock"])) for row in drawn.chart.rows) == stocks


def test_months_beside_years_need_a_year() -> None:
    drawn = QuestionTable("stocks", TWO_YEARS).ask("total stock since March")

    assert drawn.where == ""
    assert "'since March' of the question is not applied: name the year" in drawn.notes


@pytest.mark.parametrize("words", ["after December", "before January"])
def test_no_month_is_left(words: str) -> None:
    drawn = QuestionTable("stocks", NAMES).ask(f"stock {words}")

    assert drawn.where == ""
    assert f"'{words}' of the question is not applied: it is not understood" in drawn.notes
