"""What happens to runs while the event loop of their worker is blocked.

Without this a blocked worker loses its lease after four seconds, and a run that blocks the loop
is claimed by the next worker and blocks that one too. So the lease is renewed from another thread
for `MAX_BLOCK_S`. Then the run that holds the loop has used up its attempts: whoever claims it
next fails it without executing it. The worker's other runs can be claimed when the lease expires.
"""

import asyncio
import logging
from uuid import UUID

from msgspec import Struct

from yarrow.db import Tx
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.pool import RETRYABLE, open_unpooled_connection
from yarrow.ids import RunId, WorkerId
from yarrow.kit.loop_watchdog import LoopBlock
from yarrow.runs import store
from yarrow.runs.executions import TASK_NAME
from yarrow.runs.recovery import HEARTBEAT_S, MAX_ATTEMPTS

log = logging.getLogger("yarrow.runs")

MAX_BLOCK_S = 10.0


class BlockedWorker(Struct, frozen=True):
    """Renews the lease of a worker whose loop is blocked; runs in another thread and loop."""

    dsn: str
    worker_id: WorkerId
    max_block_s: float = MAX_BLOCK_S

    async def keep_lease(self, block: LoopBlock) -> None:
        """Until the block ends, or `max_block_s`."""
        try:
            connection = await open_unpooled_connection(self.dsn)
        except DatabaseUnavailable:
            log.warning("worker.lease_not_renewed")
            return
        try:
            while not block.ended.is_set():
                if block.seconds > self.max_block_s:
                    await self._give_up_run(connection, block)
                    return
                await store.renew_lease(connection, self.worker_id)
                await asyncio.sleep(min(HEARTBEAT_S, self.max_block_s / 4))
        except RETRYABLE:
            log.warning("worker.lease_not_renewed")
        finally:
            await connection.close()

    async def _give_up_run(self, tx: Tx, block: LoopBlock) -> None:
        if not block.task.startswith(TASK_NAME):
            return
        run_id = RunId(UUID(block.task.removeprefix(TASK_NAME)))
        log.error("run.blocked_loop", extra={"run_id": str(run_id), "stack": block.stack})
        await store.fence_attempts(tx, run_id, self.worker_id, attempts=MAX_ATTEMPTS)
