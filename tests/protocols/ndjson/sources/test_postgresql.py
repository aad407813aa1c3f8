"""A PostgreSQL source over real HTTP: catalogue, queries into tables, and what is refused."""

import asyncio
from decimal import Decimal
from uuid import uuid4

import asyncpg
import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.table_calls import in_workspace, list_names
from tests.serving import Caller, Served
from tests.tcp_postgres import TcpPostgres
from tests.waiting import PATIENCE_S

SOURCES = "/api/sources"
QUERY = f"{SOURCES}/warehouse/query"


@pytest.fixture(scope="module")
async def connected(served: Served, shared_proxy: TcpPostgres, shop_name: str) -> Caller:
    """One account with the source for all tests: each connection takes a second."""
    caller = await served.account()
    body = {"name": "warehouse", "url": shared_proxy.url(shop_name)}
    status, answer = await caller.post(SOURCES, body)
    assert status == 201, answer
    return caller


@pytest.fixture
def warehouse(connected: Caller, proxy: TcpPostgres) -> Caller:
    """A workspace of the account for each test."""
    return in_workspace(connected, uuid4().hex)


async def load(caller: Caller, **body) -> JsonObject:
    """A query that succeeds."""
    status, answer = await caller.post(QUERY, body)
    assert status == 200, answer
    return dict(answer["data"])


async def refuse(caller: Caller, sql: str) -> tuple[int, str, str]:
    """A query that fails and stores nothing."""
    status, answer = await caller.post(QUERY, {"sql": sql, "table_name": "never"})
    assert answer["status"] == "error", answer
    assert "never" not in await list_names(caller)
    return status, answer["error"]["code"], answer["error"]["message"]


async def test_a_source_is_listed_with_its_catalogue_and_without_credentials(
    warehouse: Caller, proxy: TcpPostgres, shop_name: str
) -> None:
    _, listed = await warehouse.get(SOURCES)
    _, tables = await warehouse.get(f"{SOURCES}/warehouse/tables", search="AMOUNT order")

    [source] = listed["data"]["sources"]
    assert source["address"] == f"postgresql://127.0.0.1:{proxy.port}/{shop_name}"
    assert source["table_count"] == 3
    assert source["catalogue_age_s"] < 120
    assert "pw-7f3a" not in str(listed)
    [orders] = tables["data"]["tables"]
    assert (orders["table_key"], orders["comment"]) == ("sales.orders", "Every order since 2020")
    assert orders["row_estimate"] == 60000
    assert {"name": "amount", "type": "numeric(10,2)", "comment": "in euros"} in orders["columns"]


async def test_a_query_becomes_a_table_with_a_note_of_its_origin(warehouse: Caller) -> None:
    table = await load(
        warehouse,
        sql="SELECT region, sum(amount) AS total FROM sales.orders GROUP BY region ORDER BY 1",
        table_name="Totals",
    )
    _, page = await warehouse.get("/api/tables/get-table", table_name="totals")
    _, listed = await warehouse.get("/api/tables/list-tables")

    assert table["table_name"] == "totals"
    assert (table["row_count"], table["truncated"], table["notes"]) == (2, False, [])
    rows = page["data"]["rows"]
    assert [(row["region"], row["total"]) for row in rows] == [
        ("North", 30000 * Decimal("4.25")),
        ("South", 30000 * Decimal("5.25")),
    ]
    [stored] = listed["data"]["tables"]
    assert stored["source_type"] == "data_loader"
    assert stored["source_metadata"]["source"] == "warehouse"
    assert stored["source_metadata"]["sql"].startswith("SELECT region, SUM(amount) AS total")
    assert stored["source_metadata"]["loaded_at"]


async def test_a_result_beyond_the_limit_is_cut_and_says_so(warehouse: Caller) -> None:
    own = await load(warehouse, sql="SELECT * FROM sales.orders", row_limit=10)
    servers = await load(warehouse, table_key="sales.orders")
    exact = await load(warehouse, sql="SELECT * FROM sales.orders LIMIT 7", row_limit=7)

    assert (own["row_count"], own["truncated"]) == (10, True)
    assert own["notes"] == ["The result was cut at 10 rows: the source has more."]
    assert (servers["row_count"], servers["truncated"]) == (50_000, True)
    assert (exact["row_count"], exact["truncated"], exact["notes"]) == (7, False, [])


async def test_filters_and_groups_are_computed_at_the_source(warehouse: Caller) -> None:
    table = await load(
        warehouse,
        table_key="orders",
        table_name="south",
        filters=[
            {"column": "region", "operator": "ILIKE", "value": "sOuT"},
            {"column": "day", "operator": "BETWEEN", "value": ["2026-01-01", "2026-01-31"]},
            {"column": "id", "operator": "NOT_IN", "value": [1, 3]},
        ],
        group_by=["region"],
        aggregates=[{"function": "count"}, {"function": "max", "column": "amount"}],
    )
    sql = table["source_metadata"]["sql"]

    assert table["row_count"] == 1
    assert [column["name"] for column in table["columns"]] == ["region", "count", "max_amount"]
    assert "GROUP BY" in sql
    assert "BETWEEN" in sql


