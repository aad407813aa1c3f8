"""The run of a turn: read while it goes on, resumed, stopped with or without its text."""

import asyncio
from functools import partial
from pathlib import Path
from uuid import UUID

import aiohttp
import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.answer_parts import read_data
from tests.protocols.tavern.generation.turn_calls import (
    StreamFrame,
    create_counting_session,
    held_turn,
    read_frames,
    read_variables,
    respond,
    stream_turn,
)
from tests.protocols.tavern.story_calls import (
    create_character,
    create_session,
    parse_account_id,
    read_floors,
)
from tests.serving import Caller, Served, broken_rules_of, serving
from tests.waiting import PATIENCE_S, wait_until

from yarrow.ids import AccountId, RunId, SessionId
from yarrow.journal.journal import LINGER_S
from yarrow.llm.scripted import Hold, Say, ScriptedModel, Spend, Think
from yarrow.protocols.tavern.generation.intake import TurnCall
from yarrow.protocols.tavern.generation.start_turns import TurnGeneration
from yarrow.protocols.tavern.generation.wire import TurnDebug
from yarrow.runs.model import DisconnectPolicy, RejectWhenBusy, RunRef

NOTICE_S = 0.2
"""In which a server notices that a client left."""


async def follow(caller: Caller, floor: str, after: int | None = None) -> list[StreamFrame]:
    headers = caller.headers | ({} if after is None else {"Last-Event-ID": str(after)})
    url = f"{caller.url}/floors/{floor}/run/events"
    async with caller.http.get(url, headers=headers) as answer:
        assert answer.status == 200, await answer.text()
        return await read_frames(answer)


def join_chunks(frames: list[StreamFrame]) -> str:
    return "".join(frame.data["chunk"] for frame in frames if frame.event == "chunk")


async def test_the_active_run_has_the_text_so_far(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("The fire "), hold, Say("wavers.")])

    async with held_turn(caller, session, hold) as run:
        assert (run["status"], run["phase"]) == ("running", "page_generating")
        assert run["pending_output"]["text"] == "The fire"
        _, by_floor = await caller.get(f"/floors/{run['floor_id']}/run")
        assert by_floor["data"]["run_id"] == run["run_id"]

    assert (await caller.get(f"/sessions/{session}/active-run"))[1] == {"data": None}
    _, ended = await caller.get(f"/floors/{run['floor_id']}/run")
    assert ended["data"]["status"] == "completed"
    assert ended["data"]["phase"] == "post_commit_scheduled"
    assert ended["data"]["completed_at"] == ended["data"]["updated_at"]
    output = ended["data"]["pending_output"]
    assert output["started_at"] <= output["updated_at"]


async def test_a_replay_has_the_frames_and_times_of_the_live_stream(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("One two three. " * 10, 0.03), Spend(5, 4)])
    path = f"/sessions/{session}/respond/stream"
    began_ms = served.product.engine.now_ms()
    live = await stream_turn(caller, path, {"message": "count"})
    ended_ms = served.product.engine.now_ms()
    floor = live[0].data["floor_id"]

    from_memory = await follow(caller, floor)
    await asyncio.sleep(LINGER_S)
    from_table = await follow(caller, floor)
    _, ended = await caller.get(f"/floors/{floor}/run")

    assert from_memory == from_table == live
    runs = [frame.data for frame in live if frame.event == "run"]
    assert ended["data"] == runs[-1]
    times = [run["updated_at"] for run in runs]
    assert began_ms <= times[0] < times[-1] <= ended_ms
    assert times == sorted(times)
    renewed = [run for run in runs if is_streaming(run)]
    assert len({run["updated_at"] for run in renewed}) == len(renewed) > 1
    for run in runs:
        output = run["pending_output"]
        assert run["started_at"] == times[0]
        assert run["completed_at"] == (None if run["status"] == "running" else times[-1])
        assert output is None or output["updated_at"] == run["updated_at"]
    (reply_began_ms,) = {output["started_at"] for run in runs if (output := run["pending_output"])}
    assert times[0] <= reply_began_ms <= renewed[0]["updated_at"]


