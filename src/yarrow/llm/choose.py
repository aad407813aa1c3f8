"""Which model answers: the configured endpoint, else the offline model, else none."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from yarrow.errors import Misconfigured, ModelUnreachable
from yarrow.llm.model import ChatModel, ChatRequest, Chunk, FinishChunk, FinishReason
from yarrow.llm.offline import OfflineModel, offline_model_available
from yarrow.llm.openai import Endpoint, OpenAIChat
from yarrow.settings import Settings

log = logging.getLogger(__name__)


class NoModel:
    """Stands in where nothing is configured: everything works but asking a model."""

    @property
    def name(self) -> str:
        return "none"

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:  # noqa: ARG002
        """Raise `ModelUnreachable`, so that a run fails like one whose endpoint is down."""
        raise ModelUnreachable
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
    base_url = (settings.llm_base_url or "").strip().rstrip("/")
    if not base_url:
        return None
    _require_base_url(base_url)
    key = settings.llm_api_key.get_secret_value().strip() if settings.llm_api_key else ""
    if not (key.isascii() and key.isprintable()):
        raise Misconfigured("YARROW_LLM_API_KEY holds characters that no HTTP header may have")
    return Endpoint(
        base_url=base_url,
        model=settings.llm_model,
        api_key=key,
        timeout_ms=settings.llm_timeout_ms,
    )


def _require_base_url(base_url: str) -> None:
    """Raise unless it is an address; what it is does not go into the message."""
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Misconfigured(
            "YARROW_LLM_BASE_URL must be a full address such as https://api.openai.com/v1"
        )
    if parts.query or parts.fragment or parts.username or parts.password:
        raise Misconfigured(
            "YARROW_LLM_BASE_URL must be a plain address without user, query or fragment; "
            "a key goes into YARROW_LLM_API_KEY"
        )
