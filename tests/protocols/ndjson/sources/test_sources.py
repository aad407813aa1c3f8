"""`/api/sources`: accounts, limits, bad input, idempotency, and sources in the loader's tools."""

from uuid import UUID

import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.streams.test_loading import chat, use
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served
from tests.tcp_postgres import TcpPostgres

from yarrow.ids import AccountId
from yarrow.llm.scripted import Call, Say
from yarrow.sources import store
from yarrow.sources.connector.write_catalogue import write_catalogue
from yarrow.sources.model import SourceColumn, SourceTable

SOURCES = "/api/sources"


async def test_sources_belong_to_their_account(warehouse: Caller, served: Served) -> None:
    other = await served.account()

    for method, path in (
        ("GET", ""),
        ("DELETE", ""),
        ("GET", "/tables"),
        ("POST", "/refresh"),
        ("POST", "/test"),
    ):
        status, answer = await other.send(method, f"{SOURCES}/warehouse{path}")
        assert (status, answer["error"]["code"]) == (404, "NOT_FOUND"), (method, path)
    body = {"sql": "SELECT 1"}
    assert (await other.post(f"{SOURCES}/warehouse/query", body))[0] == 404
    assert (await other.get(SOURCES))[1]["data"] == {"sources": []}


async def test_credentials_are_stored_encrypted(warehouse: Caller, served: Served) -> None:
    async with served.product.database.connection() as tx:
        row = await tx.fetchrow(
            "SELECT secret, data_sources::text AS all FROM data_sources WHERE account_id = $1",
            warehouse.id,
        )

    assert row is not None
    assert b"pw-7f3a" not in row["secret"]
    assert "pw-7f3a" not in row["all"]


async def test_a_source_is_tested_refreshed_and_deleted(
    warehouse: Caller, proxy: TcpPostgres, shop_name: str
) -> None:
    tested = await warehouse.post(f"{SOURCES}/test", {"url": proxy.url(shop_name)})
    stored = await warehouse.post(f"{SOURCES}/warehouse/test")
    refreshed = await warehouse.post(f"{SOURCES}/warehouse/refresh")
    deleted = await warehouse.send("DELETE", f"{SOURCES}/warehouse")

    assert tested[1]["data"]["version"].startswith("PostgreSQL ")
    assert stored[0] == refreshed[0] == deleted[0] == 200
    assert refreshed[1]["data"]["table_count"] == 3
    assert (await warehouse.get(f"{SOURCES}/warehouse"))[0] == 404


async def test_a_repeated_key_connects_and_loads_once(
    caller: Caller, proxy: TcpPostgres, shop_name: str
) -> None:
    headers = {**caller.headers, "Idempotency-Key": "connect-once"}
    body = {"name": "warehouse", "url": proxy.url(shop_name)}
    first = await caller.send("POST", SOURCES, json=body, headers=headers)
    again = await caller.send("POST", SOURCES, json=body, headers=headers)
    twice = await caller.post(SOURCES, body)

    assert first[0] == 201
    assert again == first
    assert (twice[0], twice[1]["error"]["code"]) == (409, "INVALID_REQUEST")


async def test_an_account_has_a_limited_number_of_sources(
    caller: Caller, proxy: TcpPostgres, shop_name: str
) -> None:
    for number in range(4):
        body = {"name": f"s{number}", "url": proxy.url(shop_name)}
        assert (await caller.post(SOURCES, body))[0] == 201

    status, answer = await caller.post(SOURCES, {"name": "more", "url": proxy.url(shop_name)})

    assert status == 409
    assert "4 sources" in answer["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "x"},
        {"name": "x", "url": "oracle://a:b@c/d"},
        {"name": "x", "url": "postgresql://u:p@h"},
        {"name": "x", "url": "postgresql://u:p@h/d?options=-c"},
        {"name": "x", "url": "postgresql:///d?host=/var/run"},
        {"name": "x", "url": "postgresql://u:p@h:99999/d"},
        {"name": "x", "url": "sqlite:///a/../b"},
        {"name": "x", "url": "sqlite://host/a"},
        {"name": "../x", "url": "postgresql://u:p@h/d"},
        {"name": "x", "url": "postgresql://u:p@h/d", "more": 1},
        {"name": 3, "url": None},
    ],
    ids=range(12),
)
async def test_bad_input_is_told_in_clear_words(caller: Caller, body: JsonObject) -> None:
    status, answer = await caller.post(SOURCES, body)

    assert (status, answer["error"]["code"]) == (422, "INVALID_REQUEST"), answer
    assert answer["error"]["message"]


async def test_tables_of_a_source_are_in_the_tools_and_in_a_plan(
    warehouse: Caller, switchable: SwitchableModel
) -> None:
    listed = await use(warehouse, switchable, "list_data", source_id="sources/warehouse")
    found = await use(warehouse, switchable, "find_data", query="^orders$", fields=["name"])
    described = await use(
        warehouse,
        switchable,
        "describe_data",
        source_id="sources/warehouse",
        table_key="sales.orders",
    )
    candidate = {
        "source_id": "sources/warehouse",
        "table_key": "sales.orders",
        "display_name": "north",
        "filters": [{"column": "region", "operator": "=", "value": "North"}],
        "group_by": ["region"],
        "aggregates": [{"function": "sum", "column": "amount"}],
    }
    planned = await use(warehouse, switchable, "propose_load_plan", candidates=[candidate])
    [action] = planned["actions"]
    load = action["candidates"][0]["load"]
    status, loaded = await warehouse.send(load["method"], load["path"], json=load["body"])

    assert {folder["name"] for folder in listed["folders"]} == {"public", "sales"}
    assert found["results"][0]["row_estimate"] == 60000
    assert "amount (numeric(10,2): in euros)" in described["result"]
    assert (status, loaded["data"]["row_count"], loaded["data"]["table_name"]) == (200, 1, "north")


async def test_a_source_that_is_away_is_a_warning_and_a_plan_without_it(
    warehouse: Caller, proxy: TcpPostgres, switchable: SwitchableModel
) -> None:
    proxy.is_silent = True
    candidates = [{"source_id": "sources/warehouse", "table_key": "sales.orders"}]
    proxy.cut_after = 0
    switchable.script([Call("propose_load_plan", {"candidates": candidates})], [Say("It is away.")])

    lines = await chat(warehouse)

    [warning] = [line for line in lines if line["type"] == "warning"]
    assert warning["warning"]["message_code"] == "SOURCE_UNAVAILABLE"
    assert "orders" in warning["warning"]["message"]
    assert lines[-1]["type"] == "done"


async def test_ten_thousand_tables_are_searched_without_the_source(
    warehouse: Caller, proxy: TcpPostgres, served: Served, switchable: SwitchableModel
) -> None:
    columns = [SourceColumn(f"column_{n}", "text") for n in range(20)]
    tables = [SourceTable("big", f"table_{n:05}", columns) for n in range(10_000)]
    async with served.product.database.transaction() as tx:
        source = await store.find_source(tx, AccountId(UUID(warehouse.id)), "warehouse")
        assert source is not None
        await store.replace_catalogue(tx, source.id, write_catalogue(tables, limit=10_000))
    proxy.cut_after = 0

    _, searched = await warehouse.get(f"{SOURCES}/warehouse/tables", search="table_0777 column_3")
    found = await use(warehouse, switchable, "find_data", query="table_0777[0-3]")

    assert [each["name"] for each in searched["data"]["tables"]] == [
        f"table_0777{n}" for n in range(10)
    ]
    assert [each["name"] for each in found["results"]] == [f"table_0777{n}" for n in range(4)]
