"""Speech recognition without an endpoint: Whisper by `faster-whisper`, an optional extra.

It runs in a child process, started on first use: recognition cannot be interrupted in a thread,
but a process that takes too long can be killed. One recording is transcribed at a time; the others
wait in a short queue.
"""

import importlib.util
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import msgspec

from yarrow.kit.child_process import ChildFailed, ChildProcess
from yarrow.kit.limiter import Limiter
from yarrow.speech.errors import RecogniserBusy, RecogniserFailed, RecogniserTimeout

EXTRA = "faster_whisper"
MODEL_FILES = ("model.bin", "config.json", "tokenizer.json")
"""Of a CTranslate2 folder. Without the last one faster-whisper would try to download it."""
START_TIMEOUT_S = 60.0
MAX_WAITING = 7
"""Recordings in the queue; each is in memory, and each may take long."""

log = logging.getLogger(__name__)


class SpeechRequest(msgspec.Struct):
    """To the child; the recording follows as the frame's body."""

    language: str | None


class SpeechResponse(msgspec.Struct):
    """From the child."""

    text: str


def find_missing(folder: Path) -> str | None:
    """What has to be done before it can run, in words for the operator; None if nothing."""
    if importlib.util.find_spec(EXTRA) is None:
        return "the extra is not installed: pip install 'yarrow[speech]'"
    absent = [name for name in MODEL_FILES if not (folder / name).is_file()]
    if absent:
        return f"YARROW_ASR_MODEL_PATH has no {', '.join(absent)}"
    return None


def build_child_command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "yarrow.speech.offline_child", str(folder)]


class OfflineRecogniser:
    """A `Recogniser` in a child process, which ends with `close` or with the server."""

    def __init__(self, command: Sequence[str], *, name: str, timeout_ms: int) -> None:
        self._name = name
        self._timeout_ms = timeout_ms
        self._child = ChildProcess(command, start_timeout_s=START_TIMEOUT_S)
        self._limiter = Limiter(
            1, max_waiting=MAX_WAITING, timeout_s=timeout_ms / 1000, busy=RecogniserBusy
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def name(self) -> str:
        return self._name

    @property
    def pid(self) -> int | None:
        """The child's process id while it lives."""
        return self._child.pid

    async def transcribe(self, wav: bytes, language: str | None) -> str:
        """Wait for a slot, start the child if necessary, and transcribe the recording."""
        async with self._limiter.slot():
            if self._child.pid is None:
                await self._start_child()
            try:
                response, _ = await self._child.request(
                    SpeechRequest(language),
                    wav,
                    response=SpeechResponse,
                    timeout_s=self._timeout_ms / 1000,
                )
            except TimeoutError:
                log.warning("offline_recogniser.killed", extra={"timeout_ms": self._timeout_ms})
                raise RecogniserTimeout(self._timeout_ms) from None
            except ChildFailed as failed:
                log.warning("offline_recogniser.died", extra={"exit_code": failed.exit_code})
                raise RecogniserFailed from None
        return response.text

    async def close(self) -> None:
        """Kill the child."""
        await self._child.kill()

    async def _start_child(self) -> None:
        """Start the child, which loads its model before it is ready."""
        try:
            await self._child.start()
        except ChildFailed as failed:
            log.warning("offline_recogniser.not_started", extra={"exit_code": failed.exit_code})
            raise RecogniserFailed from None
        log.info("offline_recogniser.started", extra={"pid": self._child.pid})
