"""The order in which routes are tried."""

from fastapi import APIRouter

from yarrow.http.wire_protocol import WireProtocol, order_routes


def make_router(path: str) -> APIRouter:
    router = APIRouter()

    @router.get(path)
    async def show() -> None: ...

    return router


def test_hot_routes_of_all_protocols_come_first() -> None:
    first = WireProtocol(routers=[make_router("/b")], hot_routers=[make_router("/a")])
    second = WireProtocol(routers=[make_router("/d")], hot_routers=[make_router("/c")])

    paths = [getattr(route, "path", "") for route in order_routes([first, second])]

    assert paths == ["/a", "/c", "/b", "/d"]
