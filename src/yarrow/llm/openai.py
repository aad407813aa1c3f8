"""The client for OpenAI-compatible chat endpoints.

Errors are classified by exception type and status. What is raised has no provider text, address
or key in it, nor a chained exception that has.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from io import BytesIO

import aiohttp

from yarrow.kit.endpoint import Endpoint
from yarrow.kit.http_client import open_session, read_body, read_retry_delay
from yarrow.llm.allowed_addresses import AllowedAddresses
from yarrow.llm.answer_deadline import AnswerDeadline
from yarrow.llm.answer_limits import MAX_EVENT_BYTES
from yarrow.llm.checked_resolver import CheckedResolver
from yarrow.llm.errors import ModelBroken
from yarrow.llm.model import ChatRequest, Chunk
from yarrow.llm.openai_answer import AnswerReader, join_texts
from yarrow.llm.openai_models import fetch_models
from yarrow.llm.openai_request import encode_request
from yarrow.llm.provider_failures import (
    MAX_MESSAGE_CHARS,
    error_for_connection,
    error_for_status,
)

CONNECT_TIMEOUT_S = 10.0
RESENDS = 2
"""How often a request is sent again when its connection closes before the first byte of the
response. llama.cpp closes after each stream without announcing it, and the next request may get
that connection from the pool; sending again costs nothing then, and one answer otherwise."""
DRAIN_TIMEOUT_S = 0.05
"""For the end of the body after `[DONE]`, so that the connection can be reused."""
READ_BYTES = 16 * 1024
"""After so much of a stream other tasks run: it may have three hundred tokens."""
ERROR_BODY_TIMEOUT_S = 1.0
"""For the body of an error response."""

_STREAM_TYPES = frozenset({"text/event-stream", "text/plain", "application/octet-stream"})


class OpenAIChat:
    """A `ChatModel` behind an OpenAI-compatible endpoint; the session belongs to the caller."""

    def __init__(self, endpoint: Endpoint, session: aiohttp.ClientSession) -> None:
        self._endpoint, self._session = endpoint, session
        self._url = endpoint.base_url.rstrip("/") + "/chat/completions"
        self._headers = _build_headers(endpoint)
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=CONNECT_TIMEOUT_S, sock_read=endpoint.timeout_ms / 1000
        )

    @property
    def name(self) -> str:
        """The model's name, as sent to the endpoint."""
        return self._endpoint.model

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        """Send the request and yield the answer as it arrives; leaving closes the connection."""
        response: aiohttp.ClientResponse | None = None
        reader = AnswerReader()
        deadline = AnswerDeadline(self._endpoint.answer_timeout_ms, lambda: reader.content_bytes)
        try:
            async with asyncio.timeout_at(deadline.first_end):
                response = await self._post_request(request)
            deadline.watch(response)
            if _is_json(response):
                if (body := await read_body(response, max_bytes=MAX_EVENT_BYTES)) is None:
                    raise ModelBroken
                for chunk in reader.read_whole(body):
                    yield chunk
                return
            async for data in response.content.iter_chunked(READ_BYTES):
                read = reader.feed(data)
                for chunk in join_texts(read) if request.joins_text else read:
                    yield chunk
                if reader.done:
                    break
                if len(data) == READ_BYTES:
                    await asyncio.sleep(0)
            for chunk in reader.close():
                yield chunk
            await _drain_response(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise error_for_connection(error, timeout_ms=self._endpoint.timeout_ms) from None
        finally:
            deadline.stop()
            # A fully read response has returned its connection to the pool; any other is cut.
            if response is not None:
                response.close()

    async def _post_request(self, request: ChatRequest) -> aiohttp.ClientResponse:
        body = encode_request(request, self._endpoint.model)
        for _ in range(RESENDS):
            try:
                return await self._send_body(body)
            except aiohttp.ClientConnectorError:
                raise  # a new connection failed, not a stale one
            except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
                continue
        return await self._send_body(body)

    async def _send_body(self, body: bytes) -> aiohttp.ClientResponse:
        response = await self._session.post(
            self._url,
            data=BytesIO(body),  # aiohttp sends `bytes` in one write, however large, and warns
            headers=self._headers,
            timeout=self._timeout,
            allow_redirects=False,
        )
        if response.status != 200:
            message = await _read_error_body(response)
            retry_after_s = read_retry_delay(response.headers)
            response.close()
            raise error_for_status(response.status, message=message, retry_after_s=retry_after_s)
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            response.close()
            raise ModelBroken  # the session asks for identity and does not decompress
        return response


class ModelClient:
    """Sends requests to any endpoint; with `allowed`, only to these hosts."""

    def __init__(self, allowed: AllowedAddresses | None, *, keep_alive_s: float | None) -> None:
        resolver = None if allowed is None else CheckedResolver(allowed)
        self._session = open_session(keep_alive_s=keep_alive_s, resolver=resolver)

    async def close(self) -> None:
        await self._session.close()

    def connect(self, endpoint: Endpoint) -> OpenAIChat:
        """The model of an endpoint."""
        return OpenAIChat(endpoint, self._session)

    async def list_models(self, endpoint: Endpoint) -> list[str]:
        """The names that `GET /models` of an endpoint lists; raises `ModelError`."""
        return await fetch_models(endpoint, self._session)


def _build_headers(endpoint: Endpoint) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "Accept": "text/event-stream, application/json",
        **endpoint.authorization,
    }


def _is_json(response: aiohttp.ClientResponse) -> bool:
    if response.content_type == "application/json":
        return True
    if response.content_type not in _STREAM_TYPES:
        raise ModelBroken
    return False


async def _read_error_body(response: aiohttp.ClientResponse) -> str:
    """The beginning of an error response, for classification only."""
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(ERROR_BODY_TIMEOUT_S):
            return (await response.content.read(MAX_MESSAGE_CHARS)).decode("utf-8", "replace")
    return ""


async def _drain_response(response: aiohttp.ClientResponse) -> None:
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            while await response.content.readany():
                pass
