"""Listing the models of an endpoint over real HTTP."""

import pytest
from aiohttp import web
from aiohttp.typedefs import Handler
from tests.route_server import send_in_parts, serve_routes

from yarrow.kit.endpoint import Endpoint
from yarrow.kit.http_client import open_session
from yarrow.llm.errors import ModelBroken, ModelError, ModelFailed
from yarrow.llm.openai_models import MAX_BYTES, fetch_models


async def list_two_models(_: web.Request) -> web.Response:
    return web.Response(body=send_in_parts(b'{"data": [{"id": "b"}, {"id": "a"}]}'))


async def send_too_much(_: web.Request) -> web.Response:
    return web.Response(body=b'{"data": []}' + b" " * MAX_BYTES)


async def fail(_: web.Request) -> web.Response:
    return web.Response(status=500, text="no")


async def test_a_list_that_arrives_in_parts_is_read_to_its_end() -> None:
    async with (
        serve_routes({"/models": list_two_models}) as url,
        open_session(keep_alive_s=None) as http,
    ):
        assert await fetch_models(Endpoint(url, "m"), http) == ["a", "b"]


@pytest.mark.parametrize(
    ("handler", "error"),
    [(send_too_much, ModelBroken), (fail, ModelFailed)],
    ids=["long", "failed"],
)
async def test_an_answer_without_a_list_is_an_error(
    handler: Handler, error: type[ModelError]
) -> None:
    async with serve_routes({"/models": handler}) as url, open_session(keep_alive_s=None) as http:
        with pytest.raises(error):
            await fetch_models(Endpoint(url, "m"), http)
