"""Questions that pick rows: the chart has the numbers that DuckDB alone gives for those rows."""

import pytest
from tests.unit.charting.question_table import MOVIES, QuestionTable, open_table

from yarrow.charting.frame import read_number

BY_MONTH = "SELECT strftime(date_trunc('month', order_date), '%Y-%m-%d'), sum(revenue) FROM sales"


@pytest.mark.parametrize(
    ("question", "key", "sql"),
    [
        (
            "revenue by month in 2023",
            "order_date",
            f"{BY_MONTH} WHERE year(order_date) = 2023 GROUP BY 1",
        ),
        (
            "last 6 months of revenue by month",
            "order_date",
            f"{BY_MONTH} WHERE order_date >= DATE '2023-07-01' GROUP BY 1",
        ),
        (
            "sales in the North by product",
            "product",
            "SELECT product, sum(revenue) FROM sales WHERE region = 'North' GROUP BY 1",
        ),
        (
            "revenue by product in neither the North nor the South",
            "product",
            "SELECT product, sum(revenue) FROM sales WHERE region IN ('East', 'West') GROUP BY 1",
        ),
        (
            "revenue by region excluding Q1",
            "region",
            "SELECT region, sum(revenue) FROM sales WHERE quarter(order_date) <> 1 GROUP BY 1",
        ),
        (
            "total revenue by region for desk lamps in Q1 2022",
            "region",
            "SELECT region, sum(revenue) FROM sales WHERE product = 'Desk Lamp' "
            "AND order_date BETWEEN DATE '2022-01-01' AND DATE '2022-03-31' GROUP BY 1",
        ),
        (
            "revenue by region where quantity is at least 5",
            "region",
            "SELECT region, sum(revenue) FROM sales WHERE quantity >= 5 GROUP BY 1",
        ),
        (
            "total revenue by region with price between 10 and 20",
            "region",
            "SELECT region, sum(revenue) FROM sales WHERE price BETWEEN 10 AND 20 GROUP BY 1",
        ),
        (
            "revenue by product from 2021 to 2022",
            "product",
            "SELECT product, sum(revenue) FROM sales WHERE year(order_date) < 2023 GROUP BY 1",
        ),
        (
            "revenue by product after 2021",
            "product",
            "SELECT product, sum(revenue) FROM sales WHERE year(order_date) > 2021 GROUP BY 1",
        ),
        (
            "revenue by product before March 2021",
            "product",
            "SELECT product, sum(revenue) FROM sales WHERE order_date < DATE '2021-03-01' "
            "GROUP BY 1",
        ),
    ],
)
def test_only_the_named_rows_are_drawn(question: str, key: str, sql: str) -> None:
    table = open_table("sales")

    drawn = table.ask(question)

    assert drawn.values(key, "revenue") == table.pairs(sql)
    assert len(table.pairs(sql)) > 1


@pytest.mark.parametrize(
    ("question", "key", "value", "sql"),
    [
        (
            "2023年各月销售额",
            "下单日期",
            "销售额",
            "SELECT strftime(date_trunc('month', 下单日期), '%Y-%m-%d'), sum(销售额) FROM 订单 "
            "WHERE year(下单日期) = 2023 GROUP BY 1",
        ),
        (
            "北方各产品销售额",
            "产品",
            "销售额",
            "SELECT 产品, sum(销售额) FROM 订单 WHERE 地区 = '北方' GROUP BY 1",
        ),
        (
            "除了北方和南方以外各产品的销售额",
            "产品",
            "销售额",
            "SELECT 产品, sum(销售额) FROM 订单 WHERE 地区 NOT IN ('北方', '南方') GROUP BY 1",
        ),
        (
            "北方、南方以外各产品的销售额",
            "产品",
            "销售额",
            "SELECT 产品, sum(销售额) FROM 订单 WHERE 地区 NOT IN ('北方', '南方') GROUP BY 1",
        ),
        (
            "2022年以外各产品的销售额",
            "产品",
            "销售额",
            "SELECT 产品, sum(销售额) FROM 订单 WHERE year(下单日期) <> 2022 GROUP BY 1",
        ),
        (
            "2022年3月到6月各城市平均销售额",
            "城市",
            "销售额",
            "SELECT 城市, avg(销售额) FROM 订单 WHERE 下单日期 >= DATE '2022-03-01' "
            "AND 下单日期 < DATE '2022-07-01' GROUP BY 1",
        ),
        (
            "数量不少于5的各地区销售额",
            "地区",
            "销售额",
            "SELECT 地区, sum(销售额) FROM 订单 WHERE 数量 >= 5 GROUP BY 1",
        ),
        (
            "最近两个季度各地区销售额",
            "地区",
            "销售额",
            "SELECT 地区, sum(销售额) FROM 订单 WHERE 下单日期 >= DATE '2023-07-01' GROUP BY 1",
        ),
        (
            "一季度各地区销售额",
            "地区",
            "销售额",
            "SELECT 地区, sum(销售额) FROM 订单 WHERE quarter(下单日期) = 1 GROUP BY 1",
        ),
    ],
)
def test_a_chinese_question_picks_rows_too(question: str, key: str, value: str, sql: str) -> None:
    table = open_table("订单")

    assert table.ask(question).values(key, value) == pytest.approx(table.pairs(sql))


