"""A client of one endpoint, for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from yarrow.kit.endpoint import Endpoint
from yarrow.llm.endpoint_model import KEEP_ALIVE_S
from yarrow.llm.openai import ModelClient, OpenAIChat


@asynccontextmanager
async def open_chat(endpoint: Endpoint) -> AsyncIterator[OpenAIChat]:
    """The model behind the endpoint, with a session of its own while the block lasts."""
    client = ModelClient(None, keep_alive_s=KEEP_ALIVE_S)
    try:
        yield client.connect(endpoint)
    finally:
        await client.close()
