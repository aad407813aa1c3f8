"""Open the configured model: an endpoint, else rules and the small offline model, else none."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from msgspec.structs import replace

from yarrow.kit.endpoint import Endpoint, read_endpoint
from yarrow.llm.endpoint_model import EndpointModel, ModelConnections
from yarrow.llm.errors import ModelMissing
from yarrow.llm.model import ChatModel, ChatRequest, Chunk, FinishChunk, FinishReason
from yarrow.llm.offline import OfflineModel, has_offline_model
from yarrow.llm.rule_based.model import RULES_MODEL, RuleModel
from yarrow.settings import Settings

log = logging.getLogger(__name__)


class NoModel:
    """The model when none is configured: every request fails with `ModelMissing`."""

    @property
    def name(self) -> str:
        return "none"

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:  # noqa: ARG002
        """Raise `ModelMissing`: the run fails without retries, and says what to configure."""
        raise ModelMissing
        yield FinishChunk(FinishReason.OTHER)  # makes this a generator


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator[ChatModel]:
    """The model of these settings; `Misconfigured` if they are invalid."""
    endpoint = read_model_endpoint(settings)
    if endpoint is not None:
        async with ModelConnections() as connections:
            log.info("model.chosen", extra={"model": endpoint.model})
            yield EndpointModel(endpoint, connections)
    elif not settings.offline_model:
        log.warning("model.none")
        yield NoModel()
    elif has_offline_model():
        async with OfflineModel() as small_model:
            log.info("model.chosen", extra={"model": f"{RULES_MODEL}, {small_model.name}"})
            yield RuleModel(small_model)
    else:
        log.info("model.chosen", extra={"model": RULES_MODEL})
        yield RuleModel()


def read_model_endpoint(settings: Settings) -> Endpoint | None:
    """The configured endpoint; None if there is none."""
    endpoint = read_endpoint(
        settings.llm_base_url,
        settings.llm_api_key,
        model=settings.llm_model,
        timeout_ms=settings.llm_timeout_ms,
        prefix="YARROW_LLM",
    )
    if endpoint is None:
        return None
    return replace(endpoint, answer_timeout_ms=settings.llm_answer_timeout_ms)
