"""Inline rows of a question are spooled to a file until its run starts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import AnalystClient
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import run_body

from yarrow.errors import RunFenced
from yarrow.ids import AccountId, RunId
from yarrow.llm.scripted import Hold
from yarrow.tables.create import create_tables, spool_rows
from yarrow.tables.model import RunStep

NO_STEP = RunStep(RunId(uuid4()), 1, "rows")
"""The step of a run that does not exist."""
ROWS: JsonObject = {"sales": [{"region": "north", "revenue": 40}]}


async def test_rows_that_are_no_table_are_named(empty_analyst: AnalystClient) -> None:
    tables, workspace = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    files = await spool_rows(tables, workspace.account_id, ROWS)
    (tables.sandbox.spool_path("").parent / files["sales"]).write_bytes(b"")

    assert await create_tables(tables, workspace, files, step=NO_STEP) == ["sales"]
    assert await empty_analyst.list_tables() == []


async def test_only_files_of_the_own_account_are_read(empty_analyst: AnalystClient) -> None:
    tables, workspace = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    files = await spool_rows(tables, AccountId(uuid4()), ROWS)
    outside = {"sales": f"../../etc/passwd.{workspace.account_id}.rows"}

    assert await create_tables(tables, workspace, {**files, **outside}, step=NO_STEP) == ["sales"]
    assert await create_tables(tables, workspace, files, step=NO_STEP) == ["sales"]
    assert await empty_analyst.list_tables() == []


async def test_restarted_run_has_its_inline_table(
    empty_analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    tables, workspace = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    async with holding_run(empty_analyst, switchable) as step:
        files = await spool_rows(tables, workspace.account_id, ROWS)

        assert await create_tables(tables, workspace, files, step=step) == []
        assert await create_tables(tables, workspace, files, step=step) == []
    assert await empty_analyst.list_tables() == ["sales"]


async def test_attempt_that_lost_its_run_makes_no_table(
    empty_analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    tables, workspace = empty_analyst.served.product.tables, empty_analyst.workspace_ref
    async with holding_run(empty_analyst, switchable) as step:
        files = await spool_rows(tables, workspace.account_id, ROWS)

        with pytest.raises(RunFenced):
            await create_tables(tables, workspace, files, step=replace(step, attempt=2))
    assert await empty_analyst.list_tables() == []


@asynccontextmanager
async def holding_run(analyst: AnalystClient, model: SwitchableModel) -> AsyncIterator[RunStep]:
    """A run of this account that executes while the block lasts."""
    hold = Hold()
    model.script([hold])
    accepted = await analyst.caller.submit(run_body())
    await hold.reached.wait()
    yield RunStep(RunId(UUID(accepted["taskId"])), 1, "rows")
    hold.release.set()
