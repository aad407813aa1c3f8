"""A number that is a part of a range, a list or a limit is no value that a column has."""

import pytest
from tests.unit.charting.question_table import open_table


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("revenue by region with quantity 5-7", '"quantity" >= 5 AND "quantity" <= 7'),
        ("revenue by region with quantity 5 to 7", '"quantity" >= 5 AND "quantity" <= 7'),
        ("revenue by region with quantity = 5 to 7", '"quantity" >= 5 AND "quantity" <= 7'),
        ("total revenue with price 10~20", '"price" >= 10 AND "price" <= 20'),
        ("revenue by region with quantity 5", '"quantity" = 5'),
    ],
)
def test_a_range_beside_a_column_is_read(question: str, where: str) -> None:
    assert open_table("sales").ask(question).where == where


@pytest.mark.parametrize("words", ["4-6 cylinders", "4 to 6 cylinders", "cylinders 4–6"])
def test_a_range_before_or_behind_a_column_is_read(words: str) -> None:
    drawn = open_table("cars").ask(f"mpg by origin with {words}")

    assert drawn.where == '"cylinders" >= 4 AND "cylinders" <= 6'


@pytest.mark.parametrize("words", ["5到7", "5至7", "5-7之间", "大于等于5小于等于7"])
def test_a_range_is_read_in_chinese(words: str) -> None:
    drawn = open_table("订单").ask(f"数量{words}的各城市销售额")

    assert drawn.where == '"数量" >= 5 AND "数量" <= 7'


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("4 or 6 cylinders", "4 or 6"),
        ("4, 6 cylinders", "4, 6"),
        ("4 and 8 cylinders", "4, 8"),
        ("cylinders 4, 6", "4, 6"),
        ("cylinders 4 at least", "4, least"),
    ],
)
def test_a_list_or_a_limit_behind_it_picks_no_number(words: str, told: str) -> None:
    drawn = open_table("cars").ask(f"mpg by origin with {words}")

    assert drawn.where == ""
    assert f"'{told}' of the question is not read and has no effect" in drawn.notes


def test_years_beside_a_measure_are_no_range_of_it() -> None:
    drawn = open_table("cars").ask("average mpg 1972-1975")

    assert drawn.where == '"model_year" >= 1972 AND "model_year" < 1976'


def test_a_measure_beside_its_range_is_drawn() -> None:
    drawn = open_table("sales").ask("total price 10-20 by region")

    sums = open_table("sales").pairs(
        "SELECT region, sum(price) FROM sales WHERE price BETWEEN 10 AND 20 GROUP BY 1"
    )
    assert drawn.values("region", "price") == pytest.approx(sums)