async def test_odd_types_are_stored_as_values_that_can_be_used(warehouse: Caller) -> None:
    odd = """SELECT 12.50::numeric AS n, 'NaN'::numeric AS nan, 1::money AS m,
        '{"a": 1}'::jsonb AS j,
        '00000000-0000-0000-0000-000000000001'::uuid AS u, ARRAY[[1,2],[3,4]] AS aa,
        timestamptz '2026-01-01 12:00+02' AS tz, interval '1 day 2 hours' AS i,
        '\\xff00'::bytea AS b,
        date 'infinity' AS di, inet '10.0.0.1' AS ip, int4range(1, 3) AS r, time '10:30' AS t,
        123456789012345678.25::numeric AS big, true AS ok, NULL AS nothing, 4000000000::oid AS o"""
    table = await load(warehouse, sql=odd, table_name="odd")
    _, page = await warehouse.get("/api/tables/get-table", table_name="odd")
    [row] = page["data"]["rows"]

    assert row == {
        "n": 12.5,
        "nan": None,
        "m": 1.0,
        "j": '{"a": 1}',
        "u": "00000000-0000-0000-0000-000000000001",
        "aa": "[[1, 2], [3, 4]]",
        "tz": row["tz"],
        "i": 93600.0,
        "b": "ff00",
        "di": None,
        "ip": "10.0.0.1/32",
        "r": "[1,3)",
        "t": row["t"],
        "big": 123456789012345680.0,
        "ok": True,
        "nothing": None,
        "o": 4000000000,
    }
    assert row["tz"].startswith("2026-01-01T10:00:00")
    assert row["t"].startswith("10:30")
    assert table["notes"] == [
        "i is an interval, in seconds.",
        "Numbers with more than 15 digits are rounded to 15: big.",
        "Values of nan that are NaN or infinite are empty: 1.",
    ]


async def test_duplicate_names_and_an_empty_result_are_tables(warehouse: Caller) -> None:
    table = await load(
        warehouse, sql="SELECT id, id, ID, day FROM sales.orders WHERE false", table_name="empty"
    )

    assert table["row_count"] == 0
    assert [column["name"] for column in table["columns"]] == ["id", "id_2", "id_3", "day"]


async def test_anything_but_one_read_only_select_is_refused(warehouse: Caller) -> None:
    """`tests/unit/sources/test_check_sql.py` has what is refused; this is how it is told."""
    for sql in ("SELECT 1; DROP TABLE audit", "SELECT pg_read_file('/etc/passwd')"):
        status, code, message = await refuse(warehouse, sql)
        assert (status, code) == (422, "VALIDATION_ERROR")
        assert "allowed" in message


async def test_the_session_is_read_only_too(warehouse: Caller, shop: asyncpg.Connection) -> None:
    status, code, message = await refuse(warehouse, "SELECT write_audit()")

    assert (status, code) == (422, "DB_QUERY_ERROR")
    assert "read-only transaction" in message
    assert await shop.fetchval("SELECT count(*) FROM audit") == 0


async def test_errors_of_the_source_are_shown_without_secrets(warehouse: Caller) -> None:
    status, code, message = await refuse(warehouse, "SELECT nowhere, 'pw-7f3a' FROM sales.orders")

    assert (status, code) == (422, "DB_QUERY_ERROR")
    assert 'column "nowhere" does not exist' in message
    assert "pw-7f3a" not in message


async def test_a_client_that_leaves_cancels_the_query_at_the_source(
    warehouse: Caller, shop: asyncpg.Connection
) -> None:
    sleeping = (
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(300)%' "
        "AND state = 'active' AND pid <> pg_backend_pid()"
    )
    body = {"sql": "SELECT pg_sleep(300)", "table_name": "never"}
    request = asyncio.create_task(warehouse.post(QUERY, body))
    await _wait_for(shop, sleeping, 1)

    request.cancel()

    await _wait_for(shop, sleeping, 0)
    assert await list_names(warehouse) == []


async def _wait_for(connection: asyncpg.Connection, query: str, value: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while await connection.fetchval(query) != value:
            await asyncio.sleep(0.05)


async def test_a_connection_that_is_cut_leaves_nothing(
    warehouse: Caller, proxy: TcpPostgres, served: Served
) -> None:
    folder = served.product.tables.sandbox.folder
    before = set(folder.glob("*.parquet"))
    proxy.cut_after = 300_000

    status, code, message = await refuse(warehouse, "SELECT * FROM sales.orders")

    assert (status, code) == (502, "DB_CONNECTION_FAILED"), message
    async with served.product.database.connection() as tx:
        rows = await tx.fetchval(
            "SELECT count(*) FROM datasets WHERE workspace = $1",
            warehouse.headers["X-Workspace-Id"],
        )
    assert rows == 0
    assert set(folder.glob("*.parquet")) <= before


async def test_wrong_credentials_and_hosts_are_not_stored(
    caller: Caller, proxy: TcpPostgres, shop_name: str
) -> None:
    body = {"name": "denied", "url": proxy.url(shop_name, user="nobody", password="secret-9")}
    status, denied = await caller.post(SOURCES, body)
    assert (status, denied["error"]["code"]) == (422, "CONNECTOR_AUTH_FAILED")
    assert "secret-9" not in str(denied)

    away = f"postgresql://yarrow:pw@127.0.0.1:1/{shop_name}"
    status, answer = await caller.post(SOURCES, {"name": "away", "url": away})
    assert (status, answer["error"]["code"]) == (502, "DB_CONNECTION_FAILED")

    for url in (
        "postgresql://yarrow:pw@localhost:5432/x",
        "postgresql://yarrow:pw@169.254.169.254:5432/x",
        "sqlite:///etc/passwd",
    ):
        status, answer = await caller.post(SOURCES, {"name": "inner", "url": url})
        assert (status, answer["error"]["code"]) == (403, "ACCESS_DENIED")
    assert (await caller.get(SOURCES))[1]["data"]["sources"] == []
