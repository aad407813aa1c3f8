"""Without a model: conditions of a question are applied to all rows of a stored table."""

from collections.abc import AsyncIterator

import duckdb
import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import AnalystClient, drop_progress, find_line
from tests.serving import Served, serving
from tests.vega_schema import validate_spec

from yarrow.llm.scripted import ScriptedModel

ROWS = 25_000
ORDERS = f"""
    SELECT DATE '2022-01-01' + (i % 730)::INTEGER AS day,
        ['Lima', 'Oslo', 'Rome', 'Kyiv', 'Bern', '北京'][i * 5 % 6 + 1] AS city,
        ['tea', 'coffee'][i // 7 % 2 + 1] AS product, i * 37 % 1000 + i % 6 AS revenue
    FROM range({ROWS}) AS t(i)
"""


@pytest.fixture(scope="module")
def orders() -> duckdb.DuckDBPyConnection:
    """The same rows in DuckDB alone."""
    database = duckdb.connect(config={"threads": 1})
    database.execute(f"CREATE TABLE orders AS {ORDERS}")
    return database


@pytest.fixture(scope="module")
async def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("filters")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder) as served:
        yield served


@pytest.fixture(scope="module")
async def analyst(
    served: Served, orders: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory
) -> AnalystClient:
    analyst = AnalystClient(served, await served.account())
    file = tmp_path_factory.mktemp("orders") / "orders.csv"
    orders.execute(f"COPY orders TO '{file}' (HEADER)")
    await analyst.create_table("orders", file.read_text())
    return analyst


async def draw(analyst: AnalystClient, question: str) -> JsonObject:
    lines = await analyst.ask(question, input_tables=[{"name": "orders"}])
    made: JsonObject = find_line(lines, "result")["content"]["result"]
    return made


@pytest.mark.parametrize(
    ("question", "key", "sql"),
    [
        (
            "top 3 cities by revenue in 2023 excluding tea",
            "city",
            "SELECT city, sum(revenue) FROM orders WHERE year(day) = 2023 AND product <> 'tea' "
            "GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
        ),
        (
            "revenue above 990 by product",
            "product",
            "SELECT product, sum(revenue) FROM orders WHERE revenue > 990 GROUP BY 1",
        ),
        (
            "2023年下半年北京各product的revenue",
            "product",
            "SELECT product, sum(revenue) FROM orders WHERE day >= DATE '2023-07-01' "
            "AND city = '北京' GROUP BY 1",
        ),
    ],
)
async def test_the_chart_has_the_numbers_of_the_named_rows(
    analyst: AnalystClient, orders: duckdb.DuckDBPyConnection, question: str, key: str, sql: str
) -> None:
    made = await draw(analyst, question)

    drawn = {row[key]: row["revenue"] for row in made["vega_lite"]["data"]["values"]}
    assert drawn == dict(orders.execute(sql).fetchall())
    assert validate_spec(made["vega_lite"]) == []


async def test_the_query_beside_a_chart_returns_the_rows_that_are_drawn(
    analyst: AnalystClient, orders: duckdb.DuckDBPyConnection
) -> None:
    made = await draw(analyst, "top 2 cities by revenue in March 2022")

    rows = orders.execute(made["code"]).fetchall()
    totals: dict[str, int] = {}
    for city, revenue in rows:
        totals[city] = totals.get(city, 0) + revenue
    drawn = made["content"]["rows"]
    assert {row["city"]: row["revenue"] for row in drawn} == totals
    reduction = made["content"]["reduction"]
    assert reduction["filter"] in made["code"]
    assert (reduction["table_rows"], reduction["filtered_rows"]) == (ROWS, len(rows))


async def test_a_filter_is_in_title_notes_and_summary(analyst: AnalystClient) -> None:
    lines = await analyst.ask("revenue by product in Rome", input_tables=[{"name": "orders"}])

    made = find_line(lines, "result")["content"]["result"]
    assert made["vega_lite"]["title"] == {"text": "city: Rome", "subtitle": "4,166 of 25,000 rows"}
    told = "only rows that fulfil this are drawn: city: Rome; 4,166 of 25,000 rows"
    assert told in made["notes"]
    assert told[1:] in find_line(lines, "completion")["content"]["summary"]


async def test_nothing_is_copied_for_a_filter(analyst: AnalystClient) -> None:
    made = await draw(analyst, "revenue by product in Rome")

    assert made["content"]["virtual"] == {"table_name": "orders", "row_count": ROWS}
    assert await analyst.list_tables() == ["orders"]


async def test_a_filter_that_leaves_no_row_makes_no_chart(analyst: AnalystClient) -> None:
    lines = await analyst.ask("revenue by city in 2031", input_tables=[{"name": "orders"}])

    [done] = drop_progress(lines)
    assert done["content"]["total_steps"] == 0
    summary = done["content"]["summary"]
    assert "No row fulfils this, so nothing is drawn: day: 2031-01-01 to 2031-12-31." in summary
    assert "Day has values from 2022-01-01 to 2023-12-31." in summary


async def test_times_with_a_zone_are_filtered_in_utc(analyst: AnalystClient) -> None:
    csv = "at,amount\n2022-12-31T23:30:00+00:00,1\n2022-12-31T23:30:00-02:00,2\n"
    await analyst.create_table("visits", f"{csv}2023-06-01T00:00:00+00:00,4\n")

    lines = await analyst.ask("total amount in 2023", input_tables=[{"name": "visits"}])

    made = find_line(lines, "result")["content"]["result"]
    assert made["content"]["rows"] == [{"amount": 6}]


async def test_the_query_of_a_count_can_be_run(
    analyst: AnalystClient, orders: duckdb.DuckDBPyConnection
) -> None:
    made = await draw(analyst, "how many orders in Rome?")

    count = len(orders.execute(made["code"]).fetchall())
    assert made["content"]["rows"] == [{"_count": count}]
