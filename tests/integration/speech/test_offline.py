"""The offline recogniser with a real model and real speech, where both are installed.

`pip install 'yarrow[speech]'`, YARROW_ASR_MODEL_PATH set to a model, and Debian's `espeak-ng`.
"""

import random
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.recordings import chunk, fmt, riff, tone
from tests.spoken import MODEL_FOLDER, WHY_DEAF, speak

from yarrow.settings import Settings
from yarrow.speech.offline import OfflineRecogniser, build_child_command
from yarrow.speech.open_recogniser import open_recogniser

pytestmark = pytest.mark.skipif(bool(WHY_DEAF), reason=WHY_DEAF or "it can run")


@pytest.fixture(scope="module")
async def recogniser() -> AsyncIterator[OfflineRecogniser]:
    settings = Settings(asr_base_url=None, asr_model_path=MODEL_FOLDER)
    async with open_recogniser(settings) as chosen:
        assert isinstance(chosen, OfflineRecogniser)
        yield chosen


def noise(seconds: int) -> bytes:
    return riff(fmt(), chunk(b"data", random.Random(1).randbytes(seconds * 32_000)))


async def test_real_speech_is_understood(recogniser: OfflineRecogniser, tmp_path: Path) -> None:
    wav = speak("Good morning, my name is John and I live in London.", tmp_path)

    heard = await recogniser.transcribe(wav, "en")

    assert heard.lower().rstrip(".") == "good morning, my name is john and i live in london"


async def test_language_is_found_out(recogniser: OfflineRecogniser, tmp_path: Path) -> None:
    wav = speak("Good morning. We walk to the river and sit on the bench.", tmp_path)

    assert "river" in await recogniser.transcribe(wav, None)


async def test_a_language_no_model_knows_is_passed_over(
    recogniser: OfflineRecogniser, tmp_path: Path
) -> None:
    wav = speak("Good morning. We walk to the river and sit on the bench.", tmp_path)

    assert "river" in await recogniser.transcribe(wav, "qq")


@pytest.mark.parametrize(
    "wav",
    [
        tone(seconds=2),
        riff(fmt(), chunk(b"data", b"\0\0")),
        riff(fmt(bits=24, channels=2, rate=44_100), chunk(b"data", b"\0" * 60_000)),
        riff(fmt(tag=3, bits=64), chunk(b"data", b"\0" * 80_000, size=0xFFFFFFFF)),
        riff(fmt(bits=8, channels=8, rate=192_000), chunk(b"data", b"\x80" * 800_000)),
        noise(5),
    ],
    ids=["hum", "one frame", "24 bits", "64-bit float", "8 channels", "noise"],
)
async def test_where_nobody_speaks_nothing_is_said(
    recogniser: OfflineRecogniser, wav: bytes
) -> None:
    assert await recogniser.transcribe(wav, None) == ""


def test_the_child_ends_when_its_stdin_is_closed() -> None:
    assert MODEL_FOLDER is not None
    with subprocess.Popen(
        build_child_command(MODEL_FOLDER), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"

        child.stdin.close()

        assert child.wait(10) == 0
