"""The client against a real server on loopback."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from itertools import chain, count, repeat

import pytest
from benchmarks.hostile_model import (
    ANSWERS,
    HostileAnswer,
    HostileModel,
    event,
    serve_hostile,
    trickle,
)
from tests.integration.llm.open_chat import open_chat
from tests.waiting import wait_until

from yarrow.kit.endpoint import Endpoint
from yarrow.llm.answer_limits import MAX_STREAM_BYTES
from yarrow.llm.errors import (
    AnswerTooSlow,
    ModelBroken,
    ModelError,
    ModelFailed,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
)
from yarrow.llm.model import (
    ChatMessage,
    ChatRequest,
    ChatRole,
    Chunk,
    FinishChunk,
    FinishReason,
    ReasoningChunk,
    TextChunk,
    ToolCallChunk,
    UsageChunk,
)
from yarrow.llm.openai import OpenAIChat
from yarrow.llm.scripted_server import ScriptedServer, serve_scripted

KEY = "s3cret-key"
BUFFERED_BYTES = 64 << 20
"""What the kernel and both sides may buffer of a stream that is no longer read: more while the
machine is busy, and far less than a hostile answer has."""


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with serve_scripted() as running:
        yield running


@pytest.fixture
async def model(server: ScriptedServer) -> AsyncIterator[OpenAIChat]:
    async with open_chat(Endpoint(server.base_url, "m", KEY)) as chat:
        yield chat


def question(text: str) -> ChatRequest:
    return ChatRequest((ChatMessage(ChatRole.USER, text),))


async def ask(model: OpenAIChat, text: str) -> list[Chunk]:
    return [chunk async for chunk in model.stream(question(text))]


@asynccontextmanager
async def answering(*replies: bytes) -> AsyncIterator[str]:
    """A server that sends each connection the next reply, whatever it is asked, and hangs up."""
    left = list(replies)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(left.pop(0) if left else b"")
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def test_text_usage_and_finish_arrive_in_order(model: OpenAIChat) -> None:
    assert await ask(model, "[[tokens=2]]") == [
        TextChunk("tok00 "),
        TextChunk("tok01 "),
        UsageChunk(10, 2),
        FinishChunk(FinishReason.STOP),
    ]


async def test_tokens_arrive_while_the_model_still_talks(
    model: OpenAIChat, server: ScriptedServer
) -> None:
    async with aclosing(model.stream(question("[[tokens=50 delay=20]]"))) as chunks:
        assert await anext(chunks) == TextChunk("tok00 ")

        assert server.stats.tokens < 50


async def test_reasoning_and_tool_calls_arrive(model: OpenAIChat) -> None:
    chunks = await ask(model, '[[reasoning=hm]] [[tool=look {"q":"雨"}]]')

    assert chunks[:3] == [
        ReasoningChunk("hm"),
        ToolCallChunk(0, "call_0", "look", ""),
        ToolCallChunk(0, "", "", '{"q":"雨"}'),
    ]
    assert chunks[-1] == FinishChunk(FinishReason.TOOL_CALLS)


async def test_completion_in_one_piece_is_read_too(model: OpenAIChat) -> None:
    chunks = await ask(model, "[[say=all at once]] [[whole]]")

    assert chunks[0] == TextChunk("all at once")
    assert chunks[-1] == FinishChunk(FinishReason.STOP)


async def test_body_larger_than_a_megabyte_is_sent(
    model: OpenAIChat, server: ScriptedServer
) -> None:
    await ask(model, "[[say=ok]]" + "x" * 2_000_000)

    assert len(server.received[-1].body) > 2_000_000


async def test_key_goes_into_the_header(model: OpenAIChat, server: ScriptedServer) -> None:
    await ask(model, "hi")

    assert server.received[-1].headers["authorization"] == f"Bearer {KEY}"


async def test_empty_key_sends_no_header(server: ScriptedServer) -> None:
    async with open_chat(Endpoint(server.base_url, "m")) as model:
        await ask(model, "hi")

    assert "authorization" not in server.received[-1].headers


@pytest.mark.parametrize(
    "directive, expected",
    [
        ("[[status=500]]", ModelUnreachable),
        ("[[status=503]]", ModelUnreachable),
        ("[[status=429]]", ModelRateLimited),
        ("[[status=401]]", ModelRefused),
        ("[[status=302]]", ModelRefused),
        ("[[cut=3]]", ModelUnreachable),
        ("[[error=3]]", ModelUnreachable),
        ("[[garbage=3]]", ModelBroken),
    ],
)
async def test_failures_are_told_apart_and_say_nothing_of_the_provider(
    model: OpenAIChat, server: ScriptedServer, directive: str, expected: type[ModelError]
) -> None:
    with pytest.raises(expected) as failure:
        await ask(model, directive)

    seen = f"{failure.value!r} {failure.value.__cause__!r}"
    assert not any(
        word in seen for word in (KEY, "scripted failure", "127.0.0.1", str(server.port))
    )
    assert failure.value.__suppress_context__ or failure.value.__context__ is None


@pytest.mark.parametrize("directive", ["[[hang]]", "[[hang=3]]"])
async def test_silence_beyond_the_timeout_fails(server: ScriptedServer, directive: str) -> None:
    async with open_chat(Endpoint(server.base_url, "m", timeout_ms=200)) as model:
        with pytest.raises(ModelTimeout) as failure:
            await ask(model, directive)

    assert failure.value.timeout_ms == 200
    await wait_until(lambda: server.stats.aborted == 1)


async def test_silence_within_the_timeout_does_not_add_up(server: ScriptedServer) -> None:
    async with open_chat(Endpoint(server.base_url, "m", timeout_ms=1000)) as model:
        assert len(await ask(model, "[[tokens=6 delay=200]]")) == 8


@pytest.mark.parametrize(("status", "error"), [(429, ModelRateLimited), (503, ModelFailed)])
async def test_retry_after_is_kept(model: OpenAIChat, status: int, error: type[ModelError]) -> None:
    with pytest.raises(error) as failure:
        await ask(model, f"[[status={status} retry=7]]")

    assert failure.value.retry_after_s == 7


async def test_retry_after_as_a_date_is_measured_by_the_servers_clock() -> None:
    reply = (
        b"HTTP/1.1 429 Slow\r\ncontent-length: 0\r\ndate: Wed, 21 Oct 2015 07:28:00 GMT\r\n"
        b"retry-after: Wed, 21 Oct 2015 07:28:30 GMT\r\n\r\n"
    )

    async with answering(reply) as base_url, open_chat(Endpoint(base_url, "m")) as model:
        with pytest.raises(ModelRateLimited) as failure:
            await ask(model, "hi")

    assert failure.value.retry_after_s == 30


async def test_refused_connection_is_unreachable() -> None:
    async with answering() as base_url:
        pass

    async with open_chat(Endpoint(base_url, "m")) as model:
        with pytest.raises(ModelUnreachable):
            await ask(model, "hi")


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]",
        b"SSH-2.0-OpenSSH_9.2\r\n",
    ],
)
async def test_what_is_no_model_endpoint_is_broken(reply: bytes) -> None:
    async with answering(reply) as base_url, open_chat(Endpoint(base_url, "m")) as model:
        with pytest.raises(ModelBroken):
            await ask(model, "hi")


async def test_connection_that_closes_before_an_answer_is_tried_again() -> None:
    answer = b'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n'
    reply = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + answer

    async with answering(b"", reply) as base_url, open_chat(Endpoint(base_url, "m")) as model:
        assert (await ask(model, "hi"))[0] == TextChunk("ok")


async def test_connection_that_always_closes_is_unreachable() -> None:
    async with answering() as base_url, open_chat(Endpoint(base_url, "m")) as model:
        with pytest.raises(ModelUnreachable):
            await ask(model, "hi")


@pytest.mark.parametrize("directive", ["[[hang]]", "[[hang=3]]", "[[tokens=500 delay=10]]"])
async def test_cancelling_the_task_closes_the_connection(
    server: ScriptedServer, directive: str
) -> None:
    async with open_chat(Endpoint(server.base_url, "m")) as model:
        asking = asyncio.ensure_future(ask(model, directive))
        await wait_until(lambda: server.stats.active == 1)

        asking.cancel()

        await wait_until(lambda: server.stats.aborted == 1)
        await asyncio.wait([asking])


async def test_closing_the_answer_closes_the_connection(
    model: OpenAIChat, server: ScriptedServer
) -> None:
    async with aclosing(model.stream(question("[[tokens=500 delay=10]]"))) as chunks:
        await anext(chunks)

    await wait_until(lambda: server.stats.aborted == 1)


async def test_many_streams_run_at_once_and_all_close(server: ScriptedServer) -> None:
    async with open_chat(Endpoint(server.base_url, "m")) as model:
        asked = [asyncio.ensure_future(ask(model, "[[hang=1]]")) for _ in range(150)]
        await wait_until(lambda: server.stats.active == 150)

        for asking in asked:
            asking.cancel()

        await wait_until(lambda: server.stats.aborted == 150)
        await asyncio.wait(asked)


async def test_an_answer_read_to_its_end_is_not_aborted(
    model: OpenAIChat, server: ScriptedServer
) -> None:
    for _ in range(5):
        await ask(model, "hi")

    await wait_until(lambda: server.stats.active == 0)
    assert (server.stats.requests, server.stats.aborted) == (5, 0)


@pytest.fixture(scope="module")
async def hostile() -> AsyncIterator[HostileModel]:
    async with serve_hostile() as running:
        yield running


@pytest.mark.parametrize("name", ANSWERS)
async def test_a_hostile_answer_is_refused_while_it_is_read(
    hostile: HostileModel, name: str
) -> None:
    async with open_chat(Endpoint(hostile.base_url(name), "m")) as model:
        with pytest.raises(ModelBroken):
            await ask(model, "hi")

    assert hostile.sent < MAX_STREAM_BYTES + BUFFERED_BYTES


@pytest.mark.parametrize("encoding", ["gzip", "br", "x-unknown", "identity, gzip"])
async def test_an_encoded_answer_is_refused_by_its_header(encoding: str) -> None:
    body = gzip.compress(b'data: {"choices":[{"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n')
    head = f"content-type: text/event-stream\r\ncontent-encoding: {encoding}\r\n"
    reply = f"HTTP/1.1 200 OK\r\n{head}content-length: {len(body)}\r\n\r\n".encode() + body

    async with answering(reply) as url, open_chat(Endpoint(url, "m")) as model:
        with pytest.raises(ModelBroken):
            await ask(model, "hi")


async def test_no_encoding_is_asked_for(server: ScriptedServer, model: OpenAIChat) -> None:
    await ask(model, "hi")

    assert server.received[-1].headers["accept-encoding"] == "identity"


TRICKLES = {
    "byte": trickle(b"d", pause_s=0.02),
    "comment": trickle(b": wait\n\n", pause_s=0.02),
    "letter": trickle(event({"content": "x"}), pause_s=0.5),
}


@pytest.mark.parametrize("name", TRICKLES)
async def test_an_answer_that_trickles_ends_at_its_deadline(name: str) -> None:
    async with serve_hostile(TRICKLES) as slow:
        endpoint = Endpoint(slow.base_url(name), "m", timeout_ms=5000, answer_timeout_ms=300)
        async with open_chat(endpoint) as model:
            with pytest.raises(AnswerTooSlow):
                await ask(model, "hi")


async def test_responses_behind_an_answer_are_not_kept() -> None:
    text = event({"content": "hi"}) + b"data: [DONE]\n\n"
    length = f"content-length: {len(text)}\r\n\r\n"
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{length}"
    flood = b"HTTP/1.1 204 No Content\r\n\r\n" * 1_000_000
    answer = HostileAnswer(
        lambda: chain([text], repeat(flood)), raw_head=head.encode(), pause_s=0.2
    )
    async with serve_hostile({"flood": answer}) as model:
        async with open_chat(Endpoint(model.base_url("flood"), "m")) as chat:
            assert (await ask(chat, "hi"))[0] == TextChunk("hi")
            await wait_until(lambda: model.has_ended)

        assert model.sent == len(text)


async def test_a_head_that_never_ends_is_a_timeout() -> None:
    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        for number in count():
            writer.write(f"x-{number}: y\r\n".encode())
            await asyncio.sleep(0.02)

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        endpoint = Endpoint(url, "m", timeout_ms=5000, answer_timeout_ms=300)
        async with open_chat(endpoint) as model:
            with pytest.raises(ModelTimeout):
                await ask(model, "hi")


async def test_text_extends_the_deadline(server: ScriptedServer) -> None:
    endpoint = Endpoint(server.base_url, "m", answer_timeout_ms=100)
    async with open_chat(endpoint) as model:
        chunks = await ask(model, "[[tokens=40 delay=20]]")

    assert len(chunks) == 42
