"""End what a failing test left behind: the script of the shared model, and runs that are held."""

import asyncio
from datetime import datetime

from tests.serving import Served
from tests.waiting import PATIENCE_S

from yarrow.operations.model import RunGroup, RunOverview
from yarrow.operations.read import cancel_run, list_runs

MANY = 1000


async def end_leftovers(served: Served, began_at: datetime) -> None:
    """Clear the script, cancel the runs since a moment and wait until they have ended."""
    served.model.clear_script()
    for run in await _list_active(served, began_at):
        await cancel_run(served.product.engine, served.product.executions, run.id)
    async with asyncio.timeout(PATIENCE_S):
        while await _list_active(served, began_at):
            await asyncio.sleep(0.02)


async def _list_active(served: Served, began_at: datetime) -> list[RunOverview]:
    runs = await list_runs(served.product.engine, RunGroup.ACTIVE, limit=MANY)
    return [run for run in runs if run.created_at >= began_at]
