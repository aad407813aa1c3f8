"""SQLite and DuckDB files as sources."""

import shutil
import sqlite3
from pathlib import Path
from uuid import uuid4

import duckdb
import pytest
from tests.loose_json import JsonObject
from tests.serving import Caller

SOURCES = "/api/sources"


async def connect(caller: Caller, url: str) -> str:
    """The path of the new source."""
    name = f"file-{uuid4().hex[:8]}"
    status, answer = await caller.post(SOURCES, {"name": name, "url": url})
    assert status == 201, answer
    return f"{SOURCES}/{name}"


async def load(caller: Caller, source: str, **body) -> JsonObject:
    status, answer = await caller.post(f"{source}/query", body)
    assert status == 200, answer
    return dict(answer["data"])


async def read(caller: Caller, table: str) -> list[JsonObject]:
    _, page = await caller.get("/api/tables/get-table", table_name=table)
    return [{k: v for k, v in row.items() if k != "#rowId"} for row in page["data"]["rows"]]


@pytest.fixture
def sqlite_file(folder: Path) -> Path:
    path = folder / f"{uuid4().hex}.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE visits (city TEXT, n INTEGER, mixed, raw BLOB)")
        rows = [("北京", 1, 1, b"\x00\xff"), ("a\0b", 2, "two", None), (None, 3, 3.5, b"")]
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", rows)
    connection.close()
    return path


async def test_a_sqlite_file_is_a_source(caller: Caller, sqlite_file: Path) -> None:
    source = await connect(caller, f"sqlite://{sqlite_file}")
    _, tables = await caller.get(f"{source}/tables")

    table = await load(caller, source, sql="SELECT * FROM visits ORDER BY n", table_name="visits")

    assert [each["table_key"] for each in tables["data"]["tables"]] == ["visits"]
    assert table["notes"] == ["mixed has values of several types; they are texts."]
    assert await read(caller, "visits") == [
        {"city": "北京", "n": 1, "mixed": "1", "raw": "00ff"},
        {"city": "a\0b", "n": 2, "mixed": "two", "raw": None},
        {"city": None, "n": 3, "mixed": "3.5", "raw": ""},
    ]


async def test_a_sqlite_file_whose_log_cannot_be_read_is_refused(
    caller: Caller, folder: Path
) -> None:
    path, copy = folder / "live.db", folder / f"{uuid4().hex}.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE visits (n INTEGER)")
        connection.executemany("INSERT INTO visits VALUES (?)", [(n,) for n in range(100)])
    for end in ("", "-wal"):  # of the rows all are in the log
        shutil.copy(f"{path}{end}", f"{copy}{end}")
    connection.close()

    status, answer = await caller.post(SOURCES, {"name": "copied", "url": f"sqlite://{copy}"})

    assert status == 502, answer
    assert "write-ahead log" in answer["error"]["message"]


async def test_a_catalogue_of_too_many_columns_is_cut_and_told(
    caller: Caller, folder: Path
) -> None:
    path = folder / f"{uuid4().hex}.db"
    columns = ", ".join(f"{'c' * 60}{number} INTEGER" for number in range(1_500))
    with sqlite3.connect(path) as connection:
        for number in range(200):
            connection.execute(f"CREATE TABLE wide{number:03} ({columns})")
    connection.close()

    source = await connect(caller, f"sqlite://{path}")

    _, found = await caller.get(source)
    assert found["data"]["tables_truncated"] is True
    assert 0 < found["data"]["table_count"] < 200
    _, tables = await caller.get(f"{source}/tables", limit="1000")
    assert len(tables["data"]["tables"]) == found["data"]["table_count"]


async def test_a_value_of_another_type_in_a_late_row_makes_the_column_text(
    caller: Caller, sqlite_file: Path
) -> None:
    source = await connect(caller, f"sqlite://{sqlite_file}")
    many = (
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 30000) "
        "SELECT CASE WHEN n = 29999 THEN 'late' ELSE n END AS v FROM c"
    )

    table = await load(caller, source, sql=many, table_name="late")

    assert (table["row_count"], table["columns"]) == (30000, [{"name": "v", "type": "string"}])


async def test_sqlite_only_reads(caller: Caller, sqlite_file: Path) -> None:
    source = await connect(caller, f"sqlite://{sqlite_file}")

    for sql in (
        "SELECT load_extension('x')",
        "ATTACH '/etc/passwd' AS other",
        "PRAGMA query_only = OFF",
        "UPDATE visits SET n = 0",
        "SELECT * FROM pragma_database_list",
    ):
        status, answer = await caller.post(f"{source}/query", {"sql": sql})
        assert (status, answer["status"]) == (422, "error"), answer


async def test_a_duckdb_file_is_a_source(caller: Caller, folder: Path) -> None:
    path = folder / f"{uuid4().hex}.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT n, n * 1.5 AS x, [n] AS list, {'a': n} AS struct, "
            "INTERVAL 90 MINUTE AS i, n::HUGEINT AS h FROM range(3) r(n)"
        )
        connection.execute("COMMENT ON TABLE t IS 'numbers'")
    source = await connect(caller, f"duckdb://{path}")
    _, tables = await caller.get(f"{source}/tables", search="numbers")

    await load(caller, source, sql="SELECT * FROM t ORDER BY n DESC", table_name="t")

    assert tables["data"]["tables"][0]["table_key"] == "main.t"
    first, *_ = await read(caller, "t")
    assert first == {"n": 2, "x": 3.0, "list": "[2]", "struct": '{"a": 2}', "i": 5400.0, "h": 2.0}


async def test_duckdb_reads_its_own_file_only(caller: Caller, folder: Path) -> None:
    path = folder / f"{uuid4().hex}.duckdb"
    duckdb.connect(str(path)).close()
    source = await connect(caller, f"duckdb://{path}")

    for sql in (
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT content FROM read_text('/etc/passwd')",
        "COPY (SELECT 1) TO '/tmp/x'",
        "ATTACH '/tmp/x.db'",
        "SET lock_configuration = false",
        "INSTALL httpfs",
    ):
        status, answer = await caller.post(f"{source}/query", {"sql": sql})
        assert (status, answer["status"]) == (422, "error"), answer
