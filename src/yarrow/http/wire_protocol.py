"""What a protocol package hands to `app.py`: its routers and its error formats."""

from collections.abc import Iterable, Iterator, Sequence

from fastapi import APIRouter
from msgspec import Struct
from starlette.routing import BaseRoute

from yarrow.http.error_formats import ErrorFormat


class WireProtocol(Struct, frozen=True):
    """One protocol, ready to be served."""

    routers: Sequence[APIRouter]
    hot_routers: Sequence[APIRouter] = ()
    """Tried before every other route of the application: Starlette matches one by one."""
    error_formats: Sequence[ErrorFormat] = ()


def order_routes(protocols: Sequence[WireProtocol]) -> Iterator[BaseRoute]:
    """All routes in the order in which they are tried.

    Not `include_router`: it wraps each route once more, and matches it twice.
    """
    yield from _iterate_routes(router for protocol in protocols for router in protocol.hot_routers)
    yield from _iterate_routes(router for protocol in protocols for router in protocol.routers)


def _iterate_routes(routers: Iterable[APIRouter]) -> Iterator[BaseRoute]:
    for router in routers:
        yield from router.routes
