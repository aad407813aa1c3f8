"""Which model answers: the configured endpoint, else the offline model, else none."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from yarrow.kit.endpoint import Endpoint, read_address, read_key
from yarrow.llm.errors import ModelMissing
from yarrow.llm.model import ChatModel, ChatRequest, Chunk, FinishChunk, FinishReason
from yarrow.llm.offline import OfflineModel, offline_model_available
from yarrow.llm.openai import OpenAIChat
from yarrow.settings import Settings

log = logging.getLogger(__name__)


class NoModel:
    """Stands in where nothing is configured: everything works but asking a model."""

    @property
    def name(self) -> str:
        return "none"

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:  # noqa: ARG002
        """Raise `ModelMissing`: the run fails like one whose endpoint is down, without retries."""
        raise ModelMissing
        yield FinishChunk(FinishReason.OTHER)  # makes this a generator


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator[ChatModel]:
    """The model these settings ask for; `Misconfigured` if they cannot be right."""
    endpoint = read_endpoint(settings)
    if endpoint is not None:
        async with OpenAIChat(endpoint) as chat:
            log.info("model.chosen", extra={"model": chat.name})
            yield chat
    elif settings.offline_model and offline_model_available():
        async with OfflineModel() as offline:
            log.info("model.chosen", extra={"model": offline.name})
            yield offline
    else:
        log.warning("model.none", extra={"offline_model_wanted": settings.offline_model})
        yield NoModel()


def read_endpoint(settings: Settings) -> Endpoint | None:
    """The configured endpoint, checked; None if none is."""
    base_url = read_address(settings.llm_base_url, setting="YARROW_LLM_BASE_URL")
    if base_url is None:
        return None
    return Endpoint(
        base_url=base_url,
        model=settings.llm_model,
        api_key=read_key(settings.llm_api_key, setting="YARROW_LLM_API_KEY"),
        timeout_ms=settings.llm_timeout_ms,
    )
