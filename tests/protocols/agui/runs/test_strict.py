"""The strict profile: what stock AG-UI clients accept, from the start and from any place."""

import asyncio
from types import ModuleType
from uuid import UUID, uuid4

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.agui.stock_client import StockClient
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Frame, Served, run_body

from yarrow.ids import AccountId, RunId, SessionId
from yarrow.journal import NumberedEvent
from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    ReasoningDelta,
    ReasoningStarted,
    RunRestarted,
    RunStarted,
    RunSucceeded,
    RunUsage,
    StepFinished,
    StepStarted,
    ToolCallStarted,
)
from yarrow.llm.errors import ModelTimeout
from yarrow.llm.scripted import Call, Fail, Hold, Say, Think, Turn
from yarrow.product_events.divination import DivinationDerived
from yarrow.protocols.agui.runs.encode import EventEncoder, StreamFormat
from yarrow.protocols.agui.runs.resume_snapshot import encode_state
from yarrow.runs.model import RunRef
from yarrow.runs.read import read_own_run
from yarrow.sessions.model import Message
from yarrow.sessions.read import read_own_messages


@pytest.fixture(scope="module")
def protocol() -> ModuleType:
    """The models of the protocol's own Python package."""
    package: ModuleType = pytest.importorskip("ag_ui.core")
    return package


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


async def run(
    caller: Caller, switchable: SwitchableModel, *turns: Turn, thread: str = ""
) -> JsonObject:
    switchable.script(*turns)
    body = run_body("what is it?", thread=thread, tools=[WEATHER])
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    return body


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_stream_is_what_a_stock_client_accepts(
    caller: Caller, switchable: SwitchableModel, script: tuple[Turn, ...]
) -> None:
    body = await run(caller, switchable, *script)

    frames = await caller.events(body["threadId"], body["runId"], profile="agui")

    assert StockClient().feed(frames).last is not None


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_every_event_is_one_of_the_protocol(
    caller: Caller, switchable: SwitchableModel, script: tuple[Turn, ...], protocol: ModuleType
) -> None:
    body = await run(caller, switchable, *script)

    frames = await caller.events(body["threadId"], body["runId"], profile="agui")
    frames += await caller.events(body["threadId"], body["runId"], profile="agui", after=5)

    for frame in frames:
        model = getattr(protocol, _class_name(frame.type))
        parsed = model.model_validate(frame.data)
        assert not parsed.model_extra, frame.data
        assert parsed.model_dump(mode="json", by_alias=True) == frame.data


def _class_name(type_: str) -> str:
    return "".join(word.capitalize() for word in type_.split("_")) + "Event"


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_resuming_anywhere_ends_with_the_same_messages(
    served: Served, caller: Caller, switchable: SwitchableModel, script: tuple[Turn, ...]
) -> None:
    thread = (await run(caller, switchable, [Say("An earlier answer.")]))["threadId"]
    body = await run(caller, switchable, *script, thread=thread)
    await run(caller, switchable, [Say("A later answer.")], thread=thread)
    whole = await caller.events(thread, body["runId"], profile="agui")
    expected = StockClient().feed(whole)
    found, events, history = await stored(served, caller, body)

    for cut in range(1, len(events)):
        encoder = EventEncoder(found, StreamFormat.AGUI)
        start = encode_state(encoder, found.key, events[:cut], history, url_of=str)
        client = StockClient().feed(parse_frames(start + encoder.encode_batch(events[cut:])))

        earlier = [m["content"] for m in list(client.messages.values())[:3]]
        assert earlier == ["what is it?", "An earlier answer.", "what is it?"], cut
        assert list(client.messages.values())[3:] == list(expected.messages.values()), cut
        assert client.last == expected.last


async def stored(
    served: Served, caller: Caller, body: JsonObject
) -> tuple[RunRef, list[NumberedEvent], tuple[Message, ...]]:
    """A run with its events and the history of its session, as the routes read them."""
    engine, account = served.product.engine, AccountId(UUID(caller.id))
    session = SessionId(UUID(body["threadId"]))
    found = (await read_own_run(engine, account, session_id=session, key=body["runId"])).ref
    return (
        found,
        await engine.journal.read(found.id),
        (await read_own_messages(engine.database, account, session, tuple))[0],
    )


