"""Chunks of a stream do not pass the wrappers of middleware."""

import asyncio
from collections.abc import AsyncGenerator

from starlette.types import Message, Receive, Scope, Send

from yarrow.http.middleware import RequestIdMiddleware
from yarrow.http.streaming import EventStream


async def chunks() -> AsyncGenerator[bytes, None]:
    yield b"data: 1\n\n"
    yield b"data: 2\n\n"


async def test_only_the_first_message_of_a_stream_passes_middleware() -> None:
    wrapped: list[Message] = []
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            wrapped.append(message)
            await send(message)

        await EventStream(chunks())(scope, receive, note)

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    await RequestIdMiddleware(app)({"type": "http", "headers": []}, receive, send)

    assert [message["type"] for message in wrapped] == ["http.response.start"]
    assert [message.get("body") for message in sent] == [None, b"data: 1\n\n", b"data: 2\n\n", b""]
    assert b"x-request-id" in dict(sent[0]["headers"])
