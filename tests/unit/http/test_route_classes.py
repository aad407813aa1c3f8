"""Values in paths and queries that no route can use; bare routes before FastAPI's middleware."""

import pytest
from fastapi import FastAPI, Request, Response
from tests.unit.http.asgi import call

from yarrow.errors import InvalidInput
from yarrow.http.problem import make_problem_renderer
from yarrow.http.route_classes import (
    MAX_VALUE_CHARS,
    BareRoutesFirst,
    make_bare_route_class,
    require_usable_address,
)

LONG = "x" * (MAX_VALUE_CHARS + 1)


@pytest.mark.parametrize(
    ("path", "query", "place"),
    [
        ("/a\0b", b"", "path"),
        ("/a", b"b=1&name=a%00b", "name"),
        ("/a", b"%00=a", None),
        (f"/a/{LONG}/b", b"", "path"),
        ("/a", f"b=1&name={LONG}".encode(), "name"),
        ("/a", f"name={'+' * (MAX_VALUE_CHARS + 1)}".encode(), "name"),
    ],
)
def test_nul_and_long_values_are_refused_with_their_place(
    path: str, query: bytes, place: str | None
) -> None:
    with pytest.raises(InvalidInput) as refused:
        require_usable_address({"path": path, "query_string": query})

    assert refused.value.field == place


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/a/b", b"name=%2500&other=%20"),
        ("/" + "ab/" * MAX_VALUE_CHARS, b""),
        ("/" + LONG[1:], f"name={LONG[1:]}".encode()),
        ("/a", b"&".join([b"name=value"] * MAX_VALUE_CHARS)),
        ("/a", b"name=" + b"%e5%90%8d" * (MAX_VALUE_CHARS // 2)),
    ],
)
def test_other_addresses_are_allowed(path: str, query: bytes) -> None:
    require_usable_address({"path": path, "query_string": query})


async def show(request: Request) -> Response:
    """The route and its parameter, and whether FastAPI wrapped the request."""
    is_wrapped = "fastapi_middleware_astack" in request.scope
    return Response(f"{request.scope['route'].path} {request.path_params} {is_wrapped}")


def make_app() -> FastAPI:
    app = FastAPI(openapi_url=None)
    bare = make_bare_route_class(make_problem_renderer({}))
    app.router.routes.append(bare("/first/{name}", show, methods=["GET"]))
    app.get("/second")(lambda: "second")
    app.router.routes.append(bare("/{name}", show, methods=["GET"]))
    app.add_middleware(BareRoutesFirst, routes=app.router.routes)
    return app


async def test_the_first_bare_routes_answer_without_fastapis_middleware() -> None:
    answer = await call(make_app(), "/first/a")

    assert answer.body == b"/first/{name} {'name': 'a'} False"


async def test_a_bare_route_behind_others_keeps_its_place() -> None:
    app = make_app()

    assert (await call(app, "/second")).json == "second"
    assert (await call(app, "/third")).body == b"/{name} {'name': 'third'} True"


async def test_another_method_of_a_bare_route_is_refused() -> None:
    assert (await call(make_app(), "/first/a", method="DELETE")).status == 405
