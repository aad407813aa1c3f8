"""Requests that offer an upgrade are answered as if they did not, against a real uvicorn.

RFC 9110, 7.8: a server that does not switch protocols ignores the field.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from tests.unit.http.test_client_limits import serving_app
from tests.waiting import PATIENCE_S

from yarrow.http.client_limits import BoundedHttpProtocol

pytestmark = pytest.mark.slow

OFFERS = {
    "h2c": b"connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n",
    "websocket": b"connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n",
}
LAST = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
BODIES = {
    "length": b"content-length: 6\r\n\r\n{0: 1}",
    "chunked": b"transfer-encoding: chunked\r\n\r\n3\r\n{0:\r\n3\r\n 1}\r\n0\r\n\r\n",
    "trailers": b"transfer-encoding: chunked\r\n\r\n6\r\n{0: 1}\r\n0\r\nx: y\r\n\r\n",
}


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async with serving_app(BoundedHttpProtocol) as port:
        yield port


async def send_pieces(port: int, pieces: Sequence[bytes]) -> list[bytes]:
    """The bodies of all responses: each is the size of what its request sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0.01)
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    responses = answer.split(b"HTTP/1.1 ")[1:]
    assert all(response.startswith(b"200") for response in responses)
    return [response.split(b"\r\n")[-4] for response in responses]


@pytest.mark.parametrize("offer", OFFERS)
@pytest.mark.parametrize("body", BODIES)
async def test_a_body_behind_an_offer_arrives_whole(port: int, offer: str, body: str) -> None:
    head = b"POST / HTTP/1.1\r\nhost: x\r\n" + OFFERS[offer]

    assert await send_pieces(port, [head + BODIES[body] + LAST]) == [b"6", b"0"]


@pytest.mark.parametrize("body", BODIES)
async def test_an_offer_may_arrive_in_pieces(port: int, body: str) -> None:
    request = b"POST / HTTP/1.1\r\nhost: x\r\n" + OFFERS["h2c"] + BODIES[body] + LAST
    pieces = [request[start : start + 7] for start in range(0, len(request), 7)]

    assert await send_pieces(port, pieces) == [b"6", b"0"]


@pytest.mark.parametrize("offer", OFFERS)
async def test_requests_behind_an_offer_are_answered(port: int, offer: str) -> None:
    get = b"GET / HTTP/1.1\r\nhost: x\r\n" + OFFERS[offer] + b"\r\n"
    post = b"POST / HTTP/1.1\r\nhost: x\r\n" + OFFERS[offer] + BODIES["length"]

    answers = await send_pieces(port, [get + post + get + post + post + LAST])

    assert answers == [b"0", b"6", b"0", b"6", b"6", b"0"]
