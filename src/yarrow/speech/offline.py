"""The recogniser that needs no endpoint: Whisper by `faster-whisper`, an optional extra.

It runs in a child process, started when it is first needed: recognising is pure computing that
cannot be interrupted in a thread, and a process that takes too long can be killed. One recording
is heard at a time; the others wait in a short line.
"""

import asyncio
import importlib.util
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from yarrow.speech.errors import RecogniserBusy, RecogniserFailed, RecogniserTimeout

EXTRA = "faster_whisper"
MODEL_FILES = ("model.bin", "config.json", "tokenizer.json")
"""Of a CTranslate2 folder. Without the last one faster-whisper would try to download it."""
START_TIMEOUT_S = 60.0
LINE = 8
"""Recordings that may wait or be heard at once; each is in memory, and each may take long."""
_MAX_LINE_BYTES = 1024 * 1024

log = logging.getLogger(__name__)


class Order(msgspec.Struct):
    """What the child is told, as a line of JSON; the recording follows."""

    size: int
    language: str | None


class Heard(msgspec.Struct):
    """What the child answers, as a line of JSON."""

    text: str


def find_missing(folder: Path) -> str | None:
    """What has to be done before it can run, in words for the operator; None if nothing."""
    if importlib.util.find_spec(EXTRA) is None:
        return "the extra is not installed: pip install 'yarrow[speech]'"
    absent = [name for name in MODEL_FILES if not (folder / name).is_file()]
    if absent:
        return f"YARROW_ASR_MODEL_PATH has no {', '.join(absent)}"
    return None


def child_command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "yarrow.speech.offline_child", str(folder)]


class OfflineRecogniser:
    """A `Recogniser` in a child process; `close` ends the child, and so does our own end."""

    def __init__(self, command: Sequence[str], *, name: str, timeout_ms: int) -> None:
        self._command = command
        self._name = name
        self._timeout_ms = timeout_ms
        self._child: Process | None = None
        self._turn = asyncio.Lock()
        self._in_line = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def name(self) -> str:
        return self._name

    @property
    def pid(self) -> int | None:
        """The child's process id while it lives."""
        is_alive = self._child is not None and self._child.returncode is None
        return self._child.pid if self._child is not None and is_alive else None

    async def transcribe(self, wav: bytes, language: str | None) -> str:
        """Wait for a turn, start the child if need be, and have it listen."""
        async with self._next_turn():
            child = await self._running()
            try:
                async with asyncio.timeout(self._timeout_ms / 1000):
                    return await _ask(child, wav, language)
            except TimeoutError:
                await self.close()
                log.warning("offline_recogniser.killed", extra={"timeout_ms": self._timeout_ms})
                raise RecogniserTimeout(self._timeout_ms) from None
            except (ConnectionError, ValueError):
                await self.close()
                log.warning("offline_recogniser.died", extra={"exit_code": child.returncode})
                raise RecogniserFailed from None
            except asyncio.CancelledError:
                # Half an order or half an answer is in the pipes: the next one would be misread.
                await self.close()
                raise

    async def close(self) -> None:
        """End the child, whatever it does."""
        child, self._child = self._child, None
        if child is not None:
            await _kill(child)

    @asynccontextmanager
    async def _next_turn(self) -> AsyncIterator[None]:
        """One after the other, as long as the line is short and moves."""
        if self._in_line >= LINE:
            raise RecogniserBusy
        self._in_line += 1
        try:
            await self._wait()
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._in_line -= 1

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(self._timeout_ms / 1000):
                await self._turn.acquire()
        except TimeoutError:
            raise RecogniserBusy from None

    async def _running(self) -> Process:
        if self._child is None or self._child.returncode is not None:
            self._child = await _start(self._command)
        return self._child


async def _start(command: Sequence[str]) -> Process:
    """A child that has loaded its model and said so."""
    child = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=_MAX_LINE_BYTES
    )
    assert child.stdout is not None
    try:
        is_ready = await asyncio.wait_for(child.stdout.readline(), START_TIMEOUT_S)
    except TimeoutError:
        is_ready = b""
    except asyncio.CancelledError:
        await _kill(child)
        raise
    if not is_ready:
        await _kill(child)
        log.warning("offline_recogniser.not_started", extra={"exit_code": child.returncode})
        raise RecogniserFailed
    log.info("offline_recogniser.started", extra={"pid": child.pid})
    return child


async def _ask(child: Process, wav: bytes, language: str | None) -> str:
    """Raises `ConnectionError` if the child goes, `ValueError` if it talks nonsense."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(msgspec.json.encode(Order(len(wav), language)) + b"\n")
    child.stdin.write(wav)
    await child.stdin.drain()
    answer = await child.stdout.readline()
    if not answer:
        raise ConnectionResetError
    return msgspec.json.decode(answer, type=Heard).text


async def _kill(child: Process) -> None:
    with suppress(ProcessLookupError):
        child.kill()
    await child.wait()
