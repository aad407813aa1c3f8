"""Open the configured recogniser: an endpoint, else the offline one, else none."""

import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from yarrow.kit.endpoint import Endpoint, read_endpoint
from yarrow.settings import Settings
from yarrow.speech.offline import OfflineRecogniser, build_child_command, find_missing
from yarrow.speech.recogniser import NoRecogniser, Recogniser

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_recogniser(settings: Settings) -> AsyncIterator[Recogniser]:
    """The recogniser of these settings; `Misconfigured` if they are invalid.

    A missing model folder or extra does not prevent the start: recordings are rejected until it is
    there, and `yarrow doctor` says what to do.
    """
    endpoint = read_recogniser_endpoint(settings)
    folder = settings.asr_model_path
    if endpoint is not None:
        async with open_endpoint_recogniser(endpoint) as recogniser:
            log.info("recogniser.chosen", extra={"recogniser": recogniser.name})
            yield recogniser
    elif folder is not None and find_missing(folder) is None:
        async with OfflineRecogniser(
            build_child_command(folder), name=folder.name, timeout_ms=settings.asr_timeout_ms
        ) as offline:
            log.info("recogniser.chosen", extra={"recogniser": offline.name})
            yield offline
    else:
        if folder is not None:
            log.warning("recogniser.missing", extra={"missing": find_missing(folder)})
        yield NoRecogniser()


def open_endpoint_recogniser(endpoint: Endpoint) -> AbstractAsyncContextManager[Recogniser]:
    """The recogniser behind an endpoint, while the block lasts."""
    from yarrow.speech.openai import open_openai_recogniser  # noqa: PLC0415 - imports aiohttp

    return open_openai_recogniser(endpoint)


def read_recogniser_endpoint(settings: Settings) -> Endpoint | None:
    """The configured endpoint; None if there is none."""
    return read_endpoint(
        settings.asr_base_url,
        settings.asr_api_key,
        model=settings.asr_model,
        timeout_ms=settings.asr_timeout_ms,
        prefix="YARROW_ASR",
    )
