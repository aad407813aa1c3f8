"""Resuming by Last-Event-ID: exactly what is missing, from any place, during the run and after."""

import asyncio

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import RUNS, Caller, Frame, run_body

from yarrow.llm.scripted import Call, Hold, Say, Think, Turn

TALKATIVE: tuple[Turn, ...] = (
    [Think("let me see"), Say("One moment."), Call("current_time")],
    [Think("so"), Say("It is noon in all of the land.")],
)


def missing_after(frames: list[Frame], cursor: int) -> list[Frame]:
    """The frames of all events behind the cursor. Of an event with several frames only the last
    has its own number, so that a client that was cut off amid them gets all of them again."""
    whole = [n for n, frame in enumerate(frames) if frame.id <= cursor and is_last(frames, n)]
    return frames[max(whole, default=-1) + 1 :]


def is_last(frames: list[Frame], place: int) -> bool:
    """Whether the frame is the last one of its event."""
    following = [frame.data.get("name", frame.type) for frame in frames[place + 1 : place + 2]]
    return not {"REASONING_MESSAGE_START", "REASONING_END", "UI_CARD"} & set(following)


async def finished(caller: Caller, switchable: SwitchableModel) -> tuple[JsonObject, list[Frame]]:
    switchable.script(*TALKATIVE)
    body = run_body("what time is it?")
    await caller.submit(body)
    return body, await caller.events(body["threadId"], body["runId"])


async def test_ended_run_can_be_resumed_after_every_event(
    caller: Caller, switchable: SwitchableModel
) -> None:
    body, frames = await finished(caller, switchable)

    for cursor in range(1, frames[-1].id):
        resumed = await caller.events(body["threadId"], body["runId"], after=cursor)

        assert resumed == missing_after(frames, cursor), cursor


async def test_active_run_can_be_resumed_after_every_event(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([Think("let me see"), Say("one two three"), hold, Say("four five")])
    body = run_body()
    await caller.submit(body)
    await hold.reached.wait()

    following = [
        asyncio.create_task(caller.events(body["threadId"], body["runId"], after=cursor))
        for cursor in range(10)
    ]
    hold.release.set()
    frames, *tails = await asyncio.gather(*following)

    assert [len(tail) for tail in tails] == sorted((len(t) for t in tails), reverse=True)
    for cursor, tail in enumerate(tails, 1):
        assert tail == missing_after(frames, cursor), cursor


async def test_replay_equals_the_live_stream(caller: Caller, switchable: SwitchableModel) -> None:
    body, live = await finished(caller, switchable)
    caller_again = [await caller.events(body["threadId"], body["runId"]) for _ in range(2)]

    assert caller_again == [live, live]


async def test_query_serves_clients_that_cannot_set_headers(
    caller: Caller, switchable: SwitchableModel
) -> None:
    body, frames = await finished(caller, switchable)
    url = f"{caller.url}{RUNS}/{body['threadId']}/events?lastEventId=3"

    async with caller.http.get(url, headers=caller.headers) as answer:
        raw = await answer.read()

    by_header = await caller.events(body["threadId"], body["runId"], after=3)
    assert raw.count(b"\n\n") == len(by_header) == len(missing_after(frames, 3))


@pytest.mark.parametrize("beyond", [0, 1, 10**6])
async def test_client_that_has_seen_the_end_is_not_kept_waiting(
    caller: Caller, switchable: SwitchableModel, beyond: int
) -> None:
    body, frames = await finished(caller, switchable)

    rest = await caller.events(body["threadId"], body["runId"], after=frames[-1].id + beyond)

    assert rest == []
