"""A database that goes away while a reply is generated. Issue 14 §5."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.cut_postgres import serving_over_link
from tests.held_connections import hold_reserved_connections
from tests.loose_json import JsonObject
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    find_input,
    list_texts,
    read_frames,
    read_story,
    respond,
)
from tests.protocols.tavern.story_calls import read_floors
from tests.serving import Caller, broken_rules_of, serving
from tests.waiting import PATIENCE_S

from yarrow.llm.scripted import Hold, Say, ScriptedModel

pytestmark = pytest.mark.slow

SOON_MS = 400
REPLACING: dict[str, Callable[[str, JsonObject], tuple[str, JsonObject]]] = {
    "respond": lambda session, floor: (f"/sessions/{session}/respond", {"message": "b"}),
    "regenerate": lambda session, floor: (f"/sessions/{session}/regenerate", {}),
    "retry": lambda session, floor: (f"/floors/{floor['id']}/retry", {}),
    "edit": lambda session, floor: (
        f"/messages/{find_input(floor)}/edit-and-regenerate",
        {"content": "c", "branch_id": "other"},
    ),
}


async def wait_for_success(send: Callable[[], Awaitable[tuple[int, JsonObject]]]) -> JsonObject:
    """Repeat a call until its branch is free; it may be answered that it is busy."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            status, answer = await send()
            if status == 200:
                return answer
            assert answer["error"]["code"] in {"commit_busy", "generation_conflict"}, answer
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("kind", REPLACING)
async def test_a_reply_that_cannot_be_stored_in_time_leaves_the_story_as_it_was(
    postgres: str, tmp_path: Path, kind: str
) -> None:
    hold = Hold()
    model = ScriptedModel([Say("one")], [Say("lost"), hold], [Say("two")])
    async with serving_over_link(postgres, tmp_path, model, commit_timeout_ms=SOON_MS) as (
        served,
        link,
    ):
        caller = await served.account()
        session = await create_counting_session(served, caller)
        await respond(caller, session, "a")
        before = await read_story(caller, session)
        path, body = REPLACING[kind](session, before["main"]["floors"][-1])

        waiting = asyncio.create_task(post_with_headers(caller, path, body))
        await hold.reached.wait()
        _, active = await caller.get(f"/sessions/{session}/active-run")
        await link.cut()
        hold.release.set()
        status, headers, answer = await waiting
        link.connect()

        assert (status, answer["error"]["code"]) == (503, "commit_busy")
        assert "Retry-After" in headers
        failed = await wait_for_end(caller, active["data"]["floor_id"])
        assert (failed["status"], failed["error"]["code"]) == ("failed", "commit_busy")
        assert await read_story(caller, session) == before
        assert len(model.requests) == 2
        await wait_for_success(lambda: caller.post(path, body))
        story = await read_story(caller, session)
        newest = story["other" if kind == "edit" else "main"]
        assert list_texts(newest["floors"])[-1][-1] == "two"
        assert newest["variables"]["n"] == ("2" if kind == "respond" else "1")
        assert await broken_rules_of(served.product.database) == []


async def post_with_headers(
    caller: Caller, path: str, body: JsonObject
) -> tuple[int, JsonObject, JsonObject]:
    async with caller.http.post(caller.url + path, json=body, headers=caller.headers) as answer:
        return answer.status, dict(answer.headers), await answer.json()


async def wait_for_end(caller: Caller, floor: str) -> JsonObject:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            status, answer = await caller.get(f"/floors/{floor}/run")
            if status == 200 and answer["data"]["status"] != "running":
                return dict(answer["data"])
            await asyncio.sleep(0.05)


async def test_a_stream_whose_reply_cannot_be_stored_in_time_ends_with_an_error(
    postgres: str, tmp_path: Path
) -> None:
    hold = Hold()
    model = ScriptedModel([Say("lost words"), hold], [Say("two")])
    async with serving_over_link(postgres, tmp_path, model, commit_timeout_ms=SOON_MS) as (
        served,
        link,
    ):
        caller = await served.account()
        session = await create_counting_session(served, caller)
        path = f"/sessions/{session}/respond"
        url, body = f"{caller.url}{path}/stream", {"message": "a"}

        async with caller.http.post(url, json=body, headers=caller.headers) as answer:
            await hold.reached.wait()
            await link.cut()
            hold.release.set()
            frames = await read_frames(answer)
        link.connect()

        assert (frames[-1].event, frames[-1].data["code"]) == ("error", "commit_busy")
        text = "".join(frame.data["chunk"] for frame in frames if frame.event == "chunk")
        assert text == "lost words"
        await wait_for_success(lambda: caller.post(path, body))
        assert list_texts(await read_floors(caller, session)) == [["a", "two"]]


