"""`YARROW_GENERATION_QUEUE=queue`: turns wait for their branch and look again. Issue 14 §5."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import find_input, list_sent, list_texts, respond
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller, Served, serving

from yarrow.llm.scripted import Call, Hold, Say
from yarrow.settings import QueueMode


@pytest.fixture(scope="module")
async def served(
    dsn: str, shared_model: SwitchableModel, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    folder: Path = tmp_path_factory.mktemp("queued")
    async with serving(
        dsn,
        model=shared_model,
        data_dir=folder,
        generation_queue=QueueMode.QUEUE,
        generation_queue_timeout_ms=1_500,
    ) as served:
        yield served


@asynccontextmanager
async def keeping_busy(
    served: Served, caller: Caller, session: str, hold: Hold, **body: object
) -> AsyncIterator[None]:
    """A turn is generated within the block, and ends after it."""
    running = asyncio.create_task(respond(caller, session, "slow", **body))
    await hold.reached.wait()
    await wait_for_waiting(served, 0)  # the turn begins before its own place is given up
    yield
    hold.release.set()
    await running


async def count_waiting(served: Served) -> int:
    async with served.product.database.connection() as tx:
        return int(await tx.fetchval("SELECT count(*) FROM branch_waiters"))


async def wait_for_waiting(served: Served, count: int) -> None:
    while await count_waiting(served) != count:
        await asyncio.sleep(0.01)


async def count_cancelled(caller: Caller, route: str) -> float:
    """How often the route was answered with 499 `generation_cancelled`."""
    labels = f'{{method="POST",route="/sessions/{{id}}/{route}",status="499"}}'
    async with caller.http.get(f"{caller.url}/metrics") as answer:
        lines = (await answer.text()).splitlines()
    counts = [
        line.split()[1] for line in lines if line.startswith(f"yarrow_http_requests_total{labels}")
    ]
    return float(counts[0]) if counts else 0


async def test_a_response_waits_and_sees_the_new_history(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([hold, Say("one")], [Say("two")])

    async with keeping_busy(served, caller, session, hold):
        waiting = asyncio.create_task(respond(caller, session, "next"))
        await wait_for_waiting(served, 1)

    assert (await waiting)["floor_no"] == 1
    assert list_sent(model.requests[1])[-3:] == ["slow", "one", "next"]


async def test_a_regeneration_whose_floor_is_not_the_newest_any_more_is_stale(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([Say("one")], [hold, Say("two")])
    await respond(caller, session, "a")

    async with keeping_busy(served, caller, session, hold):
        waiting = asyncio.create_task(caller.post(f"/sessions/{session}/regenerate"))
        await wait_for_waiting(served, 1)

    status, answer = await waiting
    assert (status, answer["error"]["code"]) == (409, "generation_target_stale")
    assert len(model.requests) == 2
    assert list_texts(await read_floors(caller, session)) == [["a", "one"], ["slow", "two"]]


async def test_a_response_whose_source_is_not_the_last_floor_any_more_is_stale(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([Say("one")], [hold, Say("two")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    body = {"message": "next", "source_floor_id": floor}

    async with keeping_busy(served, caller, session, hold):
        waiting = asyncio.create_task(caller.post(f"/sessions/{session}/respond", body))
        await wait_for_waiting(served, 1)

    status, answer = await waiting
    assert (status, answer["error"]["code"]) == (409, "generation_target_stale")
    assert len(model.requests) == 2


async def test_a_retry_waits_and_is_stale_when_its_floor_was_replaced(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    switchable.script([Say("one")], [hold, Say("uno")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    replacing = asyncio.create_task(caller.post(f"/sessions/{session}/regenerate"))
    await hold.reached.wait()

    waiting = asyncio.create_task(caller.post(f"/floors/{floor}/retry"))
    await wait_for_waiting(served, 1)
    hold.release.set()

    assert (await replacing)[0] == 200
    status, answer = await waiting
    assert (status, answer["error"]["code"]) == (409, "generation_target_stale")


async def test_a_retry_waits_behind_another_turn(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([Say("one")], [hold, Say("two")], [Say("uno")])
    floor = (await respond(caller, session, "a"))["floor_id"]

    async with keeping_busy(served, caller, session, hold):
        waiting = asyncio.create_task(caller.post(f"/floors/{floor}/retry"))
        await wait_for_waiting(served, 1)

    status, answer = await waiting
    assert (status, answer["data"]["floor_no"]) == (200, 0)
    assert list_sent(model.requests[2])[-1] == "a"
    assert list_texts(await read_floors(caller, session)) == [["a", "uno"], ["slow", "two"]]


async def test_who_waits_too_long_is_told(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([hold, Say("one")])

    async with keeping_busy(served, caller, session, hold):
        status, answer = await caller.post(f"/sessions/{session}/respond", {"message": "next"})

    assert (status, answer["error"]["code"]) == (503, "generation_queue_timeout")
    assert len(model.requests) == 1


@pytest.mark.parametrize("route", ["respond", "respond/stream"])
async def test_a_client_that_leaves_leaves_the_queue(
    served: Served, caller: Caller, switchable: SwitchableModel, route: str
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([hold, Say("one")])
    path, before = f"/sessions/{session}/{route}", await count_cancelled(caller, route)

    async with keeping_busy(served, caller, session, hold):
        waiting = asyncio.create_task(caller.post(path, {"message": "next"}))
        await wait_for_waiting(served, 1)
        waiting.cancel()
        for _ in range(50):
            if await count_waiting(served) == 0:
                break
            await asyncio.sleep(0.02)
        left = await count_waiting(served)

    assert left == 0
    # Nobody reads the answer, but operators see it.
    assert await count_cancelled(caller, route) == before + 1
    assert len(model.requests) == 1
    assert [floor["floor_no"] for floor in await read_floors(caller, session)] == [0]


async def test_a_branch_that_is_being_made_is_waited_for(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([Say("one")], [hold, Say("side")], [Say("next")])
    await respond(caller, session, "a")
    (floor,) = await read_floors(caller, session)
    path = f"/messages/{find_input(floor)}/edit-and-regenerate"

    async with keeping_busy(served, caller, session, hold, branch_id="alt"):
        waiting = asyncio.create_task(respond(caller, session, "b", branch_id="alt"))
        editing = asyncio.create_task(caller.post(path, {"content": "x", "branch_id": "alt"}))
        await asyncio.sleep(0.2)
        assert not waiting.done()

    assert (await waiting)["floor_no"] == 2
    assert list_sent(model.requests[2])[-4:] == ["one", "slow", "side", "b"]
    status, answer = await editing
    assert (status, answer["error"]["code"]) == (409, "branch_exists")


async def test_a_retry_that_waited_does_not_repeat_calls_that_were_not_confirmed(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold, create = Hold(), Call("create_character", {"name": "Ada"})
    model = switchable.script([Say("plain")], [create], [hold, Say("made")])
    path = f"/floors/{(await respond(caller, session, 'a'))['floor_id']}/retry"
    making = asyncio.create_task(caller.post(path, {"config": {"enableTools": True}}))
    await hold.reached.wait()

    waiting = asyncio.create_task(caller.post(path, {}))
    await wait_for_waiting(served, 1)
    hold.release.set()
    status, answer = await waiting

    assert (await making)[0] == 200
    assert (status, answer["error"]["code"]) == (409, "generation_target_stale")
    assert len(model.requests) == 3
    assert list_texts(await read_floors(caller, session)) == [["a", "made"]]
