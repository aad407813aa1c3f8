"""Inline rows of a question are spooled to a file until its run starts."""

from uuid import uuid4

from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import AnalystClient

from yarrow.ids import AccountId
from yarrow.tables.create import create_tables, spool_rows

ROWS: JsonObject = {"sales": [{"region": "north", "revenue": 40}]}


async def test_rows_that_are_no_table_are_named(empty_analyst: AnalystClient) -> None:
    tables, workspace = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    files = await spool_rows(tables, workspace.account_id, ROWS)
    (tables.sandbox.spool_path("").parent / files["sales"]).write_bytes(b"")

    assert await create_tables(tables, workspace, files) == ["sales"]
    assert await empty_analyst.list_tables() == []


async def test_only_files_of_the_own_account_are_read(empty_analyst: AnalystClient) -> None:
    tables, workspace = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    files = await spool_rows(tables, AccountId(uuid4()), ROWS)
    outside = {"sales": f"../../etc/passwd.{workspace.account_id}.rows"}

    assert await create_tables(tables, workspace, {**files, **outside}) == []
    assert await create_tables(tables, workspace, files) == []
    assert await empty_analyst.list_tables() == []


async def test_restarted_run_has_its_inline_table(empty_analyst: AnalystClient) -> None:
    tables, workspace = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    files = await spool_rows(tables, workspace.account_id, ROWS)

    assert await create_tables(tables, workspace, files) == []
    assert await create_tables(tables, workspace, files) == []
    assert await empty_analyst.list_tables() == ["sales"]
