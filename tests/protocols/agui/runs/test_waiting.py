"""Joining a run that no worker has begun. No worker runs in this module but those of its tests."""

import asyncio
from pathlib import Path

from tests.protocols.agui.stock_client import StockClient
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import RUNS, run_body, serving


async def test_following_a_queued_run_waits_for_it(dsn: str, tmp_path: Path) -> None:
    switchable = SwitchableModel()
    async with serving(dsn, model=switchable, data_dir=tmp_path, slots=0) as waiting:
        caller = await waiting.account()
        body = run_body()
        await caller.submit(body)
        joining = asyncio.create_task(
            caller.events(body["threadId"], body["runId"], profile="agui", after=1)
        )
        async with serving(dsn, model=switchable, data_dir=tmp_path):
            frames = await joining

    result = [m["content"] for m in StockClient().feed(frames).messages.values()]
    assert result == ["hello", "You said: hello"]


async def test_following_a_run_that_never_started_ends_with_its_error(
    dsn: str, tmp_path: Path
) -> None:
    async with serving(dsn, model=SwitchableModel(), data_dir=tmp_path, slots=0) as waiting:
        caller = await waiting.account()
        body = run_body()
        await caller.submit(body)
        await caller.post(f"{RUNS}/{body['threadId']}/cancel?runId={body['runId']}")

        frames = await caller.events(body["threadId"], body["runId"], profile="agui", after=1)

    assert [frame.type for frame in frames] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_ERROR"]
    assert StockClient().feed(frames).last == frames[-1].data
