"""Child processes: supervised ones that answer frames, and programs that run to their end."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from yarrow.kit.frames import LENGTHS_BYTES, pack_frame, unpack_lengths

MAX_MESSAGE_BYTES = 1024 * 1024
ERROR_CHARS = 300
_END_WITH_PARENT = Path(__file__).with_name("end_with_parent.py")

Response = TypeVar("Response")


class ChildFailed(Exception):
    """The child did not get ready, exited, or sent something that is no valid frame."""

    def __init__(self, exit_code: int | None, last_line: str = "") -> None:
        super().__init__(f"exit code {exit_code}")
        self.exit_code, self.last_line = exit_code, last_line


class ChildProcess:
    """A command that prints one line when it is ready, then answers frames one at a time.

    It can be started again after it ended. Callers take turns: nothing here queues them. It has a
    session of its own, so that Ctrl-C in a terminal reaches the server alone. On Linux
    the kernel kills it when the thread that started it ends, which is the server's main thread.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        start_timeout_s: float = 60.0,
        capture_errors: bool = False,
    ) -> None:
        self._command = command
        self._env = env
        self._start_timeout_s = start_timeout_s
        self._capture_errors = capture_errors
        self._process: Process | None = None

    @property
    def pid(self) -> int | None:
        """The process id while the child runs."""
        is_running = self._process is not None and self._process.returncode is None
        return self._process.pid if self._process is not None and is_running else None

    async def start(
        self, *arguments: str, first_line: bytes = b"", pass_fds: Sequence[int] = ()
    ) -> bytes:
        """Start the child, send `first_line` and return the line it prints; or `ChildFailed`."""
        await self.kill()
        self._process = process = await asyncio.create_subprocess_exec(
            *end_with_parent(self._command),
            *arguments,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE if self._capture_errors else DEVNULL,
            env=self._env,
            pass_fds=pass_fds,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self._start_timeout_s):
                ready = await _exchange_lines(process, first_line)
                if not ready:
                    await process.wait()
        except (TimeoutError, ConnectionError):
            ready = b""
        except asyncio.CancelledError:
            await self.kill()
            raise
        if not ready:
            await self.kill()
            raise ChildFailed(process.returncode, await _read_last_error(process))
        return ready

    async def request(
        self,
        message: msgspec.Struct,
        body: bytes = b"",
        *,
        response: type[Response],
        timeout_s: float,
        max_body: int = 0,
        grace_s: float = 0.0,
    ) -> tuple[Response, bytes]:
        """Send a frame and return the one that answers it.

        Any failure ends the child, because half a frame may be left in the pipes:
        `TimeoutError`, or `ChildFailed` if the child died or sent an invalid frame. A timeout or
        a cancelled caller closes its stdin first and leaves it `grace_s` to clean up.
        """
        process = self._process
        if process is None:
            raise ChildFailed(None)
        try:
            async with asyncio.timeout(timeout_s):
                return await _exchange_frames(
                    process, pack_frame(message, body), response, max_body
                )
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            await self.kill()
            raise ChildFailed(process.returncode) from None
        except (TimeoutError, asyncio.CancelledError):
            await (self.stop(grace_s=grace_s) if grace_s else self.kill())
            raise

    async def stop(self, *, grace_s: float) -> None:
        """Close the child's stdin, and kill it if it has not ended after `grace_s`."""
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), grace_s)
        await self.kill()

    async def kill(self) -> None:
        """End the child at once and wait for its exit."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            # Not `Process.kill`: it would reap a child that is gone, and asyncio then warns.
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        await process.wait()


async def run_program(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, umask: int | None = None
) -> tuple[int, bytes, bytes]:
    """Run a program to its end; returns its exit code, its output and its errors.

    A cancelled caller kills it. `umask` is for callers on asyncio's own loop: uvloop has none.
    """
    start = partial(
        asyncio.create_subprocess_exec,
        *end_with_parent(command),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        env=env,
    )
    process = await (start() if umask is None else start(umask=umask))
    try:
        output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, output, errors


def end_with_parent(command: Sequence[str]) -> Sequence[str]:
    """The command with a prefix that makes the kernel end it with this process, on Linux."""
    if sys.platform != "linux":
        return command
    return (sys.executable, "-I", "-S", str(_END_WITH_PARENT), str(os.getpid()), *command)


async def _exchange_lines(process: Process, line: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    if line:
        process.stdin.write(line)
        await process.stdin.drain()
    return await process.stdout.readline()


async def _exchange_frames(
    process: Process, frame: bytes, response: type[Response], max_body: int
) -> tuple[Response, bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(frame)
    await process.stdin.drain()
    lengths = unpack_lengths(await process.stdout.readexactly(LENGTHS_BYTES))
    if lengths.message > MAX_MESSAGE_BYTES or lengths.body > max_body:
        raise ValueError("the child's frame is larger than allowed")
    encoded = await process.stdout.readexactly(lengths.message)
    body = await process.stdout.readexactly(lengths.body)
    return msgspec.json.decode(encoded, type=response), body


async def _read_last_error(process: Process) -> str:
    """The last line that the child wrote to stderr, if it was captured."""
    if process.stderr is None:
        return ""
    text = (await process.stderr.read()).decode("utf-8", "replace")
    return text.strip().rpartition("\n")[2][:ERROR_CHARS]
