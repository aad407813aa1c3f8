"""The child process of the offline recogniser: turns, time limits, and its end.

The child here speaks the real one's language and needs no model, so these rules are tried on
every machine.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator

import pytest

from yarrow.speech.errors import (
    RecogniserBusy,
    RecogniserError,
    RecogniserFailed,
    RecogniserTimeout,
)
from yarrow.speech.offline import MAX_WAITING, OfflineRecogniser

CHILD = """
import os, sys, time
from yarrow.kit.frames import read_frame, write_frame
from yarrow.speech.offline import SpeechRequest, SpeechResponse
out = sys.stdout.buffer
out.write(b"ready\\n"); out.flush()
while frame := read_frame(sys.stdin.buffer, SpeechRequest):
    request, wav = frame
    word, _, seconds = wav.decode().partition(" ")
    if word == "die":
        os._exit(3)
    if word == "sleep":
        time.sleep(float(seconds))
    if word == "babble":
        out.write(b"nonsense"); out.flush()
    else:
        write_frame(out, SpeechResponse(f"{word} {request.language}"))
"""


LINE = MAX_WAITING + 1
"""Recordings that are transcribed or wait."""


def offline(script: str = CHILD, *, timeout_ms: int = 10_000) -> OfflineRecogniser:
    return OfflineRecogniser([sys.executable, "-c", script], name="m", timeout_ms=timeout_ms)


@pytest.fixture
async def recogniser() -> AsyncIterator[OfflineRecogniser]:
    async with offline() as running:
        yield running


async def test_it_starts_when_it_is_first_needed(recogniser: OfflineRecogniser) -> None:
    assert recogniser.pid is None

    assert await recogniser.transcribe(b"hello", "zh") == "hello zh"
    assert recogniser.pid is not None


async def test_recordings_are_answered_in_turn_by_one_child(recogniser: OfflineRecogniser) -> None:
    wavs = [f"{n}".encode() * 100_000 for n in range(LINE)]

    texts = await asyncio.gather(*(recogniser.transcribe(wav, None) for wav in wavs))

    assert [text[0] for text in texts] == [str(n) for n in range(LINE)]


async def test_a_long_line_is_not_joined(recogniser: OfflineRecogniser) -> None:
    first = [asyncio.ensure_future(recogniser.transcribe(b"sleep 0.1", None)) for _ in range(LINE)]
    await asyncio.sleep(0)

    with pytest.raises(RecogniserBusy):
        await recogniser.transcribe(b"one more", None)

    assert len(await asyncio.gather(*first)) == LINE
    assert await recogniser.transcribe(b"now", None) == "now None"


async def test_a_line_that_moves_too_slowly_is_left() -> None:
    async with offline(timeout_ms=3_000) as recogniser:
        await recogniser.transcribe(b"warm", None)
        line = [recogniser.transcribe(b"sleep 2", None) for _ in range(3)]
        ends = await asyncio.gather(*line, return_exceptions=True)

    assert ends[:2] == ["sleep None", "sleep None"]
    assert isinstance(ends[2], RecogniserBusy)


async def test_what_takes_too_long_is_killed_and_the_next_one_is_heard() -> None:
    async with offline(timeout_ms=2_000) as recogniser:
        await recogniser.transcribe(b"warm", None)
        first = recogniser.pid

        with pytest.raises(RecogniserTimeout) as failure:
            await recogniser.transcribe(b"sleep 60", None)

        assert failure.value.timeout_ms == 2_000
        assert first is not None
        assert not _alive(first)
        assert await recogniser.transcribe(b"again", None) == "again None"


@pytest.mark.parametrize("wav", [b"die", b"babble"])
async def test_a_child_that_fails_is_replaced(recogniser: OfflineRecogniser, wav: bytes) -> None:
    with pytest.raises(RecogniserFailed):
        await recogniser.transcribe(wav, None)

    assert await recogniser.transcribe(b"again", None) == "again None"


async def test_cancelling_does_not_spoil_the_next_answer(recogniser: OfflineRecogniser) -> None:
    asking = asyncio.ensure_future(recogniser.transcribe(b"sleep 60", None))
    while recogniser.pid is None:
        await asyncio.sleep(0.005)
    asking.cancel()
    await asyncio.wait([asking])

    assert await recogniser.transcribe(b"next", None) == "next None"


@pytest.mark.parametrize("script", ["raise SystemExit(1)", "no python"])
async def test_a_child_that_does_not_start_is_a_failure(script: str) -> None:
    async with offline(script) as recogniser:
        with pytest.raises(RecogniserError):
            await recogniser.transcribe(b"x", None)


async def test_closing_ends_the_child() -> None:
    async with offline() as recogniser:
        await recogniser.transcribe(b"x", None)
        pid = recogniser.pid

    assert pid is not None
    assert not _alive(pid)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
