"""Rows that come with a question wait in a file until its run begins."""

from uuid import uuid4

from tests.protocols.ndjson.analyst_client import AnalystClient

from yarrow.ids import AccountId
from yarrow.tables.inline_rows import create_tables, spool_rows

ROWS = {"sales": [{"region": "north", "revenue": 40}]}


async def test_rows_that_are_no_table_are_named(empty_analyst: AnalystClient) -> None:
    tables, place = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    files = await spool_rows(tables, place.account_id, ROWS)
    (tables.sandbox.spool_path("").parent / files["sales"]).write_bytes(b"")

    assert await create_tables(tables, place, files) == ["sales"]
    assert await empty_analyst.tables() == []


async def test_only_rows_of_ones_own_are_taken(empty_analyst: AnalystClient) -> None:
    tables, place = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    files = await spool_rows(tables, AccountId(uuid4()), ROWS)
    outside = {"sales": f"../../etc/passwd.{place.account_id}.rows"}

    assert await create_tables(tables, place, {**files, **outside}) == []
    assert await create_tables(tables, place, files) == []
    assert await empty_analyst.tables() == []


async def test_a_run_that_begins_again_has_its_table(empty_analyst: AnalystClient) -> None:
    tables, place = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    files = await spool_rows(tables, place.account_id, ROWS)

    assert await create_tables(tables, place, files) == []
    assert await create_tables(tables, place, files) == []
    assert await empty_analyst.tables() == ["sales"]