def parse_frames(raw: bytes) -> list[Frame]:
    blocks = [block.split(b"\n") for block in raw.split(b"\n\n")[:-1]]
    return [Frame(int(id_[4:]), decode_json(data[6:])) for id_, data in blocks]


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_resuming_after_the_end_gives_messages_and_end(
    caller: Caller, switchable: SwitchableModel, script: tuple[Turn, ...]
) -> None:
    body = await run(caller, switchable, *script)
    whole = await caller.events(body["threadId"], body["runId"], profile="agui")
    expected = StockClient().feed(whole)

    for cursor in (1, whole[-1].id, whole[-1].id + 1):
        joined = await caller.events(body["threadId"], body["runId"], profile="agui", after=cursor)

        client = StockClient().feed(joined)
        assert list(client.messages.values())[1:] == list(expected.messages.values())
        assert joined[-1] == whole[-1]


async def test_resuming_an_active_run_ends_with_the_whole_text(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([Think("hm"), Say("one two three "), hold, Say("four five")])
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
        result = [m.get("content") for m in StockClient().feed(frames).messages.values()]
        assert result == ["count", "hm", "one two three four five"]


async def test_resuming_starts_with_run_and_conversation(
    caller: Caller, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([Say("one two "), hold, Say("three")])
    body = run_body("count")
    await caller.submit(body)
    await hold.reached.wait()

    frames = []
    async for frame in caller.follow(body["threadId"], body["runId"], profile="agui", after=1):
        frames.append(frame)
        hold.release.set()

    assert [(f.id, f.type) for f in frames[:5]] == [
        (5, "RUN_STARTED"),
        (5, "MESSAGES_SNAPSHOT"),
        (5, "STEP_STARTED"),
        (5, "TEXT_MESSAGE_START"),
        (5, "TEXT_MESSAGE_CONTENT"),
    ]
    assert [m["content"] for m in frames[1].data["messages"]] == ["count"]
    assert [f.data["delta"] for f in frames if "delta" in f.data] == ["one two ", "three"]


async def test_resuming_restores_the_tools_of_the_client(
    caller: Caller, switchable: SwitchableModel, protocol: ModuleType
) -> None:
    asking = await run(caller, switchable, [Call("get_weather", {"city": "Rome"}, id="c1")])
    thread = asking["threadId"]
    result = {"id": "t", "role": "tool", "toolCallId": "c1", "content": "21 C"}
    messages = [{"id": "u", "role": "user", "content": "and?"}, result]
    await caller.submit(run_body(thread=thread, run="second", messages=messages))
    await caller.events(thread, "second")

    frames = await caller.events(thread, "second", profile="agui", after=1)

    snapshot = frames[1].data
    protocol.MessagesSnapshotEvent.model_validate(snapshot)
    roles = [message["role"] for message in snapshot["messages"]]
    assert roles == ["user", "assistant", "user", "tool", "assistant"]
    call, answer = snapshot["messages"][1]["toolCalls"][0], snapshot["messages"][3]
    assert call["function"] == {"name": "get_weather", "arguments": '{"city":"Rome"}'}
    assert (answer["toolCallId"], answer["content"]) == (call["id"], "21 C")


def test_stream_of_a_restarted_run_is_accepted() -> None:
    encoder = EventEncoder(RunRef(RunId(uuid4()), SessionId(uuid4()), "run-1"), StreamFormat.AGUI)
    lost = [
        NumberedEvent(1, RunStarted(1)),
        NumberedEvent(2, StepStarted("worker")),
        NumberedEvent(3, ReasoningStarted("r")),
        NumberedEvent(4, MessageStarted("m")),
        NumberedEvent(5, ToolCallStarted("c", "get_weather", "m")),
    ]
    closing = RunRestarted(
        2,
        2,
        void_messages=("m",),
        open_messages=("m",),
        open_reasoning="r",
        open_calls=("c",),
        open_steps=("worker",),
    )
    again = [
        NumberedEvent(1_000_001, closing),
        NumberedEvent(1_000_002, StepStarted("worker")),
        NumberedEvent(1_000_003, StepFinished("worker")),
        NumberedEvent(1_000_004, RunSucceeded(3, {})),
    ]

    client = StockClient().feed(parse_frames(encoder.encode_batch([*lost, *again])))

    void = {
        "attempt": 2,
        "discardedUpToId": 1_000_000,
        "discardedMessageIds": ["m"],
        "repeatedUpToId": 1_000_001,
    }
    assert client.custom == {"RUN_RESTARTED": void}
    assert client.last is not None


def test_frames_that_were_sent_but_never_stored_are_closed_and_void() -> None:
    encoder = EventEncoder(RunRef(RunId(uuid4()), SessionId(uuid4()), "run-1"), StreamFormat.AGUI)
    sent = [
        NumberedEvent(1, RunStarted(1)),
        NumberedEvent(2, StepStarted("worker")),
        NumberedEvent(3, ReasoningStarted("r")),
        NumberedEvent(4, MessageStarted("m")),
        NumberedEvent(5, ToolCallStarted("c", "get_weather", "m")),
    ]
    again = [
        NumberedEvent(1_000_001, RunRestarted(2, 2)),
        NumberedEvent(1_000_002, MessageStarted("n")),
        NumberedEvent(1_000_003, MessageFinished("n")),
        NumberedEvent(1_000_004, RunSucceeded(3, {})),
    ]

    client = StockClient().feed(parse_frames(encoder.encode_batch([*sent, *again])))

    void = {
        "attempt": 2,
        "discardedUpToId": 1_000_000,
        "discardedMessageIds": ["m"],
        "repeatedUpToId": 1_000_001,
    }
    assert client.custom == {"RUN_RESTARTED": void}
    assert client.last is not None


def test_products_are_sent_again_on_resume() -> None:
    found = RunRef(RunId(uuid4()), SessionId(uuid4()), "run-1")
    encoder = EventEncoder(found, StreamFormat.AGUI)
    past = [
        NumberedEvent(1, RunStarted(1)),
        NumberedEvent(2, DivinationDerived({"a": 1})),
    ]

    client = StockClient().feed(parse_frames(encode_state(encoder, "run-1", past, [], url_of=str)))

    assert client.custom == {"DIVINATION_DERIVED": {"a": 1}}


def test_messages_of_a_lost_attempt_are_discarded() -> None:
    found = RunRef(RunId(uuid4()), SessionId(uuid4()), "run-1")
    encoder = EventEncoder(found, StreamFormat.AGUI)
    past = [
        NumberedEvent(1, RunStarted(1)),
        NumberedEvent(2, ReasoningStarted("r")),
        NumberedEvent(3, ReasoningDelta("r", "hm")),
        NumberedEvent(4, MessageStarted("m")),
        NumberedEvent(1_000_001, RunRestarted(2, 2, open_messages=("m",), open_reasoning="r")),
    ]

    client = StockClient().feed(parse_frames(encode_state(encoder, "run-1", past, [], url_of=str)))

    assert (client.messages, client.open) == ({}, set())


async def test_profiles_differ_only_where_the_seed_demands_it(
    caller: Caller, switchable: SwitchableModel
) -> None:
    body = await run(caller, switchable, *SCRIPTS["tool loop"])
    seed = await caller.events(body["threadId"], body["runId"])
    strict = await caller.events(body["threadId"], body["runId"], profile="agui")

    different = [(a.data, b.data) for a, b in zip(seed, strict, strict=True) if a != b]

    output = {"status": "success", "answer": "It is noon.", "error": ""}
    start, end = different
    assert start[1] == start[0] | {"protocolVersion": "1.0"}
    base = {"type": "TEXT_MESSAGE_END", "messageId": end[0]["messageId"]}
    assert end == (base | output, base | {"metadata": {"yarrow": output}})


async def test_failure_has_the_same_code_in_both_profiles(
    caller: Caller, switchable: SwitchableModel
) -> None:
    body = await run(caller, switchable, *SCRIPTS["failure"])

    ends: list[Frame] = [
        (await caller.events(body["threadId"], body["runId"], profile=profile))[-1]
        for profile in ("seed", "agui")
    ]

    assert {end.data["code"] for end in ends} == {"AGENT_MODEL_TIMEOUT"}
    assert "threadId" not in ends[1].data  # AG-UI's RUN_ERROR has no such field


async def test_tokens_that_no_model_reported_are_left_out() -> None:
    run = RunRef(RunId(uuid4()), SessionId(uuid4()), "r")
    usage = RunUsage("", 0, 0, cost="0.000000", points=20)

    frame = EventEncoder(run, StreamFormat.AGUI).encode_event(1, RunSucceeded(0, {}, usage))

    data = decode_json(frame.partition(b"data: ")[2])
    assert "usage" not in data
    assert data["metadata"] == {"yarrow": {"points": 20}}
