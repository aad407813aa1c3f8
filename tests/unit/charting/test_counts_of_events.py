"""Questions of how many events there were, about tables whose numbers are counts themselves."""

import pytest
from tests.unit.charting.question_table import AskedChart, QuestionTable

MATCHES = """
    SELECT DATE '2021-01-01' + (i * 3)::INTEGER AS match_date,
        ['Lions', 'Bears', 'Wolves'][i * i % 7 % 3 + 1] AS team, (i * i * 13 + i) % 7 % 5 AS goals,
        i * 5 % 3 AS deaths, CASE WHEN i * (i + 1) % 23 < 5 THEN 1 ELSE 0 END AS red_cards,
        CASE WHEN i % 3 = 0 THEN 120 ELSE 90 END AS minutes, i * 11 % 6 / 1.0::DOUBLE AS sold,
        i % 2 = 0 AS is_home, ['no', 'yes'][i % 5 // 4 + 1] AS delayed
    FROM range(300) AS t(i)
"""


def ask(question: str) -> AskedChart:
    return MATCHES_TABLE.ask(question)


MATCHES_TABLE = QuestionTable("m", MATCHES)


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("how many goals by team", "goals"),
        ("number of goals by team", "goals"),
        ("how many deaths by team", "deaths"),
        ("how many red_cards by team", "red_cards"),
        ("how many minutes by team", "minutes"),
        ("number of sold by team", "sold"),
    ],
)
def test_few_different_counts_are_added(question: str, column: str) -> None:
    asked = ask(question)

    sums = MATCHES_TABLE.pairs(f"SELECT team, sum({column}) FROM m GROUP BY 1")
    assert asked.values("team", column) == sums
    (note,) = [note for note in asked.notes if "added up" in note]
    assert note.startswith(f"the numbers of {column} are read as counts and added up: a guess")


def test_the_goals_of_one_team_are_one_sum() -> None:
    asked = ask("how many goals did Lions score")

    ((total,),) = MATCHES_TABLE.select("SELECT sum(goals) FROM m WHERE team = 'Lions'")
    assert asked.chart is not None
    assert [row["goals"] for row in asked.chart.rows] == [total]


@pytest.mark.parametrize(
    ("question", "aggregate"),
    [("count of goals by team", "count(goals)"), ("distinct goals by team", "DISTINCT")],
)
def test_rows_and_values_are_counted_as_asked(question: str, aggregate: str) -> None:
    aggregate = "count(DISTINCT goals)" if aggregate == "DISTINCT" else aggregate
    counts = MATCHES_TABLE.pairs(f"SELECT team, {aggregate} FROM m GROUP BY 1")

    assert ask(question).values("team", "goals") == counts


@pytest.mark.parametrize(
    "question", ["how many home games by team", "number of home games by team"]
)
def test_a_flag_says_which_rows_are_counted(question: str) -> None:
    counts = MATCHES_TABLE.pairs("SELECT team, count(*) FROM m WHERE is_home GROUP BY 1")

    assert ask(question).values("team", "_count") == counts


def test_places_are_ranked_by_the_sum_of_few_counts() -> None:
    asked = ask("top 2 teams by goals")

    best = MATCHES_TABLE.pairs("SELECT team, sum(goals) FROM m GROUP BY 1 ORDER BY 2 DESC LIMIT 2")
    assert asked.values("team", "goals") == best


def test_places_are_ranked_by_a_mean_that_is_told() -> None:
    asked = ask("top 2 teams by red_cards")

    best = MATCHES_TABLE.pairs(
        "SELECT team, avg(red_cards) FROM m GROUP BY 1 ORDER BY 2 DESC LIMIT 2"
    )
    assert asked.values("team", "red_cards") == pytest.approx(best)
    assert any("red_cards is averaged" in note for note in asked.notes)


@pytest.mark.parametrize(("column", "function"), [("goals", "sum"), ("red_cards", "avg")])
def test_few_counts_are_measured_over_time(column: str, function: str) -> None:
    asked = ask(f"monthly {column}")

    month = "strftime(match_date, '%Y-%m-01')"
    sums = MATCHES_TABLE.pairs(f"SELECT {month}, {function}({column}) FROM m GROUP BY 1")
    assert asked.values("match_date", column) == pytest.approx(sums)


def test_a_number_beside_few_counts_says_which_rows_are_counted() -> None:
    asked = ask("number of matches with 1 goals")

    ((count,),) = MATCHES_TABLE.select("SELECT count(*) FROM m WHERE goals = 1")
    assert asked.chart is not None
    assert [row["_count"] for row in asked.chart.rows] == [count]


@pytest.mark.parametrize("column", ["deaths", "red_cards"])
def test_rows_with_few_counts_are_counted_as_the_note_says(column: str) -> None:
    counts = MATCHES_TABLE.pairs(f"SELECT team, count({column}) FROM m GROUP BY 1")

    assert ask(f"count of {column} by team").values("team", column) == counts
