"""Questions about tables as people have them: dates as texts, short names, repeated titles."""

import pytest
from tests.unit.charting.question_table import QuestionTable, open_table

FLIGHTS = """
    SELECT strftime(TIMESTAMP '2021-01-01 06:10' + INTERVAL (i * 17) MINUTE, '%Y/%m/%d %H:%M')
            AS date,
        ['SFO', 'LAX', 'JFK', 'ORD'][i % 4 + 1] AS origin, i * 37 % 300 - 20 AS delay,
        i * 13 % 2500 AS distance
    FROM range(25000) AS t(i)
"""
STOCKS = """
    SELECT ['AAPL', 'IBM', 'MSFT'][i % 3 + 1] AS symbol,
        strftime(DATE '2000-01-01' + INTERVAL (i // 3 % 120) MONTH, '%b %-d %Y') AS date,
        i * 37 % 500 / 10 AS price
    FROM range(25002) AS t(i)
"""
NATIONS = """
    SELECT 1955 + i % 11 * 5 AS year, 'Nation ' || (i // 11) AS country, i * 7919 % 90000 AS pop,
        40 + i * 37 % 400 / 10 AS life_expect
    FROM range(25003) AS t(i)
"""
MOVED = "strptime(date, '%Y/%m/%d %H:%M')"
MONTH = "strptime(date, '%b %-d %Y')"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "total distance by month",
            f"SELECT strftime({MOVED}, '%Y-%m-01'), sum(distance) FROM flights GROUP BY 1",
        ),
        (
            "total distance per week in March 2021",
            f"SELECT strftime(date_trunc('week', {MOVED}), '%Y-%m-%d'), sum(distance) FROM flights "
            f"WHERE strftime({MOVED}, '%Y-%m') = '2021-03' GROUP BY 1",
        ),
        (
            "total distance by month for origin SFO in the last 2 quarters",
            f"SELECT strftime({MOVED}, '%Y-%m-01'), sum(distance) FROM flights "
            f"WHERE {MOVED} >= '2021-07-01' AND origin = 'SFO' GROUP BY 1",
        ),
    ],
)
def test_texts_of_dates_are_grouped_and_filtered_by_time(question: str, sql: str) -> None:
    table = QuestionTable("flights", FLIGHTS)

    assert table.ask(question).values("date", "distance") == table.pairs(sql)


def test_texts_of_many_moments_are_compared_in_their_own_order() -> None:
    asked = QuestionTable("flights", FLIGHTS).ask("average delay by origin in February 2021")

    assert asked.where == "\"date\" >= '2021/02' AND \"date\" < '2021/03'"


@pytest.mark.parametrize(
    ("question", "unit"),
    [("average price of AAPL by year", "%Y-01-01"), ("AAPL每年平均price", "%Y-01-01")],
)
def test_a_unit_of_time_groups_texts_that_are_not_sorted(question: str, unit: str) -> None:
    table = QuestionTable("stocks", STOCKS)

    assert table.ask(question).values("date", "price") == pytest.approx(
        table.pairs(
            f"SELECT strftime({MONTH}, '{unit}'), avg(price) FROM stocks "
            "WHERE symbol = 'AAPL' GROUP BY 1"
        )
    )


@pytest.mark.parametrize(
    ("question", "function"),
    [
        ("highest price by symbol", "max"),
        ("lowest price of each symbol", "min"),
        ("各symbol最高price", "max"),
    ],
)
def test_the_highest_value_of_each_place_is_no_mean(question: str, function: str) -> None:
    table = QuestionTable("stocks", STOCKS)

    assert table.ask(question).values("symbol", "price") == table.pairs(
        f"SELECT symbol, {function}(price) FROM stocks GROUP BY 1"
    )


@pytest.mark.parametrize(
    "question", ["Which region has the highest revenue?", "region with the lowest revenue"]
)
def test_the_place_with_the_highest_value_is_found_among_all(question: str) -> None:
    asked = open_table("sales").ask(question)

    assert asked.chart is not None
    assert "max" not in asked.chart.reduction.aggregates.values()


def test_worst_may_be_either_end() -> None:
    asked = QuestionTable("flights", FLIGHTS).ask("worst 2 origins by average delay")

    assert asked.where == ""
    assert "'worst 2' of the question is not read and has no effect" in asked.notes


def test_rows_of_one_name_are_not_averaged_before_they_are_ranked() -> None:
    rows = "SELECT CASE WHEN i < 2 THEN 'Titanic' ELSE 'Film ' || i END AS title, "
    table = QuestionTable(
        "films",
        f"{rows}CASE i WHEN 0 THEN 9999 ELSE i % 500 END AS gross FROM range(25000) AS t(i)",
    )

    drawn = table.ask("top 1 films by gross")

    assert drawn.values("title", "gross") == {"Titanic": 9999}


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("population by year", "pop"),
        ("average life expectancy by year", "life_expect"),
    ],
)
def test_short_names_of_columns_are_found_and_told(question: str, column: str) -> None:
    asked = QuestionTable("nations", NATIONS).ask(question)

    assert asked.chart is not None
    assert column in asked.chart.rows[0]
    assert any("is read as the column" in note for note in asked.notes)


def test_a_rank_by_a_column_that_does_not_exist_is_not_applied() -> None:
    asked = QuestionTable("nations", NATIONS).ask("top 10 countries by income")

    assert asked.where == ""
    assert any("no column income" in note for note in asked.notes)
    assert any("'top 10' of the question is not applied" in note for note in asked.notes)


def test_a_word_of_several_columns_is_told() -> None:
    columns = "i AS temp_max, i // 2 AS temp_min, ['a', 'b'][i % 2 + 1] AS place"
    sql = f"SELECT {columns} FROM range(99) AS t(i)"

    asked = QuestionTable("t", sql).ask("average temperature by place")

    assert (
        "'temperature' of the question may be several columns (temp_max, temp_min); "
        "name one of them" in asked.notes
    )


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("how many countries in 1955", "year = 1955"),
        ("how many countries have pop above 80000", "pop > 80000"),
    ],
)
def test_the_values_of_a_column_are_counted_as_one_number(question: str, where: str) -> None:
    table = QuestionTable("nations", NATIONS)

    asked = table.ask(question)

    assert asked.chart is not None
    (row,) = asked.chart.rows
    assert [*row.values()] == [
        *table.select(f"SELECT count(DISTINCT country) FROM nations WHERE {where}")[0]
    ]


def test_days_that_are_counted_are_not_the_unit_of_the_axis() -> None:
    table = open_table("sales")

    asked = table.ask("number of days with Apple by year")

    assert asked.values("order_date", "_count") == table.pairs(
        "SELECT strftime(order_date, '%Y'), count(*) FROM sales WHERE product = 'Apple' GROUP BY 1"
    )


def test_several_words_of_one_name_are_one_column() -> None:
    sql = "SELECT DATE '2020-01-01' + (i % 90)::INTEGER AS release_date, i % 70 AS running_time_min"

    asked = QuestionTable("films", f"{sql} FROM range(500) AS t(i)").ask("average running time")

    assert asked.chart is not None
    assert asked.chart.intent.encodings == {"value": "running_time_min"}
