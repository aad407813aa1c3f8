"""Calls that the doctor makes: each raises a `YarrowError`, or returns the seconds it took."""

import asyncio
import io
import secrets
import time
import wave
from collections.abc import AsyncIterator
from contextlib import aclosing

from yarrow.attachments.open_storage import open_storage
from yarrow.kit.endpoint import Endpoint
from yarrow.llm.endpoint_model import EndpointModel, ModelConnections
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole
from yarrow.settings import Settings
from yarrow.speech.open_recogniser import open_endpoint_recogniser

PROBE_TIMEOUT_S = 20.0


async def probe_model(endpoint: Endpoint) -> float:
    """Ask for one word and wait for the first piece of the answer."""
    request = ChatRequest((ChatMessage(ChatRole.USER, "Answer with the word ok."),))
    began = time.monotonic()
    async with (
        asyncio.timeout(PROBE_TIMEOUT_S),
        ModelConnections() as connections,
        aclosing(EndpointModel(endpoint, connections).stream(request)) as chunks,
    ):
        await anext(chunks)
    return time.monotonic() - began


async def probe_speech(endpoint: Endpoint) -> float:
    """Have half a second of silence transcribed."""
    began = time.monotonic()
    async with asyncio.timeout(PROBE_TIMEOUT_S), open_endpoint_recogniser(endpoint) as recogniser:
        await recogniser.transcribe(_record_silence(), None)
    return time.monotonic() - began


async def probe_storage(settings: Settings) -> float:
    """Write, read and delete a small file."""
    began = time.monotonic()
    storage, path = open_storage(settings), f"doctor/{secrets.token_hex(8)}"
    async with asyncio.timeout(PROBE_TIMEOUT_S):
        await storage.write(path, _stream_one_chunk())
        try:
            stored = await storage.open(path)
            async for _ in stored.chunks:
                pass
        finally:
            await storage.delete(path)
    return time.monotonic() - began


async def _stream_one_chunk() -> AsyncIterator[bytes]:
    yield b"yarrow"


def _record_silence() -> bytes:
    with io.BytesIO() as file:
        with wave.open(file, "wb") as recording:
            recording.setnchannels(1)
            recording.setsampwidth(2)
            recording.setframerate(16_000)
            recording.writeframes(bytes(16_000))
        return file.getvalue()
