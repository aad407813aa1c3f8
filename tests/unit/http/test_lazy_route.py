"""A route is built at its first request, and behaves as FastAPI's own."""

from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from fastapi import APIRouter, FastAPI, Query
from tests.unit.http.asgi import call

from yarrow.http.lazy_route import LazyRoute
from yarrow.http.route_classes import PrefixCheckedRoute


def make_app(route_class: type[LazyRoute] = LazyRoute) -> tuple[FastAPI, LazyRoute]:
    router = APIRouter(prefix="/things", route_class=route_class)

    @router.get("/{number}", name="thing")
    def read_thing(number: int, size: Annotated[int, Query(ge=1)] = 3) -> dict[str, int]:
        return {"number": number, "size": size}

    app = FastAPI()
    app.router.routes.extend(router.routes)
    (route,) = router.routes
    assert isinstance(route, LazyRoute)
    return app, route


async def test_a_route_is_built_by_its_first_request() -> None:
    app, route = make_app()

    assert (await call(app, "/elsewhere")).status == 404
    assert (await call(app, "/things/7", method="POST")).status == 405
    assert "dependant" not in vars(route)

    assert (await call(app, "/things/7?size=2")).json == {"number": 7, "size": 2}
    assert (await call(app, "/things/7?size=0")).status == 422
    assert "dependant" in vars(route)


async def test_a_path_is_compiled_for_the_first_address_that_begins_as_it_does() -> None:
    app, route = make_app(PrefixCheckedRoute)

    assert (await call(app, "/thin/7")).status == 404
    assert "path_regex" not in vars(route)

    assert (await call(app, "/things/7/more")).status == 404
    assert "path_regex" in vars(route)
    assert "dependant" not in vars(route)


async def test_an_application_below_a_root_path_finds_its_routes() -> None:
    app, _ = make_app(PrefixCheckedRoute)
    app.root_path = "/below"

    assert (await call(app, "/below/things/7")).json == {"number": 7, "size": 3}


def test_a_lazy_route_is_documented_as_any_other() -> None:
    app, _ = make_app()

    parameters = app.openapi()["paths"]["/things/{number}"]["get"]["parameters"]

    assert [each["name"] for each in parameters] == ["number", "size"]


def test_threads_that_need_a_route_at_once_all_get_it_whole() -> None:
    for _ in range(20):
        _, route = make_app()
        with ThreadPoolExecutor(8) as pool:
            names = list(pool.map(lambda _, route=route: route.dependant.path, range(8)))
        assert names == ["/things/{number}"] * 8


def test_an_attribute_that_no_route_has_is_an_attribute_error() -> None:
    _, route = make_app()

    assert not hasattr(route, "colour")
