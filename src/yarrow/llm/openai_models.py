"""List the models of an OpenAI-compatible endpoint."""

import aiohttp
import msgspec

from yarrow.kit.endpoint import Endpoint
from yarrow.kit.http_client import read_body
from yarrow.llm.errors import ModelBroken
from yarrow.llm.provider_failures import error_for_connection, error_for_status

MAX_BYTES = 4 * 1024 * 1024
MAX_MODELS = 1_000
OK = 200


class _ListedModel(msgspec.Struct):
    id: str


class _ModelList(msgspec.Struct):
    data: list[_ListedModel]


async def fetch_models(endpoint: Endpoint, session: aiohttp.ClientSession) -> list[str]:
    """The names of the models, sorted; raises a `ModelError` without the provider's text."""
    url = endpoint.base_url.rstrip("/") + "/models"
    timeout = aiohttp.ClientTimeout(total=endpoint.timeout_ms / 1000)
    try:
        async with session.get(
            url, headers=endpoint.authorization, timeout=timeout, allow_redirects=False
        ) as answer:
            if answer.status != OK:
                raise error_for_status(answer.status)
            body = await read_body(answer, max_bytes=MAX_BYTES)
    except (aiohttp.ClientError, OSError) as error:
        raise error_for_connection(error, timeout_ms=endpoint.timeout_ms) from None
    if body is None:
        raise ModelBroken
    try:
        listed = msgspec.json.decode(body, type=_ModelList)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ModelBroken from None
    return sorted({each.id for each in listed.data})[:MAX_MODELS]