async def test_a_database_that_is_back_in_time_costs_no_turn(postgres: str, tmp_path: Path) -> None:
    hold = Hold()
    model = ScriptedModel([Say("kept"), hold])
    async with serving_over_link(postgres, tmp_path, model) as (served, link):
        caller = await served.account()
        session = await create_counting_session(served, caller)

        waiting = asyncio.create_task(respond(caller, session, "a"))
        await hold.reached.wait()
        await link.cut()
        hold.release.set()
        await asyncio.sleep(2 * SOON_MS / 1000)
        link.connect()

        assert (await waiting)["generated_text"] == "kept"
        assert list_texts(await read_floors(caller, session)) == [["a", "kept"]]
        assert len(model.requests) == 1


async def test_a_turn_that_is_not_on_disk_yet_waits_for_the_database_as_well(
    postgres: str, tmp_path: Path
) -> None:
    hold = Hold()
    model = ScriptedModel([Say("kept"), hold])
    async with serving_over_link(postgres, tmp_path, model) as (served, link):
        caller = await served.account()
        session = await create_counting_session(served, caller)

        async with hold_reserved_connections(served.product.database):
            waiting = asyncio.create_task(respond(caller, session, "a"))
            await hold.reached.wait()
            await link.cut()
        hold.release.set()
        await asyncio.sleep(SOON_MS / 1000)
        link.connect()

        assert (await waiting)["generated_text"] == "kept"
        assert list_texts(await read_floors(caller, session)) == [["a", "kept"]]
        assert len(model.requests) == 1


async def test_a_turn_that_is_not_on_disk_yet_does_not_wait_longer_than_a_reply(
    postgres: str, tmp_path: Path
) -> None:
    hold = Hold()
    model = ScriptedModel([Say("lost"), hold])
    async with serving_over_link(postgres, tmp_path, model, commit_timeout_ms=SOON_MS) as (
        served,
        link,
    ):
        caller = await served.account()
        session = await create_counting_session(served, caller)

        async with hold_reserved_connections(served.product.database):
            body = {"message": "a"}
            waiting = asyncio.create_task(caller.post(f"/sessions/{session}/respond", body))
            await hold.reached.wait()
            await link.cut()
        status, answer = await waiting
        hold.release.set()
        link.connect()

        assert (status, answer["error"]["code"]) == (503, "commit_busy")


async def test_a_caller_of_a_process_without_worker_is_told_when_its_database_is_away(
    postgres: str, tmp_path: Path
) -> None:
    hold = Hold()
    model = ScriptedModel([Say("kept"), hold])
    async with (
        serving_over_link(
            postgres, tmp_path, ScriptedModel(), slots=0, commit_timeout_ms=SOON_MS, heartbeat_s=0.3
        ) as (asked, link),
        serving(link.dsn, model=model, data_dir=tmp_path),
    ):
        caller = await asked.account()
        session = await create_counting_session(asked, caller)
        path, body = f"/sessions/{session}/respond", {"message": "a"}

        waiting = asyncio.create_task(caller.post(path, body))
        await hold.reached.wait()
        await link.cut()
        status, answer = await waiting
        link.connect()
        hold.release.set()

        assert (status, answer["error"]["code"]) == (503, "commit_busy")
        async with asyncio.timeout(PATIENCE_S):
            while list_texts(await read_floors(caller, session)) != [["a", "kept"]]:
                await asyncio.sleep(0.05)
        assert len(model.requests) == 1


async def test_a_silence_before_the_database_was_lost_does_not_count(
    postgres: str, tmp_path: Path
) -> None:
    hold, limits = Hold(), {"commit_timeout_ms": 5500, "heartbeat_s": 6.0}
    model = ScriptedModel([Say("kept"), hold])
    async with (
        serving_over_link(postgres, tmp_path, ScriptedModel(), slots=0, **limits) as (asked, link),
        serving(link.dsn, model=model, data_dir=tmp_path),
    ):
        caller = await asked.account()
        session = await create_counting_session(asked, caller)

        waiting = asyncio.create_task(respond(caller, session, "a"))
        await hold.reached.wait()
        await asyncio.sleep(5.2)
        await link.cut()
        await asyncio.sleep(2.3)  # the heartbeat, which reads, is within it
        link.connect()
        hold.release.set()

        assert (await waiting)["generated_text"] == "kept"