async def test_a_turn_that_waits_for_its_worker_began_when_it_was_accepted(
    dsn: str, tmp_path: Path
) -> None:
    hold = Hold()
    model = ScriptedModel([hold, Say("one")])
    async with serving(dsn, model=model, data_dir=tmp_path, slots=1) as served:
        caller = await served.account()
        first, second = [(await create_session(caller))["id"] for _ in range(2)]
        begun_ms = served.product.engine.now_ms()
        async with held_turn(caller, first, hold):
            waiting = asyncio.create_task(respond(caller, second, "x"))
            async with asyncio.timeout(PATIENCE_S):
                while (run := await read_data(caller, f"/sessions/{second}/active-run")) is None:
                    await asyncio.sleep(0.01)
            seen_ms = served.product.engine.now_ms()
        await waiting

    assert begun_ms <= run["started_at"] == run["updated_at"] <= seen_ms
    assert (run["status"], run["phase"], run["completed_at"]) == (
        "running",
        "input_recorded",
        None,
    )


def is_streaming(run: JsonObject) -> bool:
    return run["pending_output"] is not None and run["pending_output"]["state"] == "streaming"


async def test_only_the_run_of_the_named_branch_is_shown(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([hold, Say("x")])

    async with held_turn(caller, session, hold):
        path = f"/sessions/{session}/active-run"
        assert (await caller.get(path, branch_id="main"))[1]["data"] is not None
        assert (await caller.get(path, branch_id="other"))[1]["data"] is None


@pytest.mark.parametrize("delay_s", [0, 0.01])
async def test_a_stream_resumes_at_every_frame_without_a_doubled_word(
    caller: Caller, switchable: SwitchableModel, delay_s: float
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("One two three four. <summary>Counted.</summary>", delay_s)])
    path = f"/sessions/{session}/respond/stream"
    frames = await stream_turn(caller, path, {"message": "count"})
    floor = frames[0].data["floor_id"]

    for seen in range(1, len(frames)):
        rest = await follow(caller, floor, after=frames[seen - 1].id)

        whole = join_chunks(frames[:seen]) + join_chunks(rest)
        if frames[seen - 1].event == "chunk" or frames[seen].event != "chunk":
            assert whole == "One two three four."
        if frames[seen - 1].event != "done":
            assert rest[-1] == frames[-1]


async def test_a_client_that_left_resumes_the_live_stream(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("The fire "), hold, Say("wavers.")])
    url = f"{caller.url}/sessions/{session}/respond/stream?on_disconnect=continue"
    async with caller.http.post(url, json={"message": "x"}, headers=caller.headers) as answer:
        await hold.reached.wait()
        seen = await read_until_chunk(answer)

    resumed = asyncio.create_task(follow(caller, seen[0].data["floor_id"], after=seen[-1].id))
    hold.release.set()
    rest = await resumed

    assert join_chunks(seen) + join_chunks(rest) == "The fire wavers."
    assert "start" not in [frame.event for frame in rest]
    assert rest[-1].data["generated_text"] == "The fire wavers."


async def read_until_chunk(answer: aiohttp.ClientResponse) -> list[StreamFrame]:
    """The frames up to the first chunk."""
    buffer = b""
    async for piece in answer.content.iter_any():
        buffer += piece
        if b"event: chunk" in buffer and buffer.endswith(b"\n\n"):
            break
    blocks = buffer.decode().strip().split("\n\n")
    return [StreamFrame.parse(block) for block in blocks if not block.startswith(":")]


