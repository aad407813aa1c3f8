"""The router that every resource of this protocol begins with."""

from fastapi import APIRouter

from yarrow.http.problem import make_problem_renderer
from yarrow.http.route_classes import make_route_class
from yarrow.protocols.account.errors import WIRE_ERRORS

PREFIX = "/api/v1"


def make_router(tag: str, *, prefix: str = PREFIX) -> APIRouter:
    """Routes whose errors become problems."""
    route_class = make_route_class(make_problem_renderer(WIRE_ERRORS))
    return APIRouter(prefix=prefix, tags=[tag], route_class=route_class)
