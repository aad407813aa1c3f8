"""Without a model: what is counted where a name has few values, or names a unit of time."""

import pytest
from tests.unit.charting.question_table import QuestionTable

VISITS = """
    SELECT ['North', 'South'][i % 2 + 1] AS region, ['red', 'green', 'blue'][i % 3 + 1] AS colour,
        ['basic', 'premium', 'gold'][i * i % 3 + 1] AS 客户类型,
        ['no', 'yes'][i % 5 // 4 + 1] AS late, DATE '2024-01-01' + i::INTEGER AS day
    FROM range(40) AS t(i)
"""
VISITS_TABLE = QuestionTable("visits", VISITS)


def test_two_values_are_counted() -> None:
    drawn = VISITS_TABLE.ask("how many regions")

    assert drawn.chart is not None
    assert [row["region"] for row in drawn.chart.rows] == [2]


def test_two_values_are_counted_by_another_name() -> None:
    drawn = VISITS_TABLE.ask("number of regions by colour")

    assert drawn.values("colour", "region") == VISITS_TABLE.pairs(
        "SELECT colour, count(DISTINCT region) FROM visits GROUP BY 1"
    )


def test_rows_are_counted_by_yes_and_no() -> None:
    drawn = VISITS_TABLE.ask("number of late rows")

    assert drawn.values("late", "_count") == {"no": 32, "yes": 8}


def test_rows_of_a_chosen_value_are_counted() -> None:
    drawn = VISITS_TABLE.ask("premium客户类型的数量")

    ((count,),) = VISITS_TABLE.select("SELECT count(*) FROM visits WHERE 客户类型 = 'premium'")
    assert drawn.values("客户类型", "_count") == {"premium": count}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("how many months", "how many months"),
        ("number of weeks by region", "number of weeks"),
        ("how many days per month", "per month"),
    ],
)
def test_units_of_time_that_are_not_counted_are_told(question: str, words: str) -> None:
    assert f"'{words}' of the question is not read and has no effect" in (
        VISITS_TABLE.ask(question).notes
    )


def test_days_are_counted() -> None:
    drawn = VISITS_TABLE.ask("how many days")

    assert drawn.chart is not None
    assert [row["day"] for row in drawn.chart.rows] == [40]


SONGS = """
    SELECT ['a', 'b', 'c'][i % 3 + 1] AS song, ['10', '20*', '30 (r)'][i % 3 + 1] AS sales
    FROM range(9) AS t(i)
"""


def test_rows_that_no_one_asked_to_count_are_told() -> None:
    drawn = QuestionTable("songs", SONGS).ask("sales by song")

    assert drawn.notes == ["rows are counted"]
