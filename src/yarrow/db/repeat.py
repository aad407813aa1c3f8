"""Repeat a step of a background loop, also after the database or the file store was away."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine

import asyncpg

from yarrow.db.errors import describe_failure
from yarrow.db.pool import RETRYABLE
from yarrow.errors import Unavailable

log = logging.getLogger("yarrow.worker")

MAX_FAILURES = 10
QUIET_S = 10.0
"""Between two lines in the log about a step that is postponed."""

Step = Callable[[], Coroutine[None, None, object]]


async def repeat_step(name: str, step: Step, pause_s: float) -> None:
    """Repeat a step; wait for what is away, log any other error and continue.

    What is away is logged once in `QUIET_S`.

    A step that fails `MAX_FAILURES` times in succession is broken: its error ends the loop, and
    with it the process.
    """
    failures = 0
    quiet_until = 0.0
    while True:
        try:
            await step()
            failures = 0
        except (Unavailable, asyncpg.PostgresError, *RETRYABLE) as error:
            if (now := time.monotonic()) >= quiet_until:
                quiet_until = now + QUIET_S
                failure = describe_failure(error)
                log.warning("worker.step_postponed", extra={"step": name, **failure})
        except Exception:
            failures += 1
            if failures == MAX_FAILURES:
                raise
            log.exception("worker.step_failed", extra={"step": name})
        await asyncio.sleep(pause_s)
