"""End what a test left behind: the turns of the shared model, and runs that are held."""

import asyncio
from datetime import datetime

from tests.browser.bound_model import Site
from tests.waiting import PATIENCE_S

from yarrow.operations.model import RunGroup, RunOverview
from yarrow.operations.read import cancel_run, list_runs

MANY = 1000


async def end_leftovers(site: Site, began_at: datetime) -> None:
    """Cancel the runs since a moment and wait until they have ended; then check the model's turns.

    A request that a closed page sent may still start one: all requests must be answered first.
    """
    async with asyncio.timeout(PATIENCE_S):
        while site.requests or await _list_active(site, began_at):
            for run in await _list_active(site, began_at):
                await cancel_run(site.product.engine, site.product.executions, run.id)
            await asyncio.sleep(0.02)
    wrong = site.model.forget_turns()
    assert not wrong, wrong


async def _list_active(site: Site, began_at: datetime) -> list[RunOverview]:
    runs = await list_runs(site.product.engine, RunGroup.ACTIVE, limit=MANY)
    return [run for run in runs if run.created_at >= began_at]
