"""The event stream as bytes: framing, numbers, heartbeats, company."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from tests.loose_json import JsonObject, JsonValue, decode_json
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import RUNS, Caller, run_body, serving

from yarrow.llm.errors import ModelUnreachable
from yarrow.llm.scripted import Call, Fail, Hold, Say, Think, Turn

TALKATIVE: list[Turn] = [
    [Think("let me see"), Say("A moment.\r\n\u2028 "), Call("current_time"), Call("nothing")],
    [Think("so"), Say("字 ends here")],
]


async def raw_events(
    caller: Caller, body: JsonObject, **params: str
) -> tuple[bytes, Mapping[str, str]]:
    url = f"{caller.url}{RUNS}/{body['threadId']}/events"
    query = {"runId": body["runId"], **params}
    async with caller.http.get(url, headers=caller.headers, params=query) as answer:
        return await answer.read(), answer.headers


def nulls(value: JsonValue) -> Iterable[str]:
    """The paths of all nulls in a value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from [key] if item is None else [f"{key}.{p}" for p in nulls(item)]
    elif isinstance(value, list):
        for item in value:
            yield from nulls(item)


@pytest.mark.parametrize("profile", ["seed", "agui"])
async def test_each_frame_is_a_number_and_one_line_of_json(
    caller: Caller, switchable: SwitchableModel, profile: str
) -> None:
    switchable.script(*TALKATIVE)
    body = run_body()
    await caller.submit(body)

    raw, headers = await raw_events(caller, body, profile=profile)

    assert headers["Content-Type"].startswith("text/event-stream")
    assert headers["Cache-Control"] == "no-cache, no-transform"
    assert headers["X-Request-Id"]
    assert b"\r" not in raw
    *blocks, rest = raw.split(b"\n\n")
    assert rest == b""
    numbers = []
    for block in blocks:
        number, data = block.split(b"\n")
        numbers.append(int(number.removeprefix(b"id: ")))
        event = decode_json(data.removeprefix(b"data: "))
        assert list(nulls(event)) == []
        assert isinstance(event.get("timestamp", 0), int)
        assert event.get("delta") != ""
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, numbers[-1] + 1))


async def test_lifecycle_events_are_dated(caller: Caller) -> None:
    body = run_body()
    await caller.submit(body)

    frames = await caller.events(body["threadId"], body["runId"])

    assert 0 < frames[0].data["timestamp"] <= frames[-1].data["timestamp"]


async def test_heartbeats_are_comments(dsn: str, tmp_path: Path) -> None:
    hold = Hold()
    switchable = SwitchableModel()
    switchable.script([Say("one"), hold, Say("two")])
    async with serving(dsn, model=switchable, data_dir=tmp_path, heartbeat_s=0.01) as served:
        caller = await served.account()
        body = run_body()
        await caller.submit(body)
        url = f"{caller.url}{RUNS}/{body['threadId']}/events"
        async with caller.http.get(url, headers=caller.headers) as answer:
            async for line in answer.content:
                if line.startswith(b":"):
                    hold.release.set()
                    break
            rest = await answer.read()

    assert line == b": ping\n"
    assert b'"delta":"two"' in rest
    assert b"RUN_FINISHED" in rest


async def test_newest_run_is_followed_unless_one_is_named(caller: Caller) -> None:
    first = run_body()
    await caller.submit(first)
    await caller.events(first["threadId"], first["runId"])
    second = run_body(thread=first["threadId"])
    await caller.submit(second)

    url = f"{caller.url}{RUNS}/{first['threadId']}/events"
    async with caller.http.get(url, headers=caller.headers) as answer:
        newest = await answer.read()

    assert newest == (await raw_events(caller, second))[0]


async def test_followers_see_the_same(caller: Caller, switchable: SwitchableModel) -> None:
    hold = Hold()
    switchable.script([Say("one two three"), hold, Say("four five")])
    body = run_body()
    await caller.submit(body)
    await hold.reached.wait()

    following = [asyncio.create_task(raw_events(caller, body)) for _ in range(3)]
    hold.release.set()
    seen = {raw for raw, _ in await asyncio.gather(*following)}

    assert len(seen) == 1
    assert b"RUN_FINISHED" in seen.pop()


async def test_follower_may_connect_before_the_first_token(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([hold, Say("late")])
    body = run_body()
    await caller.submit(body)

    types = []
    async for frame in caller.follow(body["threadId"], body["runId"]):
        types.append(frame.type)
        hold.release.set()

    assert types[0] == "RUN_STARTED"
    assert types[-1] == "RUN_FINISHED"


async def test_nothing_follows_an_error(caller: Caller, switchable: SwitchableModel) -> None:
    switchable.script([Say("half"), Fail(ModelUnreachable())])
    body = run_body()
    await caller.submit(body)

    frames = await caller.events(body["threadId"], body["runId"])

    assert [f.type for f in frames].index("RUN_ERROR") == len(frames) - 1


@pytest.mark.parametrize("given", ["-1", "x", "1.5", "９", "1" * 19, "1 2"])
async def test_last_event_id_must_be_a_number_of_ours(caller: Caller, given: str) -> None:
    body = run_body()
    await caller.submit(body)

    status, problem = await caller.get(
        f"{RUNS}/{body['threadId']}/events", runId=body["runId"], lastEventId=given
    )

    assert (status, problem["code"]) == (422, "AGENT_INPUT_INVALID")
    assert problem["params"] == {"field": "Last-Event-ID"}


async def test_unknown_profile_is_refused(caller: Caller) -> None:
    body = run_body()
    await caller.submit(body)

    status, problem = await caller.get(f"{RUNS}/{body['threadId']}/events", profile="other")

    assert (status, problem["params"]) == (422, {"field": "profile"})
