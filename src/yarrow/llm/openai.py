"""The client for OpenAI-compatible endpoints.

Failures are told apart by exception type and status, never by words, and what is raised has no
provider text, address or key in it, nor a chained exception that has.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from io import BytesIO
from types import TracebackType
from typing import Self

import aiohttp

from yarrow.kit.endpoint import Endpoint, parse_retry_after
from yarrow.llm.errors import ModelBroken, ModelError, ModelTimeout, ModelUnreachable
from yarrow.llm.failures import WORDS_READ, failure_of_status
from yarrow.llm.model import ChatRequest, Chunk
from yarrow.llm.openai_answer import AnswerReader
from yarrow.llm.openai_request import encode_request

CONNECT_TIMEOUT_S = 10.0
KEEP_ALIVE_S = 4.0
"""Shorter than the 5 s after which uvicorn hangs up on an idle connection."""
RESENDS = 2
"""How often a request is sent again when its connection closes before the first byte of an
answer. llama.cpp closes after each stream without saying so, and the next request may meet that
connection in the pool; asking again costs nothing then, and one answer at most otherwise."""
LAST_BYTES_S = 0.05
"""How long we wait for the end of the body after `[DONE]`, to keep the connection."""
COMPLAINT_S = 1.0
"""How long we wait for the words beside a status that says no."""

_STREAM_TYPES = frozenset({"text/event-stream", "text/plain", "application/octet-stream"})


class OpenAIChat:
    """A `ChatModel` behind an OpenAI-compatible endpoint.

    Uses the session it is given, or opens its own on first use; `close` ends only its own.
    """

    def __init__(self, endpoint: Endpoint, *, session: aiohttp.ClientSession | None = None) -> None:
        self._endpoint = endpoint
        self._url = endpoint.base_url.rstrip("/") + "/chat/completions"
        self._headers = _headers(endpoint)
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=CONNECT_TIMEOUT_S, sock_read=endpoint.timeout_ms / 1000
        )
        self._session = session
        self._owns_session = session is None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the session if it is our own; streams that still go on end."""
        if self._owns_session and self._session is not None:
            await self._session.close()
            self._session = None

    @property
    def name(self) -> str:
        """The model's name, as sent to the endpoint."""
        return self._endpoint.model

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        """Ask, and yield the answer as it comes. Leaving closes the connection at once."""
        response: aiohttp.ClientResponse | None = None
        reader = AnswerReader()
        try:
            response = await self._post(request)
            if _is_whole(response):
                for chunk in reader.read_whole(await response.read()):
                    yield chunk
                return
            async for data in response.content.iter_any():
                for chunk in reader.feed(data):
                    yield chunk
                if reader.over:
                    break
            for chunk in reader.close():
                yield chunk
            await _take_last_bytes(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._failure(error) from None
        finally:
            # A fully read answer has given its connection back already; any other is cut here.
            if response is not None:
                response.close()

    async def _post(self, request: ChatRequest) -> aiohttp.ClientResponse:
        body = encode_request(request, self._endpoint.model)
        for _ in range(RESENDS):
            try:
                return await self._send(body)
            except aiohttp.ClientConnectorError:
                raise  # a new connection was refused: nothing stale about it
            except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
                continue
        return await self._send(body)

    async def _send(self, body: bytes) -> aiohttp.ClientResponse:
        if self._session is None:
            self._session = open_session()
        response = await self._session.post(
            self._url,
            data=BytesIO(body),  # aiohttp sends `bytes` in one go, however large, and warns
            headers=self._headers,
            timeout=self._timeout,
            allow_redirects=False,
        )
        if response.status != 200:
            words = await _complaint(response)
            retry_after_s = parse_retry_after(response.headers)
            response.close()
            raise failure_of_status(response.status, words=words, retry_after_s=retry_after_s)
        return response

    def _failure(self, error: aiohttp.ClientError | TimeoutError) -> ModelError:
        match error:
            case aiohttp.ConnectionTimeoutError():
                return ModelUnreachable()
            case TimeoutError():
                return ModelTimeout(self._endpoint.timeout_ms)
            case aiohttp.ClientResponseError():
                return ModelBroken()
            case _:
                return ModelUnreachable()


def open_session() -> aiohttp.ClientSession:
    """A session for any number of streams at once: no connection limit, no cookies."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


def _headers(endpoint: Endpoint) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "text/event-stream, application/json",
        "Accept-Encoding": "identity",  # a compressing proxy would hold tokens back
    }
    if endpoint.api_key:
        headers["Authorization"] = f"Bearer {endpoint.api_key}"
    return headers


def _is_whole(response: aiohttp.ClientResponse) -> bool:
    if response.content_type == "application/json":
        return True
    if response.content_type not in _STREAM_TYPES:
        raise ModelBroken
    return False


async def _complaint(response: aiohttp.ClientResponse) -> str:
    """The beginning of what a failed answer says, if it comes soon; only looked at, never kept."""
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(COMPLAINT_S):
            return (await response.content.read(WORDS_READ)).decode("utf-8", "replace")
    return ""


async def _take_last_bytes(response: aiohttp.ClientResponse) -> None:
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(LAST_BYTES_S):
            while await response.content.readany():
                pass