@pytest.mark.parametrize(
    ("question", "order", "limit"),
    [
        ("top 5 countries by revenue", "sum(revenue) DESC", 5),
        ("the 3 countries with the highest average price", "avg(price) DESC", 3),
        ("bottom three countries by revenue", "sum(revenue)", 3),
        ("10 lowest countries by revenue", "sum(revenue)", 7),
    ],
)
def test_a_rank_draws_the_first_places_of_all_rows(question: str, order: str, limit: int) -> None:
    table = open_table("sales")
    value = "price" if "price" in order else "revenue"
    measure = order.removesuffix(" DESC")

    drawn = table.ask(question)

    assert drawn.values("country", value) == table.pairs(
        f"SELECT country, {measure} FROM sales WHERE country IS NOT NULL "
        f"GROUP BY 1 ORDER BY {order} LIMIT {limit}"
    )
    assert f"country: {limit} are drawn, {7 - limit} others are left out" in drawn.notes


@pytest.mark.parametrize("question", ["销售额最高的前5个城市", "销售额排名前五的城市"])
def test_a_chinese_rank_draws_the_first_places(question: str) -> None:
    table = open_table("订单")

    drawn = table.ask(question)

    assert drawn.values("城市", "销售额") == table.pairs(
        "SELECT 城市, sum(销售额) FROM 订单 GROUP BY 1 ORDER BY 2 DESC LIMIT 5"
    )
    assert "城市：画出 5 项，其余 2 项没有画出" in drawn.notes


def test_a_rank_is_counted_among_the_filtered_rows() -> None:
    table = open_table("sales")

    drawn = table.ask("top 2 countries by revenue in 2022 excluding China")

    assert drawn.values("country", "revenue") == table.pairs(
        "SELECT country, sum(revenue) FROM sales WHERE year(order_date) = 2022 "
        "AND country <> 'China' GROUP BY 1 ORDER BY 2 DESC LIMIT 2"
    )


def test_equal_places_are_drawn_with_the_last_one_and_told() -> None:
    drawn = open_table("sales").ask("top 2 regions by number of orders")

    assert set(drawn.values("region", "_count").values()) == {7500}
    assert "region: 4 are drawn instead of 2, because some are equal" in drawn.notes


def test_months_are_ranked_as_bars() -> None:
    table = open_table("sales")

    drawn = table.ask("top 3 months by revenue")

    assert drawn.values("order_date", "revenue") == table.pairs(
        "SELECT strftime(order_date, '%Y-%m'), sum(revenue) FROM sales "
        "GROUP BY 1 ORDER BY 2 DESC LIMIT 3"
    )


