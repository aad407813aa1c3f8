"""A second submit that races with the end of the first must not leave the run without an end."""

import asyncio
from uuid import uuid4

import asyncpg
import pytest
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, run_body
from tests.waiting import PATIENCE_S

from yarrow.llm.scripted import Hold, Say


async def test_run_settles_while_a_rival_submit_locks_its_session(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    hold, thread = Hold(), str(uuid4())
    switchable.script([hold, Say("done")])
    await caller.submit(run_body(thread=thread, run="first"))
    await hold.reached.wait()

    # What `accept` does for a rival that saw no run yet: the session's row, then a run.
    with pytest.raises(asyncpg.UniqueViolationError):
        async with served.product.database.transaction() as tx:
            await tx.execute("UPDATE sessions SET title = '' WHERE id = $1::text::uuid", thread)
            hold.release.set()
            await settlement_waits(served)
            # The settlement waits for the session and must hold nothing: else this insert waits
            # for the settlement, and that is a deadlock.
            await tx.execute("SET LOCAL lock_timeout = '300ms'")
            await tx.execute(
                "INSERT INTO runs (id, account_id, session_id, branch_id, turn_id, key, digest,"
                " agent, input, price) SELECT gen_random_uuid(), account_id, session_id,"
                " branch_id, turn_id, 'rival', digest, agent, input, price"
                " FROM runs WHERE session_id = $1::text::uuid",
                thread,
            )

    frames = await caller.events(thread, "first")
    assert frames[-1].type == "RUN_FINISHED"


async def settlement_waits(served: Served) -> None:
    async with served.product.database.connection() as tx, asyncio.timeout(PATIENCE_S):
        while not await tx.fetchval("SELECT bool_or(NOT granted) FROM pg_locks"):
            await asyncio.sleep(0.01)
