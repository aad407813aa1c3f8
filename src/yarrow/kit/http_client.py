"""Sessions of aiohttp, and what is read from its responses.

aiohttp takes a tenth of the CPU of a start to import, so nothing that is imported at the start
imports this module: `llm/endpoint_model.py` does with its first request.
"""

from contextlib import suppress
from email.utils import parsedate_to_datetime
from math import isfinite

import aiohttp
from aiohttp.abc import AbstractResolver
from multidict import CIMultiDictProxy


def open_session(
    *, keep_alive_s: float | None, resolver: AbstractResolver | None = None
) -> aiohttp.ClientSession:
    """A session without connection limit and cookies; None: no connection is used twice.

    It asks for no compression and never decompresses: a proxy that compresses delays tokens, and
    a few bytes of a hostile endpoint may inflate to gigabytes.
    """
    if keep_alive_s is None:
        connector = aiohttp.TCPConnector(limit=0, force_close=True, resolver=resolver)
    else:
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=keep_alive_s, resolver=resolver)
    return aiohttp.ClientSession(
        connector=connector,
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