async def test_a_cancelled_turn_leaves_nothing(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    hold = Hold()
    model = switchable.script([Say("half"), hold], [Say("whole")])

    async with held_turn(caller, session, hold) as run:
        status, answer = await caller.post(f"/floors/{run['floor_id']}/run/cancel")

    assert (status, answer["data"]["status"]) == (200, "cancelled")
    assert answer["data"]["error"]["code"] == "generation_cancelled"
    assert (model.cancelled, model.active) == (1, 0)
    assert await read_floors(caller, session) == []
    assert await read_variables(caller, session) == {}
    assert (await respond(caller, session, "again"))["floor_no"] == 0


async def test_a_kept_turn_is_committed_with_its_text_so_far(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    broken_before = await broken_rules_of(served.product.database)
    session = await create_counting_session(served, caller)
    hold = Hold()
    model = switchable.script([Think("Hm."), Say("The fire wavers. <summary>half a"), hold])

    async with held_turn(caller, session, hold) as run:
        path = f"/floors/{run['floor_id']}/run/cancel"
        status, answer = await caller.post(path, {"keep": True})

    (floor,) = await read_floors(caller, session)
    assert (status, answer["data"]["status"]) == (200, "completed")
    assert floor["messages"][1]["content"] == "The fire wavers."
    assert await read_variables(caller, session) == {"n": "1"}
    _, result = await caller.get(f"/floors/{floor['id']}/result")
    assert result["data"]["generated_text"] == "The fire wavers."
    assert result["data"]["total_usage"]["completion_tokens"] > 0
    assert (model.cancelled, model.active) == (1, 0)
    assert await broken_rules_of(served.product.database) == broken_before


async def test_keeping_a_turn_that_said_nothing_cancels_it(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("<summary>half"), hold])

    async with held_turn(caller, session, hold) as run:
        _, answer = await caller.post(f"/floors/{run['floor_id']}/run/cancel", {"keep": True})

    assert answer["data"]["status"] == "cancelled"
    assert await read_floors(caller, session) == []


async def test_an_ended_turn_stays_as_it_is_when_it_is_cancelled(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    floor = (await respond(caller, session, "hi"))["floor_id"]

    _, answer = await caller.post(f"/floors/{floor}/run/cancel", {"keep": False})

    assert answer["data"]["status"] == "completed"
    assert len(await read_floors(caller, session)) == 1


async def test_the_result_of_a_floor_is_that_of_the_call(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Yes. <memo>Agreed.</memo>"), Spend(5, 4)])
    answer = await respond(caller, session, "Well?")

    assert (await caller.get(f"/floors/{answer['floor_id']}/result"))[1]["data"] == answer


async def test_a_floor_without_a_run_has_none(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    character = await create_character(served, caller)
    session = (await create_session(caller, character_id=str(character.ref.id)))["id"]
    (greeting,) = await read_floors(caller, session)

    for path in ("run", "run/events", "result"):
        status, answer = await caller.get(f"/floors/{greeting['id']}/{path}")
        assert (status, answer["error"]["code"]) == (404, "not_found")
    assert (await caller.get("/floors/nobody/run"))[1]["error"]["code"] == "floor_not_found"


async def test_the_run_of_somebody_else_is_not_found(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    floor = (await respond(caller, session, "hi"))["floor_id"]
    stranger = await served.account()

    for path in ("run", "run/events", "result"):
        status, answer = await stranger.get(f"/floors/{floor}/{path}")
        assert (status, answer["error"]["code"]) == (404, "floor_not_found")
    assert (await stranger.post(f"/floors/{floor}/run/cancel"))[0] == 404
    assert (await stranger.get(f"/sessions/{session}/active-run"))[0] == 404


@pytest.mark.parametrize("body", [{"keep": "yes"}, {"keep": True, "x": 1}, []])
async def test_a_bad_cancel_is_refused(
    caller: Caller, switchable: SwitchableModel, body: object
) -> None:
    session = (await create_session(caller))["id"]
    floor = (await respond(caller, session, "hi"))["floor_id"]

    status, answer = await caller.post(f"/floors/{floor}/run/cancel", body)

    assert (status, answer["error"]["code"]) == (400, "validation_error")


async def test_a_result_of_an_unfinished_turn_is_refused(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([hold, Say("x")])

    async with held_turn(caller, session, hold) as run:
        status, answer = await caller.get(f"/floors/{run['floor_id']}/result")

    assert (status, answer["error"]["code"]) == (409, "invalid_state")


async def test_a_client_that_leaves_frees_the_branch_within_a_second(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([Say("half"), hold], [Say("whole")])
    url = f"{caller.url}/sessions/{session}/respond/stream"
    async with caller.http.post(url, json={"message": "x"}, headers=caller.headers):
        await hold.reached.wait()

    async with asyncio.timeout(PATIENCE_S):
        while (await caller.get(f"/sessions/{session}/active-run"))[1]["data"] is not None:
            await asyncio.sleep(0.02)

    assert model.cancelled == 1
    assert (await respond(caller, session, "again"))["generated_text"] == "whole"


async def test_a_keyed_stream_that_is_closed_between_two_frames_abandons_its_turn(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([Say("half "), hold, Say("whole")])
    product = served.product
    generation = TurnGeneration(
        product.engine, product.executions, RejectWhenBusy(), product.story_tools
    )
    url = f"{caller.url}/sessions/{session}/respond/stream?on_disconnect=continue"
    async with caller.http.post(url, json={"message": "x"}, headers=caller.headers):
        await hold.reached.wait()
    _, active = await caller.get(f"/sessions/{session}/active-run")
    run = await read_ref(served, active["data"]["run_id"])
    await wait_until(lambda: not product.engine.journal.is_followed(run.id))
    call = TurnCall(
        AccountId(parse_account_id(caller)),
        run.session_id,
        run.key,
        is_keyed=True,
        digest=b"",
        on_disconnect=DisconnectPolicy.CANCEL,
    )
    frames = generation.stream(call, await generation.open(run, TurnDebug()))
    await anext(frames)
    await anext(frames)

    await frames.aclose()

    await wait_until(lambda: model.cancelled == 1)


async def read_ref(served: Served, run_id: str) -> RunRef:
    async with served.product.database.connection() as tx:
        row = await tx.fetchrow("SELECT session_id, key FROM runs WHERE id = $1::uuid", run_id)
    assert row is not None
    return RunRef(RunId(UUID(run_id)), SessionId(row["session_id"]), row["key"])


async def test_a_turn_goes_on_for_a_repeated_stream_when_the_first_client_leaves(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("half "), hold, Say("whole")])
    url = f"{caller.url}/sessions/{session}/respond/stream"
    headers = caller.headers | {"Idempotency-Key": "k"}
    async with caller.http.post(url, json={"message": "x"}, headers=headers):
        await hold.reached.wait()
        again = await caller.http.post(url, json={"message": "x"}, headers=headers)
        seen = await read_until_chunk(again)
    await asyncio.sleep(NOTICE_S)
    hold.release.set()

    frames = seen + await read_frames(again)
    assert frames[-1].data["generated_text"] == join_chunks(frames) == "half whole"


async def wait_for_key(served: Served, caller: Caller, condition: str) -> None:
    """Return when the account's only key fulfils a condition."""
    query = f"SELECT {condition} FROM idempotency_keys WHERE account_id = $1"
    async with asyncio.timeout(PATIENCE_S), served.product.database.connection() as tx:
        while not await tx.fetchval(query, parse_account_id(caller)):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("leaves_too", [False, True])
async def test_a_turn_goes_on_while_a_repeated_call_waits_for_it(
    served: Served, caller: Caller, switchable: SwitchableModel, leaves_too: bool
) -> None:
    session = (await create_session(caller))["id"]
    hold, path = Hold(), f"/sessions/{session}/respond"
    model = switchable.script([Say("half "), hold, Say("whole")])
    headers = caller.headers | {"Idempotency-Key": "k"}
    ask = partial(caller.send, "POST", path, json={"message": "x"}, headers=headers)
    first = asyncio.create_task(ask())
    await hold.reached.wait()
    second = asyncio.create_task(ask())
    await wait_for_key(served, caller, "waited_at IS NOT NULL")

    first.cancel()
    await wait_for_key(served, caller, "waited_at IS NULL")
    if leaves_too:
        second.cancel()
        await wait_until(lambda: model.cancelled == 1)
        return
    hold.release.set()

    status, answer = await second
    assert (status, answer["data"]["generated_text"]) == (200, "half whole")


async def test_an_unknown_disconnect_policy_is_refused(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]

    status, answer = await caller.post(
        f"/sessions/{session}/respond", {"message": "x"}, on_disconnect="stay"
    )

    assert (status, answer["error"]["code"]) == (400, "validation_error")