def test_rows_are_ranked_by_the_column_that_names_them() -> None:
    table = open_table("movies")

    drawn = table.ask("top 3 movies by budget in 1995 with rating above 9.5")

    expected = table.pairs(
        "SELECT title, budget FROM movies WHERE year = 1995 AND rating > 9.5 "
        "QUALIFY rank() OVER (ORDER BY budget DESC) <= 3"
    )
    assert drawn.values("title", "budget") == expected


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("movies rated above 8 by genre", "rating > 8"),
        ("number of movies in the 1990s by genre", "year BETWEEN 1990 AND 1999"),
        ("movies since 2010 by genre", "year >= 2010"),
        ("movies with rating of at least 9 by genre", "rating >= 9"),
    ],
)
def test_rows_are_counted_where_the_question_names_the_table(question: str, where: str) -> None:
    table = open_table("movies")

    assert table.ask(question).values("genre", "_count") == table.pairs(
        f"SELECT genre, count(*) FROM movies WHERE {where} GROUP BY 1"
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "average price of cars from Japan",
            "SELECT avg(price) FROM cars WHERE origin = 'Japan'",
        ),
        (
            "average mpg with 8 cylinders in 1975",
            "SELECT avg(mpg) FROM cars WHERE cylinders = 8 AND model_year = 1975",
        ),
        (
            "average mpg excluding 8 cylinders",
            "SELECT avg(mpg) FROM cars WHERE cylinders <> 8",
        ),
        (
            "average mpg except horsepower over 200",
            "SELECT avg(mpg) FROM cars WHERE NOT horsepower > 200",
        ),
        ("average price of non-Japan cars", "SELECT avg(price) FROM cars WHERE origin <> 'Japan'"),
        (
            "how many cars with horsepower above 100 and below 120",
            "SELECT count(*) FROM cars WHERE horsepower > 100 AND horsepower < 120",
        ),
    ],
)
def test_one_number_is_that_of_the_named_rows(question: str, sql: str) -> None:
    table = open_table("cars")

    drawn = table.ask(question)

    assert drawn.chart is not None
    ((value,),) = [row.values() for row in drawn.chart.rows]
    assert value == pytest.approx(table.select(sql)[0][0])


def test_a_filter_is_told_in_title_and_notes_with_the_rows_that_remain() -> None:
    drawn = open_table("sales").ask("revenue by product in the North in 2022")

    assert drawn.title == (
        "region: North\norder_date: 2022-01-01 to 2022-12-31 | 2,481 of 30,000 rows"
    )
    assert drawn.notes[0] == (
        "only rows that fulfil this are drawn: region: North; "
        "order_date: 2022-01-01 to 2022-12-31; 2,481 of 30,000 rows"
    )


def test_a_chinese_filter_is_told_in_chinese() -> None:
    drawn = open_table("订单").ask("北方各产品销售额")

    assert drawn.title == "地区：北方 | 30,000 行中的 7,500 行"
    assert drawn.notes[0] == "只画满足条件的行：地区：北方；30,000 行中的 7,500 行"


def test_a_filter_that_leaves_no_row_is_no_chart() -> None:
    drawn = open_table("sales").ask("revenue by month in 2031")

    assert drawn.chart is None
    assert drawn.notes[-2:] == [
        "no row fulfils this, so nothing is drawn: order_date: 2031-01-01 to 2031-12-31",
        "order_date has values from 2021-01-01 to 2023-12-31",
    ]


def test_values_of_one_column_are_drawn_beside_each_other() -> None:
    table = open_table("sales")

    drawn = table.ask("monthly revenue of Apple and Banana")

    assert drawn.chart is not None
    assert {row["product"] for row in drawn.chart.rows} == {"Apple", "Banana"}
    totals = table.pairs("SELECT product, sum(revenue) FROM sales GROUP BY 1")
    for product in ("Apple", "Banana"):
        rows = [row for row in drawn.chart.rows if row["product"] == product]
        assert sum(read_number(row, "revenue") for row in rows) == totals[product]


def test_a_filter_does_not_change_what_a_column_is() -> None:
    drawn = open_table("cars").ask("scatter plot of mpg vs horsepower with 8 cylinders in 1975")

    assert drawn.chart is not None
    for axis in ("x", "y"):
        assert drawn.chart.spec["encoding"][axis]["type"] == "quantitative"


def test_exclusions_keep_rows_without_a_value() -> None:
    table = open_table("sales")

    drawn = table.ask("total revenue excluding Japan")

    assert drawn.chart is not None
    (row,) = drawn.chart.rows
    assert (
        row["revenue"]
        == table.select("SELECT sum(revenue) FROM sales WHERE country IS DISTINCT FROM 'Japan'")[0][
            0
        ]
    )


@pytest.mark.parametrize("question", ["budget of movie 4711", "budget of Movie 4711"])
def test_a_value_is_found_among_very_many(question: str) -> None:
    table = QuestionTable("films", MOVIES.replace("range(30000)", "range(60000)"))

    assert table.ask(question).where == "\"title\" IN ('Movie 4711')"
