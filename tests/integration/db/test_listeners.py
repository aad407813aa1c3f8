"""Who listens to notifications, and sending none when nobody else does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
from tests.serving import run_body, serving
from tests.waiting import wait_until

from yarrow.db import Database
from yarrow.db.notify import Notifications
from yarrow.journal.store import EVENTS_CHANNEL
from yarrow.llm.scripted import ScriptedModel

NEVER_S = 3600.0


@asynccontextmanager
async def listening(
    database: Database, *, count_s: float = NEVER_S
) -> AsyncIterator[Notifications]:
    notifications = Notifications(database, count_s=count_s)
    task = asyncio.create_task(notifications.listen())
    try:
        yield notifications
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_listener_knows_that_it_is_alone(database: Database) -> None:
    async with listening(database) as one:
        await wait_until(lambda: not one.has_other_listeners)


async def test_a_new_listener_tells_the_others(database: Database) -> None:
    async with listening(database) as one:
        await wait_until(lambda: not one.has_other_listeners)

        async with listening(database) as two:
            await wait_until(lambda: one.has_other_listeners)
            assert two.has_other_listeners


async def test_a_listener_that_has_left_is_not_counted(database: Database) -> None:
    async with listening(database, count_s=0.05) as one:
        async with listening(database):
            await wait_until(lambda: one.has_other_listeners)

        await wait_until(lambda: not one.has_other_listeners)


@pytest.mark.parametrize("is_alone", [True, False], ids=["alone", "with another"])
async def test_events_are_notified_only_to_other_processes(
    dsn: str, database: Database, tmp_path: Path, is_alone: bool
) -> None:
    received: list[str] = []
    async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path) as served:
        notifications = served.product.engine.notifications
        await wait_until(lambda: not notifications.has_other_listeners)
        # Listens without being registered: it sees what is sent.
        spy = await database.listen({EVENTS_CHANNEL: received.append}, on_lost=lambda: None)
        caller, body = await served.account(), run_body()
        async with AsyncExitStack() as others:
            if not is_alone:
                await others.enter_async_context(listening(database))
                await wait_until(lambda: notifications.has_other_listeners)
            accepted = await caller.submit(body)
            await caller.events(body["threadId"], body["runId"])
        await spy.fetchval("SELECT 1")
        await spy.close()

    assert (accepted["taskId"] in " ".join(received)) is not is_alone
