"""A MariaDB source, where a server is installed; CI installs it."""

import asyncio
from collections.abc import AsyncIterator

import pymysql
import pytest
from tests.mariadb import mariadb_server
from tests.protocols.ndjson.sources.test_files import connect, load, read
from tests.serving import Caller
from tests.waiting import PATIENCE_S

SHOP = """
CREATE DATABASE shop CHARACTER SET utf8mb4;
USE shop;
CREATE TABLE shop.orders (id INT PRIMARY KEY, city VARCHAR(50), price DECIMAL(10, 2) COMMENT 'EUR',
    at DATETIME, day DATE, took TIME, raw VARBINARY(10), doc JSON, big BIGINT UNSIGNED,
    ok BOOLEAN) COMMENT 'all orders';
INSERT INTO shop.orders VALUES
    (1, '北京', 1.25, '2026-01-02 03:04:05', '2026-01-02', '25:00:01', x'00ff', '{"a": 1}',
     18446744073709551615, TRUE),
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE shop.odd (id INT, flag BIT(1), bits BIT(10), hash BINARY(2), file BLOB, note TEXT,
    wide DECIMAL(65, 2), small DECIMAL(60, 4));
INSERT INTO shop.odd VALUES (1, b'1', b'1000000001', 'ab', 'cd', 'ef', {wide}, 1.5),
    (2, b'0', NULL, x'ff00', x'ff', NULL, NULL, NULL);
CREATE TABLE shop.many AS SELECT seq AS n FROM seq_1_to_60000
""".replace("{wide}", "1" * 60)


@pytest.fixture(scope="module")
async def shop_port() -> AsyncIterator[int]:
    async with mariadb_server() as port:
        with pymysql.connect(host="127.0.0.1", port=port, user="root") as connection:
            with connection.cursor() as cursor:
                for statement in SHOP.split(";"):
                    cursor.execute(statement)
            connection.commit()
        yield port


@pytest.fixture
async def source(caller: Caller, shop_port: int) -> str:
    return await connect(caller, f"mysql://root@127.0.0.1:{shop_port}/shop")


async def test_the_catalogue_has_columns_and_comments(caller: Caller, source: str) -> None:
    _, answer = await caller.get(f"{source}/tables", search="orders price")

    [orders] = answer["data"]["tables"]
    assert (orders["table_key"], orders["comment"]) == ("shop.orders", "all orders")
    assert {"name": "price", "type": "decimal(10,2)", "comment": "EUR"} in orders["columns"]


async def test_rows_keep_their_types(caller: Caller, source: str) -> None:
    table = await load(caller, source, sql="SELECT * FROM orders ORDER BY id", table_name="o")

    first, empty = await read(caller, "o")
    assert first == {
        "id": 1,
        "city": "北京",
        "price": 1.25,
        "at": first["at"],
        "day": first["day"],
        "took": 90001.0,
        "raw": "00ff",
        "doc": '{"a": 1}',
        "big": "18446744073709551615",
        "ok": 1,
    }
    assert first["at"].startswith("2026-01-02T03:04:05")
    assert {value for name, value in empty.items() if name != "id"} == {None}
    assert table["notes"] == ["took is an interval, in seconds."]


async def test_bits_are_integers_and_bytes_hexadecimal(caller: Caller, source: str) -> None:
    table = await load(caller, source, sql="SELECT * FROM odd ORDER BY id", table_name="odd")

    first, second = await read(caller, "odd")
    assert (first["flag"], first["bits"], second["flag"], second["bits"]) == (1, 513, 0, None)
    assert (first["hash"], first["file"], first["note"]) == ("6162", "6364", "ef")
    assert (second["hash"], second["file"]) == ("ff00", "ff")
    assert (first["wide"], first["small"]) == (pytest.approx(float("1" * 60)), 1.5)
    assert table["notes"] == ["Numbers with more than 15 digits are rounded to 15: wide."]


async def test_a_result_is_streamed_and_cut(caller: Caller, source: str) -> None:
    table = await load(caller, source, table_key="many")

    assert (table["row_count"], table["truncated"]) == (50_000, True)


async def test_other_queries_are_refused(caller: Caller, source: str) -> None:
    for sql in (
        "SELECT * FROM orders INTO OUTFILE '/tmp/x'",
        "SELECT load_file('/etc/passwd')",
        "DELETE FROM orders",
        "SELECT 1; DELETE FROM orders",
        "SELECT nowhere FROM orders",
        "SELECT * FROM orders FOR UPDATE",
    ):
        status, answer = await caller.post(f"{source}/query", {"sql": sql})
        assert (status, answer["status"]) == (422, "error"), answer


async def test_a_client_that_leaves_cancels_the_query(
    caller: Caller, source: str, shop_port: int
) -> None:
    body = {"sql": "SELECT sleep(300) FROM orders", "table_name": "never"}
    request = asyncio.create_task(caller.post(f"{source}/query", body))
    with pymysql.connect(host="127.0.0.1", port=shop_port, user="root") as watching:
        await _wait_for(watching, 1)
        request.cancel()
        await _wait_for(watching, 0)


async def _wait_for(connection, count: int) -> None:
    running = (
        "SELECT count(*) FROM information_schema.processlist "
        "WHERE info LIKE '%%sleep(300)%%' AND id <> connection_id()"
    )
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with connection.cursor() as cursor:
                cursor.execute(running.replace("%%", "%"))
                if cursor.fetchone() == (count,):
                    return
            await asyncio.sleep(0.05)
