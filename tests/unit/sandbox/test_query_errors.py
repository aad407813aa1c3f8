"""Errors of queries are worded for people; the engine's words do not show."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import duckdb
import pytest

from yarrow.sandbox.query_errors import explain_query_error

ENGINE_WORDS = re.compile(
    r"duckdb|\b\w+ Error:|Exception|Binder|Catalog|Candidate|VARCHAR|DOUBLE|INT\d|LINE \d+:"
    r"|\bSET\b",
    re.IGNORECASE,
)

WRONG = {
    "SELEC * FROM sales": 'the query cannot be read at "SELEC"',
    "SELECT 'abc": "a quotation mark in the query is not closed",
    "SELECT * FROM sale": 'there is no table sale; did you mean "sales"?',
    "SELECT amout FROM sales": 'there is no column "amout"; there are: "amount", "day"',
    "SELECT * EXCLUDE (foo) FROM sales": 'there is no column "foo"; there are: "amount", "region"',
    "SELECT a.region FROM sales b": 'the query names no table "a"; there are: "b"',
    "SELECT region, amount FROM sales GROUP BY region": 'column "amount" is neither grouped nor '
    "aggregated; add it to GROUP BY, or take its sum, mean, minimum or maximum",
    "SELECT sum(region) FROM sales": "sum cannot be applied to text; convert the values, or use "
    "another function",
    "SELECT * FROM sales WHERE amount > 'abc'": "'abc' is not a number",
    "SELECT * FROM sales WHERE day = 'yesterday'": '"yesterday" is not a date; '
    "write dates as 'YYYY-MM-DD'",
    "SELECT foo(amount) FROM sales": 'there is no function foo; did you mean "floor"?',
    "SELECT amount FROM sales WHERE sum(amount) > 1": "a WHERE condition cannot use sums or "
    "counts; use HAVING",
    "SELECT sum(sum(amount)) FROM sales": "a sum or count cannot be taken of another one; use a "
    "subquery",
    "SELECT region FROM sales UNION SELECT region, amount FROM sales": "the queries of a UNION "
    "have different numbers of columns",
    "SELECT *\nFROM sales JOIN sales b\nON region = region": 'several tables have a column "region"'
    "; write 'sales.region' or 'b.region'",
    "SELECT date_trunc('foo', day) FROM sales": 'there is no part of a date called "foo"',
    "SELECT 9223372036854775807::BIGINT + 1": "a number of the result is too large",
    "SELECT strptime(region, '%Y') FROM sales": '"a" does not have the form "%Y"',
    "SELECT (SELECT amount FROM sales UNION ALL SELECT 2)": "a subquery that stands for one value "
    "returns several rows",
}
OTHERS = (
    "SELECT regexp_matches(region, '(') FROM sales",
    "SELECT count(DISTINCT *) FROM sales",
    "SELECT current_setting('nope')",
    "SELECT day + region FROM sales",
    "SELECT repeat('x', 1000000000000)",
)


@cache
def _database() -> duckdb.DuckDBPyConnection:
    database = duckdb.connect(config={"threads": 1})
    database.execute("CREATE TABLE sales (region VARCHAR, amount DOUBLE, day DATE)")
    database.execute("INSERT INTO sales VALUES ('a', 1, '2024-01-01')")
    return database


def fail(query: str) -> str:
    with pytest.raises(duckdb.Error) as raised:
        _database().execute(query).fetchall()
    return explain_query_error(str(raised.value))


@pytest.mark.parametrize(("query", "message"), WRONG.items(), ids=range(len(WRONG)))
def test_a_wrong_query_is_explained(query: str, message: str) -> None:
    assert fail(query) == message


@pytest.mark.parametrize("query", [*WRONG, *OTHERS], ids=range(len(WRONG) + len(OTHERS)))
def test_no_error_has_words_of_the_engine(query: str) -> None:
    assert ENGINE_WORDS.search(fail(query)) is None


def test_other_messages_stay() -> None:
    assert explain_query_error("only SELECT is run here") == "only SELECT is run here"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:6],
        lambda data: data[:200] + b"\xff" * 20_000 + data[20_200:],
        lambda data: data[:-400] + b"\xff" * 300 + data[-100:],
        lambda data: bytes(100) + data[100:],
    ],
    ids=["cut", "tiny", "rows", "footer", "start"],
)
def test_a_damaged_file_is_told_without_words_of_the_engine(
    damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    file = tmp_path / "t.parquet"
    rows = "SELECT i AS a, 'x' || i AS b FROM range(20000) AS t (i)"
    _database().execute(f"COPY ({rows}) TO '{file}' (COMPRESSION snappy)")
    file.write_bytes(damage(file.read_bytes()))

    message = fail(f"SELECT sum(a), max(b) FROM '{file}'")

    assert message == "the stored file of a table is damaged; upload or load the table again"
