"""The strict profile: what stock AG-UI clients accept, from the start and from any place."""

import asyncio

import pytest
from tests.protocols.agui.pipeline import Pipeline
from tests.protocols.agui.stage import Stage
from tests.serving import Caller, Frame, run_body

from yarrow.errors import ModelTimeout
from yarrow.json_values import JsonObject
from yarrow.llm.scripted import Call, Fail, Hold, Say, Think, Turn

events = pytest.importorskip("ag_ui.core")

WEATHER = {"name": "get_weather", "description": "weather", "parameters": {"type": "object"}}

SCRIPTS: dict[str, tuple[Turn, ...]] = {
    "plain": ([Say("It is raining today.")],),
    "silent": ([],),
    "reasoning": ([Think("let me see"), Say("Rain."), Think("or snow"), Say("Snow.")],),
    "tool loop": ([Say("A moment."), Call("current_time")], [Think("so"), Say("It is noon.")]),
    "two tools": ([Call("current_time"), Call("current_time", id="again")], [Say("Noon.")]),
    "client tool": ([Think("ask"), Say("Asking."), Call("get_weather", {"city": "北京"})],),
    "failure": ([Think("hm"), Say("It is "), Fail(ModelTimeout(60_000))],),
}


async def run(caller: Caller, stage: Stage, *turns: Turn, thread: str = "") -> JsonObject:
    stage.play(*turns)
    body = run_body("what is it?", thread=thread, tools=[WEATHER])
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    return body


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_stream_is_what_a_stock_client_accepts(
    caller: Caller, stage: Stage, script: tuple[Turn, ...]
) -> None:
    body = await run(caller, stage, *script)

    frames = await caller.events(body["threadId"], body["runId"], profile="agui")

    assert Pipeline().feed(frames).last is not None


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_every_event_is_one_of_the_protocol(
    caller: Caller, stage: Stage, script: tuple[Turn, ...]
) -> None:
    body = await run(caller, stage, *script)

    frames = await caller.events(body["threadId"], body["runId"], profile="agui")
    frames += await caller.events(body["threadId"], body["runId"], profile="agui", after=5)

    for frame in frames:
        model = getattr(events, _class_name(frame.type))
        parsed = model.model_validate(frame.data)
        assert not parsed.model_extra, frame.data
        assert parsed.model_dump(mode="json", by_alias=True) == frame.data


def _class_name(type_: str) -> str:
    return "".join(word.capitalize() for word in type_.split("_")) + "Event"


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_joining_anywhere_ends_with_the_same_messages(
    caller: Caller, stage: Stage, script: tuple[Turn, ...]
) -> None:
    thread = (await run(caller, stage, [Say("An earlier answer.")]))["threadId"]
    body = await run(caller, stage, *script, thread=thread)
    await run(caller, stage, [Say("A later answer.")], thread=thread)
    whole = await caller.events(thread, body["runId"], profile="agui")
    expected = Pipeline().feed(whole)

    for cursor in range(1, whole[-1].id + 1):
        joined = await caller.events(thread, body["runId"], profile="agui", after=cursor)
        client = Pipeline().feed(joined)

        earlier = [m["content"] for m in list(client.messages.values())[:3]]
        assert earlier == ["what is it?", "An earlier answer.", "what is it?"], cursor
        assert list(client.messages.values())[3:] == list(expected.messages.values()), cursor
        assert (client.last, client.custom) == (expected.last, expected.custom)


async def test_joining_a_going_run_ends_with_the_whole_text(caller: Caller, stage: Stage) -> None:
    hold = Hold()
    stage.play([Think("hm"), Say("one two three "), hold, Say("four five")])
    body = run_body("count")
    await caller.submit(body)
    await hold.reached.wait()

    joining = [
        asyncio.create_task(
            caller.events(body["threadId"], body["runId"], profile="agui", after=cursor)
        )
        for cursor in range(1, 12)
    ]
    hold.release.set()

    for frames in await asyncio.gather(*joining):
        said = [m.get("content") for m in Pipeline().feed(frames).messages.values()]
        assert said == ["count", "hm", "one two three four five"]


async def test_joining_begins_with_run_and_conversation(caller: Caller, stage: Stage) -> None:
    body = await run(caller, stage, [Say("one two three")])

    frames = await caller.events(body["threadId"], body["runId"], profile="agui", after=5)

    assert [(f.id, f.type) for f in frames[:5]] == [
        (5, "RUN_STARTED"),
        (5, "MESSAGES_SNAPSHOT"),
        (5, "STEP_STARTED"),
        (5, "TEXT_MESSAGE_START"),
        (5, "TEXT_MESSAGE_CONTENT"),
    ]
    assert frames[4].data["delta"] == "one two "
    assert [f.data["delta"] for f in frames if "delta" in f.data] == ["one two ", "three"]


async def test_client_that_has_seen_the_end_is_told_it_again(
    caller: Caller, stage: Stage
) -> None:
    body = await run(caller, stage, [Say("one")])
    whole = await caller.events(body["threadId"], body["runId"], profile="agui")

    again = await caller.events(
        body["threadId"], body["runId"], profile="agui", after=whole[-1].id
    )

    assert again[-1] == whole[-1]
    assert Pipeline().feed(again).messages.keys() >= Pipeline().feed(whole).messages.keys()


async def test_profiles_differ_only_where_the_seed_wants_it(caller: Caller, stage: Stage) -> None:
    body = await run(caller, stage, *SCRIPTS["tool loop"])
    seed = await caller.events(body["threadId"], body["runId"])
    strict = await caller.events(body["threadId"], body["runId"], profile="agui")

    different = [(a.data, b.data) for a, b in zip(seed, strict, strict=True) if a != b]

    output = {"status": "success", "answer": "It is noon."}
    start, end = different
    assert start[1] == start[0] | {"protocolVersion": "1.0"}
    base = {"type": "TEXT_MESSAGE_END", "messageId": end[0]["messageId"]}
    assert end == (base | output, base | {"metadata": {"yarrow": output}})


async def test_failure_has_the_same_code_in_both_profiles(caller: Caller, stage: Stage) -> None:
    body = await run(caller, stage, *SCRIPTS["failure"])

    ends: list[Frame] = [
        (await caller.events(body["threadId"], body["runId"], profile=profile))[-1]
        for profile in ("seed", "agui")
    ]

    assert {end.data["code"] for end in ends} == {"AGENT_MODEL_TIMEOUT"}
    assert "threadId" not in ends[1].data  # AG-UI's RUN_ERROR has no such field
