"""The client against a real server on loopback."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from aiohttp import BodyPartReader, web
from msgspec import Struct, field
from tests.loose_json import JsonValue
from tests.recordings import tone
from tests.waiting import PATIENCE_S

from yarrow.kit.endpoint import Endpoint
from yarrow.speech.errors import (
    RecogniserBusy,
    RecogniserError,
    RecogniserFailed,
    RecogniserRefused,
    RecogniserTimeout,
)
from yarrow.speech.openai import MAX_RESPONSE_BYTES, OpenAIRecogniser, open_openai_recogniser

KEY = "s3cret-key"
SECRET_WORDS = "what the provider wrote"


class Scripted(Struct):
    """A transcription endpoint that answers as it is told to, and keeps what it was sent."""

    base_url: str = ""
    status: int = 200
    body: JsonValue = field(default_factory=lambda: {"text": " 你好 "})
    headers: dict[str, str] = field(default_factory=dict)
    silent: bool = False
    left: asyncio.Event = field(default_factory=asyncio.Event)
    sent: dict[str, bytes] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.told = dict(request.headers)
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            self.sent[part.name or ""] = bytes(await part.read())
            self.told[part.name or ""] = part.headers.get("Content-Type", "")
        if self.silent:
            try:
                await asyncio.sleep(60)
            finally:
                self.left.set()
        if isinstance(self.body, str):
            return web.Response(text=self.body, status=self.status, headers=self.headers)
        return web.json_response(self.body, status=self.status, headers=self.headers)


@pytest.fixture
async def server() -> AsyncIterator[Scripted]:
    scripted = Scripted()
    app = web.Application(client_max_size=20 * 1024 * 1024)
    app.router.add_post("/v1/audio/transcriptions", scripted.answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    scripted.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield scripted
    await runner.cleanup()


def recogniser(
    server: Scripted, *, key: str = KEY, timeout_ms: int = 5_000
) -> AbstractAsyncContextManager[OpenAIRecogniser]:
    return open_openai_recogniser(Endpoint(server.base_url, "whisper-9", key, timeout_ms))


@asynccontextmanager
async def replying(reply: bytes) -> AsyncIterator[str]:
    """A server that sends each connection the same bytes and hangs up."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def test_the_text_of_the_answer_is_the_transcript(server: Scripted) -> None:
    async with recogniser(server) as client:
        assert await client.transcribe(tone(), None) == "你好"


async def test_the_recording_goes_as_the_dialect_wants_it(server: Scripted) -> None:
    wav = tone(seconds=1)

    async with recogniser(server) as client:
        await client.transcribe(wav, "zh")

    expected = {"model": b"whisper-9", "response_format": b"json", "temperature": b"0"}
    assert server.sent == {**expected, "language": b"zh", "file": wav}
    assert server.told["file"] == "audio/wav"
    assert server.told["Authorization"] == f"Bearer {KEY}"


async def test_nothing_is_sent_that_was_not_given(server: Scripted) -> None:
    async with recogniser(server, key="") as client:
        await client.transcribe(tone(), None)

    assert "language" not in server.sent
    assert "Authorization" not in server.told


async def test_the_largest_recording_is_sent_whole(server: Scripted) -> None:
    wav = tone(seconds=325)
    assert len(wav) > 10_000_000

    async with recogniser(server) as client:
        await client.transcribe(wav, None)

    assert server.sent["file"] == wav


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (500, RecogniserFailed),
        (503, RecogniserFailed),
        (204, RecogniserFailed),
        (429, RecogniserBusy),
        (400, RecogniserRefused),
        (401, RecogniserRefused),
        (302, RecogniserRefused),
    ],
)
async def test_failures_are_told_apart_and_say_nothing_of_the_provider(
    server: Scripted, status: int, expected: type[RecogniserError]
) -> None:
    server.status, server.body = status, {"error": {"message": SECRET_WORDS}}

    async with recogniser(server) as client:
        with pytest.raises(expected) as failure:
            await client.transcribe(tone(), None)

    seen = f"{failure.value!r} {failure.value.__cause__!r} {vars(failure.value)}"
    assert not any(word in seen for word in (KEY, SECRET_WORDS, "127.0.0.1"))
    assert failure.value.__suppress_context__ or failure.value.__context__ is None


async def test_retry_after_is_kept(server: Scripted) -> None:
    server.status, server.headers = 429, {"Retry-After": "7"}

    async with recogniser(server) as client:
        with pytest.raises(RecogniserBusy) as failure:
            await client.transcribe(tone(), None)

    assert failure.value.retry_after_s == 7


@pytest.mark.parametrize(
    "body", ["<html>", "", "null", "[]", "{}", '{"text": null}', "x" * (MAX_RESPONSE_BYTES + 1)]
)
async def test_an_answer_that_cannot_be_read_is_a_failure(server: Scripted, body: str) -> None:
    server.body = body

    async with recogniser(server) as client:
        with pytest.raises(RecogniserFailed):
            await client.transcribe(tone(), None)


@pytest.mark.parametrize("reply", [b"", b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 200 OK\r\n\r\n{"])
async def test_what_is_no_endpoint_is_a_failure(reply: bytes) -> None:
    async with replying(reply) as url, open_openai_recogniser(Endpoint(url, "m")) as client:
        with pytest.raises(RecogniserFailed):
            await client.transcribe(tone(), None)


async def test_refused_connection_is_a_failure() -> None:
    async with replying(b"") as url:
        pass

    async with open_openai_recogniser(Endpoint(url, "m")) as client:
        with pytest.raises(RecogniserFailed):
            await client.transcribe(tone(), None)


async def test_silence_beyond_the_timeout_ends_the_request(server: Scripted) -> None:
    server.silent = True

    async with recogniser(server, timeout_ms=200) as client:
        with pytest.raises(RecogniserTimeout) as failure:
            await client.transcribe(tone(), None)
        await asyncio.wait_for(server.left.wait(), PATIENCE_S)

    assert failure.value.timeout_ms == 200


async def test_cancelling_closes_the_connection(server: Scripted) -> None:
    server.silent = True

    async with recogniser(server) as client:
        asking = asyncio.ensure_future(client.transcribe(tone(), None))
        while not server.sent.get("file"):
            await asyncio.sleep(0.005)
        asking.cancel()
        await asyncio.wait_for(server.left.wait(), PATIENCE_S)
        await asyncio.wait([asking])


async def test_many_recordings_go_at_once(server: Scripted) -> None:
    async with recogniser(server) as client:
        texts = await asyncio.gather(*(client.transcribe(tone(), None) for _ in range(20)))

    assert set(texts) == {"你好"}
