"""Models behind endpoints, whose HTTP client is imported by the first request."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Self

from yarrow.kit.endpoint import Endpoint
from yarrow.llm.allowed_addresses import AllowedAddresses
from yarrow.llm.model import ChatRequest, Chunk

if TYPE_CHECKING:
    from yarrow.llm.openai import ModelClient, OpenAIChat

KEEP_ALIVE_S = 4.0
"""Shorter than the 5 s after which uvicorn closes an idle connection."""


class ModelConnections:
    """The HTTP client of one or more endpoints, opened at its first use and closed at the end.

    With `allowed`, only these hosts are connected to; `keep_alive_s` None uses no connection twice.
    """

    def __init__(
        self,
        allowed: AllowedAddresses | None = None,
        *,
        keep_alive_s: float | None = KEEP_ALIVE_S,
    ) -> None:
        self.allowed = allowed
        self.client: ModelClient | None = None
        self._keep_alive_s = keep_alive_s

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        if self.client is not None:
            await self.client.close()

    async def open(self) -> "ModelClient":
        """The client; the first call imports it in a thread, which takes 0.1 s."""
        if self.client is None:
            make_client = await asyncio.to_thread(import_client)
            if self.client is None:  # another task may have waited for the same import
                self.client = make_client(self.allowed, keep_alive_s=self._keep_alive_s)
        return self.client


class EndpointModel:
    """A `ChatModel` behind an OpenAI-compatible endpoint."""

    def __init__(self, endpoint: Endpoint, connections: ModelConnections) -> None:
        self._endpoint, self._connections = endpoint, connections
        self._chat: OpenAIChat | None = None

    @property
    def name(self) -> str:
        """The model's name, as sent to the endpoint."""
        return self._endpoint.model

    def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        """Send the request and yield the answer as it arrives; leaving closes the connection."""
        client = self._connections.client
        if client is None:
            return self._import_and_stream(request)
        if self._chat is None:
            self._chat = client.connect(self._endpoint)
        return self._chat.stream(request)

    async def _import_and_stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        await self._connections.open()
        async with aclosing(self.stream(request)) as chunks:
            async for chunk in chunks:
                yield chunk


def import_client() -> "type[ModelClient]":
    """Import aiohttp and what uses it."""
    from yarrow.llm.openai import ModelClient  # noqa: PLC0415 - a tenth of the CPU of a start

    return ModelClient
