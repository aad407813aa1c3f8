"""Ending a reply early where another process, or none yet, executes it."""

import asyncio
from pathlib import Path

from tests.protocols.tavern.generation.turn_calls import held_turn
from tests.protocols.tavern.story_calls import create_session
from tests.serving import serving

from yarrow.llm.scripted import Hold, Say, ScriptedModel


async def test_a_turn_of_another_process_is_kept_through_the_database(
    dsn: str, tmp_path: Path
) -> None:
    hold = Hold()
    model = ScriptedModel([Say("half"), hold])
    async with (
        serving(dsn, model=model, data_dir=tmp_path) as first,
        serving(dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as second,
    ):
        caller = await first.account()
        session = (await create_session(caller))["id"]
        async with held_turn(caller, session, hold) as run:
            caller.url = second.url
            _, answer = await caller.post(f"/floors/{run['floor_id']}/run/cancel", {"keep": True})

    assert (answer["data"]["status"], model.cancelled) == ("completed", 1)


async def test_keeping_a_turn_that_waits_for_a_worker_cancels_it(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel()
    async with serving(dsn, model=model, data_dir=tmp_path, slots=0) as served:
        caller = await served.account()
        session = (await create_session(caller))["id"]
        path = f"/sessions/{session}/respond"
        turn = asyncio.create_task(caller.post(path, {"message": "Go on."}))
        while (run := (await caller.get(f"/sessions/{session}/active-run"))[1]["data"]) is None:
            await asyncio.sleep(0.02)

        _, answer = await caller.post(f"/floors/{run['floor_id']}/run/cancel", {"keep": True})

        assert answer["data"]["status"] == "cancelled"
        assert (await turn)[0] == 499
        assert model.requests == []
