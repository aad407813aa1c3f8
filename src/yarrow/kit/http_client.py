"""Sessions of aiohttp, and what is read from its responses.

aiohttp takes a tenth of the CPU of a start to import, so nothing that is imported at the start
imports this module: `llm/endpoint_model.py` does with its first request.
"""

from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import partial
from math import isfinite
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader
from multidict import CIMultiDictProxy

MAX_RESPONSE_BYTES = 64 * 1024 * 1024
"""Of one response as it is sent, with its heads and the frames of its chunks."""
MAX_HEADS = 16
"""Of one response: its own, and informational ones (1xx) before it."""
PARSED_BYTES = 16 * 1024
"""Parsed at once: enough for some hundred heads."""


class ResponseTooLarge(aiohttp.ClientError):
    """An endpoint sent more heads or bytes than a response may have."""


class _BoundedConnection(ResponseHandler):
    """Cuts the connection when a response has too many heads or bytes.

    aiohttp reads informational responses, chunk extensions and what comes behind a response
    without a limit: they hold the event loop for seconds and are kept in memory.
    """

    _heads = 0
    _bytes = 0

    def set_response_params(self, **params: Any) -> None:  # noqa: ANN401
        """A request is sent: what follows is another response."""
        self._heads = self._bytes = 0
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        super().data_received(data[:PARSED_BYTES])
        for start in range(PARSED_BYTES, len(data), PARSED_BYTES):
            if self._is_too_large or not self.is_connected():
                break
            super().data_received(data[start : start + PARSED_BYTES])
        if self._is_too_large:
            self._refuse_response()

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Keep a head that was parsed."""
        self._heads += 1
        if not self._is_too_large:
            super().feed_data(data, size)

    @property
    def _is_too_large(self) -> bool:
        return self._heads > MAX_HEADS or self._bytes > MAX_RESPONSE_BYTES

    def _refuse_response(self) -> None:
        body, error = self._payload, ResponseTooLarge()
        self.abort()
        self.set_exception(error)
        if body is not None:
            body.set_exception(error)


class _BoundedConnector(aiohttp.TCPConnector):
    """Connections without limit in number whose responses are bounded."""

    def __init__(self, *, keep_alive_s: float | None, resolver: AbstractResolver | None) -> None:
        super().__init__(
            limit=0,
            force_close=keep_alive_s is None,
            keepalive_timeout=keep_alive_s,
            resolver=resolver,
        )
        handler: type[ResponseHandler] = _BoundedConnection
        self._factory = partial(handler, loop=self._loop)


def open_session(
    *, keep_alive_s: float | None, resolver: AbstractResolver | None = None
) -> aiohttp.ClientSession:
    """A session without connection limit and cookies; None: no connection is used twice.

    It asks for no compression and never decompresses: a proxy that compresses delays tokens, and
    a few bytes of a hostile endpoint may inflate to gigabytes.
    """
    return aiohttp.ClientSession(
        connector=_BoundedConnector(keep_alive_s=keep_alive_s, resolver=resolver),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept-Encoding": "identity"},
        auto_decompress=False,
    )


async def read_body(response: aiohttp.ClientResponse, *, max_bytes: int) -> bytes | None:
    """The whole body; None if it has more bytes. `content.read(n)` returns what has arrived."""
    body = bytearray()
    async for data in response.content.iter_any():
        body += data
        if len(body) > max_bytes:
            return None
    return bytes(body)


def read_retry_delay(headers: CIMultiDictProxy[str]) -> float | None:
    """The seconds of a `Retry-After` header in either form; None if it has no usable value.

    A date is compared with the response's own `Date`: the two clocks may differ.
    """
    value = headers.get("Retry-After", "")
    with suppress(ValueError):
        seconds = float(value)
        return max(0.0, seconds) if isfinite(seconds) else None
    with suppress(ValueError, TypeError):
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("Date", ""))
        return max(0.0, (until - now).total_seconds())
    return None
