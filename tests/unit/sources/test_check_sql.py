"""The check of queries in each dialect: what is refused, and what is sent."""

import pytest
from tests.loose_json import JsonObject

from yarrow.sources.connector.build_select import build_select
from yarrow.sources.connector.check_sql import SqlRefused, check_query, write_checked


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("mysql", "SELECT 1 INTO OUTFILE '/tmp/x'"),
        ("mysql", "SELECT load_file('/etc/passwd')"),
        ("mysql", "DO SLEEP(5)"),
        ("mysql", "SELECT get_lock('a', 1)"),
        ("clickhouse", "SELECT * FROM url('http://127.0.0.1/', CSV)"),
        ("clickhouse", "SELECT * FROM file('/etc/passwd')"),
        ("clickhouse", "SELECT file('x')"),
        ("clickhouse", "SELECT * FROM remote('127.0.0.1', system.one)"),
        ("clickhouse", "INSERT INTO t SELECT 1"),
        ("clickhouse", "SELECT a FROM t SETTINGS max_execution_time = 0"),
        ("clickhouse", "SELECT a FROM (SELECT 1 AS a SETTINGS max_threads = 99)"),
        ("clickhouse", "SELECT 1 UNION ALL SELECT 2 SETTINGS max_execution_time = 0"),
        ("clickhouse", "SELECT 1 FORMAT CSV"),
        ("duckdb", "SELECT * FROM read_parquet('/etc/x')"),
        ("duckdb", "SELECT getenv('HOME')"),
        ("duckdb", "SELECT * FROM query('DROP TABLE t')"),
        ("sqlite", "SELECT * FROM pragma_table_info('t')"),
        ("bigquery", "SELECT * FROM EXTERNAL_QUERY('x', 'DELETE FROM t')"),
        ("snowflake", "SELECT SYSTEM$WAIT(5)"),
        ("postgres", "SELECT 1 UNION SELECT pg_read_file('x')"),
        ("postgres", "DELETE FROM audit"),
        ("postgres", "SELECT 1; DROP TABLE audit"),
        ("postgres", "WITH gone AS (DELETE FROM audit RETURNING *) SELECT * FROM gone"),
        ("postgres", "COPY audit TO PROGRAM 'id'"),
        ("postgres", "SELECT * INTO other FROM audit"),
        ("postgres", "SELECT pg_read_file('/etc/passwd')"),
        ("postgres", "SELECT * FROM pg_catalog.pg_ls_dir('/')"),
        ("postgres", "SELECT \"pg_read_file\"('/etc/passwd')"),
        ("postgres", "SELECT set_config('default_transaction_read_only', 'off', false)"),
        ("postgres", "SELECT query_to_xml('DELETE FROM audit', true, true, '')"),
        ("postgres", "SELECT dblink_exec('host=127.0.0.1', 'DELETE FROM audit')"),
        ("postgres", "SELECT * FROM audit FOR UPDATE"),
        ("postgres", "EXPLAIN ANALYZE DELETE FROM audit"),
        ("postgres", "SELECT $1"),
        ("postgres", "SELECT ("),
        ("postgres", ""),
        ("postgres", "SELECT 1 --\0"),
        ("postgres", "BEGIN"),
        ("postgres", "SELECT " + "(" * 5000 + "1" + ")" * 5000),
    ],
    ids=range(39),
)
def test_reading_files_other_hosts_and_writing_are_refused(dialect: str, sql: str) -> None:
    with pytest.raises(SqlRefused):
        check_query(sql, dialect, rows=10)


def test_what_only_the_source_would_read_is_not_sent() -> None:
    sent = check_query("SELECT 1 /*! INTO OUTFILE '/tmp/x' */ -- more", "mysql", rows=10)

    assert sent == "SELECT 1 LIMIT 11"


