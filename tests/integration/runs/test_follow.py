"""Following: from any place, in any process, during the run and after it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

from tests.serving import Caller, Frame, Served, run_body, serving
from tests.waiting import PATIENCE_S

from yarrow.ids import RunId
from yarrow.journal.events import RunSucceeded
from yarrow.llm.scripted import Call, Hold, Say, ScriptedModel


@asynccontextmanager
async def two_processes(
    dsn: str, model: ScriptedModel, folder: Path
) -> AsyncIterator[tuple[Caller, Caller]]:
    """One account, at the process that executes its runs and at one that executes none."""
    async with (
        serving(dsn, model=model, data_dir=folder) as first,
        serving(dsn, model=ScriptedModel(), data_dir=folder, slots=0) as second,
    ):
        here = await first.account()
        there = await first.account()
        there.url, there.headers = second.url, here.headers
        yield here, there


async def test_a_token_reaches_a_follower_before_the_next_one_is_made(served: Served) -> None:
    hold = Hold()
    served.model.play([Say("first "), hold, Say("second")])
    caller = await served.account()
    body = run_body()
    await caller.submit(body)

    said = []
    async for frame in caller.follow(body["threadId"], body["runId"]):
        if frame.type == "TEXT_MESSAGE_CONTENT":
            said.append(frame.data["delta"])
            hold.release.set()

    assert said == ["first ", "second"]


async def test_another_process_sees_the_run_live_and_whole(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    hold = Hold()
    model.play([Say("one two "), hold, Say("three")])
    async with two_processes(dsn, model, tmp_path) as (here, there):
        body = run_body()
        await here.submit(body)

        frames: list[Frame] = []
        async for frame in there.follow(body["threadId"], body["runId"]):
            frames.append(frame)
            if frame.data.get("delta") == "two ":
                hold.release.set()

        assert frames == await here.events(body["threadId"], body["runId"])
        assert frames[-1].type == "RUN_FINISHED"


async def test_a_run_that_is_followed_here_is_live_elsewhere_too(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    holds = [Hold(), Hold(), Hold()]
    model.play([*(part for hold in holds for part in (Say("word "), hold)), Say("end")])
    async with two_processes(dsn, model, tmp_path) as (here, there):
        body = run_body()
        await here.submit(body)
        followed = asyncio.create_task(here.events(body["threadId"], body["runId"]))

        frames: list[Frame] = []
        async for frame in there.follow(body["threadId"], body["runId"]):
            frames.append(frame)
            if frame.data.get("delta") == "word ":
                holds.pop(0).release.set()

        assert frames == await followed


async def test_a_worker_elsewhere_executes_what_an_api_process_accepts(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    async with (
        serving(dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as api,
        serving(dsn, model=model, data_dir=tmp_path),
    ):
        caller = await api.account()
        body = run_body("over there")
        await caller.submit(body)

        frames = await caller.events(body["threadId"], body["runId"])

        assert frames[-1].data["result"]["answer"] == "You said: over there"
        assert len(model.requests) == 1


async def test_a_client_that_leaves_does_not_stop_its_run(served: Served) -> None:
    hold = Hold()
    served.model.play([Say("still "), hold, Say("here")])
    caller = await served.account()
    body = run_body()
    await caller.submit(body)

    async for frame in caller.follow(body["threadId"], body["runId"]):
        if frame.type == "TEXT_MESSAGE_CONTENT":
            break
    hold.release.set()

    frames = await caller.events(body["threadId"], body["runId"])
    assert frames[-1].data["result"]["answer"] == "still here"
    assert served.model.cancelled == 0


async def test_a_stopping_process_hands_its_run_to_another(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    hold, other = Hold(), ScriptedModel([Say("done by the other")])
    model.play([Say("let me see"), Call("current_time")], [Say("begun "), hold])
    async with serving(dsn, model=other, data_dir=tmp_path) as second:
        async with serving(dsn, model=model, data_dir=tmp_path) as first:
            caller = await first.account()
            body = run_body()
            await caller.submit(body)
            await hold.reached.wait()
        caller.url, caller.http = second.url, second.http

        frames = await caller.events(body["threadId"], body["runId"])

        types = [f.type for f in frames]
        names = [f.data.get("name") for f in frames]
        restart = names.index("RUN_RESTARTED")
        assert types[restart - 2 : restart] == ["TEXT_MESSAGE_END", "STEP_FINISHED"]
        restarted = frames[restart].data["value"]
        assert restarted["attempt"] == 2
        assert set(restarted["discardedMessageIds"]) == message_ids(frames[:restart])
        assert frames[-1].data["result"]["answer"] == "done by the other"
        assert (await caller.points())["balance"] == 80

        # A stream that begins behind the lost attempt has seen none of its frames.
        seen = max(f.id for f in frames if f.id <= restarted["discardedUpToId"])
        later = await caller.events(body["threadId"], body["runId"], after=seen)
        assert later == frames[restart - 2 :]


def message_ids(frames: list[Frame]) -> set[str]:
    """The messages that a client has after these frames: texts, and the results of tools."""
    kinds = ("TEXT_MESSAGE_START", "TOOL_CALL_RESULT")
    ids = [frame.data["messageId"] for frame in frames if frame.type in kinds]
    assert len(ids) == 3
    return set(ids)


async def test_a_tool_nobody_knows_is_told_to_the_model(served: Served) -> None:
    served.model.play([Call("nope")], [Say("then without")])
    caller = await served.account()
    body = run_body()
    await caller.submit(body)

    frames = await caller.events(body["threadId"], body["runId"])

    assert frames[-1].data["result"]["answer"] == "then without"
    assert "there is no tool nope" in served.model.requests[1].messages[-1].text


async def hold_a_run(served: Served) -> tuple[Hold, RunId]:
    """Submit a run whose model waits after its first word."""
    hold = Hold()
    served.model.play([Say("wait "), hold, Say("done")])
    accepted = await (await served.account()).submit(run_body())
    await hold.reached.wait()
    return hold, RunId(UUID(accepted["taskId"]))


async def test_a_follower_that_leaves_takes_nothing_from_another(served: Served) -> None:
    hold, run_id = await hold_a_run(served)
    streams = [served.product.engine.journal.follow(run_id, after=0) for _ in range(2)]
    for stream in streams:
        assert await anext(stream)

    await streams[0].aclose()
    hold.release.set()

    rest = [sequenced.event async for batch in streams[1] for sequenced in batch]
    assert isinstance(rest[-1], RunSucceeded)


async def test_a_silent_stream_has_heartbeats(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel()
    async with serving(dsn, model=model, data_dir=tmp_path, heartbeat_s=0.05) as served:
        hold, run_id = await hold_a_run(served)
        stream = served.product.engine.journal.follow(run_id, after=0)
        async with asyncio.timeout(PATIENCE_S):
            while await anext(stream) != []:
                pass
        hold.release.set()

        assert [batch async for batch in stream if batch]


async def test_streams_end_when_their_process_stops(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel()
    async with serving(dsn, model=model, data_dir=tmp_path, heartbeat_s=10_000) as served:
        hold, run_id = await hold_a_run(served)
        journal = served.product.engine.journal
        stream = journal.follow(run_id, after=0)
        await anext(stream)
        waiting = asyncio.ensure_future(anext(stream, None))
        await asyncio.sleep(0)

        journal.close_followers()

        assert await asyncio.wait_for(waiting, PATIENCE_S) is None
        hold.release.set()
