"""Which recogniser listens: the configured endpoint, else the offline one, else none."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from yarrow.kit.endpoint import Endpoint, read_address, read_key
from yarrow.settings import Settings
from yarrow.speech.offline import OfflineRecogniser, child_command, find_missing
from yarrow.speech.openai import OpenAIRecogniser
from yarrow.speech.recogniser import NoRecogniser, Recogniser

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_recogniser(settings: Settings) -> AsyncIterator[Recogniser]:
    """The recogniser these settings ask for; `Misconfigured` if they cannot be right.

    A model folder or an extra that is missing is no reason not to start: recordings are refused
    until it is there, and `yarrow doctor` says what to do.
    """
    endpoint = read_speech_endpoint(settings)
    folder = settings.asr_model_path
    if endpoint is not None:
        async with OpenAIRecogniser(endpoint) as recogniser:
            log.info("recogniser.chosen", extra={"recogniser": recogniser.name})
            yield recogniser
    elif folder is not None and find_missing(folder) is None:
        async with OfflineRecogniser(
            child_command(folder), name=folder.name, timeout_ms=settings.asr_timeout_ms
        ) as offline:
            log.info("recogniser.chosen", extra={"recogniser": offline.name})
            yield offline
    else:
        if folder is not None:
            log.warning("recogniser.missing", extra={"missing": find_missing(folder)})
        yield NoRecogniser()


def read_speech_endpoint(settings: Settings) -> Endpoint | None:
    """The configured endpoint, checked; None if none is."""
    base_url = read_address(settings.asr_base_url, setting="YARROW_ASR_BASE_URL")
    if base_url is None:
        return None
    return Endpoint(
        base_url=base_url,
        model=settings.asr_model,
        api_key=read_key(settings.asr_api_key, setting="YARROW_ASR_API_KEY"),
        timeout_ms=settings.asr_timeout_ms,
    )