@pytest.mark.parametrize(
    ("sql", "sent"),
    [
        ("SELECT a FROM t", "SELECT a FROM t LIMIT 11"),
        ("SELECT a FROM t LIMIT 10", "SELECT a FROM t LIMIT 10"),
        ("SELECT a FROM t LIMIT 3 OFFSET 2", "SELECT a FROM t LIMIT 3 OFFSET 2"),
        (
            "SELECT a FROM t LIMIT 99",
            "SELECT * FROM (SELECT a FROM t LIMIT 99) AS limited LIMIT 11",
        ),
        (
            "SELECT a FROM t FETCH FIRST 99 ROWS ONLY",
            "SELECT * FROM (SELECT a FROM t FETCH FIRST 99 ROWS ONLY) AS limited LIMIT 11",
        ),
        ("SELECT 1 UNION ALL SELECT 2", "SELECT 1 UNION ALL SELECT 2 LIMIT 11"),
        ("TABLE t", "SELECT * FROM t LIMIT 11"),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "WITH x AS (SELECT 1) SELECT * FROM x LIMIT 11"),
    ],
    ids=range(8),
)
def test_a_query_gets_a_limit_of_one_row_more(sql: str, sent: str) -> None:
    assert check_query(sql, "postgres", rows=10) == sent


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("clickhouse", "SELECT a FROM t LIMIT 1 BY a"),
        ("clickhouse", "SELECT a FROM t LIMIT 1 OFFSET 1 BY a"),
        ("clickhouse", "SELECT a FROM t ORDER BY a LIMIT 1 WITH TIES"),
    ],
)
def test_a_limit_that_does_not_count_rows_is_no_row_limit(dialect: str, sql: str) -> None:
    sent = check_query(sql, dialect, rows=10)

    assert sent == f"SELECT * FROM ({sql}) AS limited LIMIT 11"


@pytest.mark.parametrize(
    ("operator", "value", "condition"),
    [
        ("EQ", None, '"a" IS NULL'),
        ("NEQ", None, 'NOT "a" IS NULL'),
        ("IN", [], "1 = 0"),
        ("NOT_IN", [], "NOT 1 = 0"),
        ("IN", [1, None], '"a" IN (1) OR "a" IS NULL'),
        ("NOT_IN", [1, None], 'NOT ("a" IN (1) OR "a" IS NULL)'),
        ("IN", [None], '"a" IS NULL'),
    ],
)
def test_null_and_empty_lists_in_filters_have_a_meaning(operator, value, condition) -> None:
    filters = [{"column": "a", "operator": operator, "value": value}]

    text = write_checked(
        build_select({"table": ["t"], "filters": filters}, "postgres"), "postgres", rows=10
    )

    assert text == f'SELECT * FROM "t" WHERE {condition} LIMIT 11'


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [
        ("clickhouse", "positionCaseInsensitiveUTF8(CAST(\"a\" AS Nullable(String)), 'Ä_%') > 0"),
        ("bigquery", "STRPOS(LOWER(CAST(`a` AS STRING)), 'ä_%') > 0"),
        ("postgres", "LOWER(CAST(\"a\" AS TEXT)) LIKE '%ä!_!%%' ESCAPE '!'"),
    ],
)
def test_a_text_is_searched_without_escape_where_a_dialect_has_none(dialect, condition) -> None:
    filters = [{"column": "a", "operator": "ILIKE", "value": "Ä_%"}]

    query = build_select({"table": ["t"], "filters": filters}, dialect)

    assert condition in write_checked(query, dialect, rows=10)


@pytest.mark.parametrize(
    "dialect", ["postgres", "mysql", "sqlite", "duckdb", "clickhouse", "bigquery"]
)
def test_values_of_filters_stay_values(dialect: str) -> None:
    hostile = "\\' OR 1=1; DROP TABLE t -- \" ` \\"
    selection: JsonObject = {
        "table": ["s", 'odd"`name'],
        "filters": [
            {"column": 'c"`', "operator": "EQ", "value": hostile},
            {"column": "d", "operator": "ILIKE", "value": "50%_\\'"},
        ],
    }
    query = build_select(selection, dialect)

    text = write_checked(query, dialect, rows=10)

    assert "DROP TABLE t" in text
    assert check_query(text, dialect, rows=11)


@pytest.mark.parametrize(
    "selection",
    [
        {"table": ["t"], "filters": ["x"]},
        {"table": ["t"], "filters": [{"column": "a", "operator": "EVAL", "value": 1}]},
        {"table": ["t"], "filters": [{"column": "a", "operator": "EQ", "value": {"b": 1}}]},
        {"table": ["t"], "filters": [{"column": "a", "operator": "BETWEEN", "value": [1]}]},
        {"table": ["t"], "filters": [{"column": "a", "operator": "BETWEEN", "value": [1, None]}]},
        {"table": ["t"], "filters": [{"column": "a", "operator": "GT", "value": None}]},
        {"table": ["t"], "filters": [{"column": "a", "operator": "LIKE", "value": None}]},
        {"table": ["t"], "filters": [{"column": "a", "operator": "ILIKE", "value": ["x"]}]},
        {"table": ["t"], "aggregates": [{"function": "pg_read_file", "column": "a"}]},
        {"table": ["t"], "aggregates": [{"function": "sum"}]},
    ],
    ids=range(10),
)
def test_selections_that_make_no_sense_are_refused(selection) -> None:
    with pytest.raises(SqlRefused):
        build_select(selection, "postgres")
