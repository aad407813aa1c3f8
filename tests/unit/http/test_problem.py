"""From errors to problems, and route classes that render them."""

from typing import Annotated

import pytest
from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from pydantic import BaseModel, ConfigDict, field_validator
from tests.unit.http.asgi import call

from yarrow.accounts.errors import WrongCredentials
from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import Forbidden, InvalidInput, Unauthenticated, YarrowError
from yarrow.http.body import make_body_reader
from yarrow.http.problem import (
    ErrorMap,
    WireError,
    build_headers,
    build_problem_responses,
    find_wire_error,
    make_problem_renderer,
)
from yarrow.http.route_classes import make_route_class
from yarrow.llm.errors import ModelError, ModelRateLimited
from yarrow.points.errors import PointsShort

FAULTS: ErrorMap = {
    InvalidInput: WireError(422, "REQUEST_INVALID", "Not valid"),
    Unauthenticated: WireError(401, "AUTH_REQUIRED", "Token needed"),
    PointsShort: WireError(402, "POINTS", "Too few points"),
    ModelError: WireError(502, "MODEL", "Model failed", "try later"),
    DatabaseUnavailable: WireError(503, "DATABASE", "No database"),
}


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    inner: dict[str, int] = {}

    @field_validator("name")
    @classmethod
    def name_is_short(cls, value: str) -> str:
        if len(value) > 3:
            raise ValueError("name must have at most 3 characters")
        return value


def app_raising(error: Exception) -> FastAPI:
    app = FastAPI()
    routes = APIRouter(route_class=make_route_class(make_problem_renderer(FAULTS)))

    @routes.get("/fail")
    async def fail() -> None:
        raise error

    @routes.post("/body")
    async def body(body: Annotated[Body, Depends(make_body_reader(Body, limit=100))]) -> str:
        return body.name

    @routes.get("/page")
    async def page(limit: Annotated[int, Query(ge=1)]) -> int:
        return limit

    app.include_router(routes)
    return app


async def test_error_becomes_a_problem() -> None:
    answer = await call(app_raising(PointsShort(needed=20, available=3)), "/fail")

    assert answer.status == 402
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json == {
        "type": "urn:yarrow:problem:points",
        "title": "Too few points",
        "status": 402,
        "detail": "run costs 20 points, 3 available",
        "code": "POINTS",
        "params": {"needed": 20, "available": 3},
        "instance": "/fail",
    }


def test_subclass_has_its_parents_fault() -> None:
    assert find_wire_error(WrongCredentials(), FAULTS).code == "AUTH_REQUIRED"


def test_unmapped_error_is_raised_again() -> None:
    with pytest.raises(Forbidden):
        find_wire_error(Forbidden(), FAULTS)


async def test_problem_has_no_nulls() -> None:
    answer = await call(app_raising(InvalidInput("no")), "/fail")

    assert "params" not in answer.json
    assert None not in answer.json.values()


async def test_fault_detail_replaces_the_error_message() -> None:
    answer = await call(app_raising(ModelRateLimited(3)), "/fail")

    assert (answer.json["detail"], answer.status) == ("try later", 502)


@pytest.mark.parametrize(
    ("error", "status", "expected"),
    [
        (Unauthenticated(), 401, {"WWW-Authenticate": "Bearer"}),
        (DatabaseUnavailable(), 503, {"Retry-After": "1"}),
        (ModelRateLimited(12.4), 429, {"Retry-After": "12"}),
        (ModelRateLimited(), 429, {"Retry-After": "1"}),
        (Forbidden(), 403, {}),
    ],
)
def test_status_brings_its_header(
    error: YarrowError, status: int, expected: dict[str, str]
) -> None:
    assert build_headers(error, status) == expected


@pytest.mark.parametrize(
    ("body", "detail", "field"),
    [
        (b"{}", "name: field required", "name"),
        (b'{"name": 1}', "name: input should be a valid string", "name"),
        (b'{"name": "a", "x": "private"}', "x: unknown field", "x"),
        (b'{"name": "abcd"}', "name must have at most 3 characters", "name"),
        (
            b'{"name": "a", "inner": {"k": "private"}}',
            "inner.k: input should be a valid integer",
            "inner.k",
        ),
        (b"[]", "body: must be a JSON object", None),
    ],
)
async def test_first_validation_error_never_repeats_the_input(
    body: bytes, detail: str, field: str | None
) -> None:
    answer = await call(app_raising(ValueError()), "/body", method="POST", chunks=[body])

    assert (answer.status, answer.json["detail"]) == (422, detail)
    assert answer.json.get("params", {}).get("field") == field
    assert b"private" not in answer.body


async def test_wrong_query_is_a_problem_too() -> None:
    answer = await call(app_raising(ValueError()), "/page?limit=0")

    assert answer.status == 422
    assert answer.json["detail"] == "limit: input should be greater than or equal to 1"


async def test_each_router_renders_errors_in_its_own_format() -> None:
    def envelope(request: Request, error: YarrowError) -> Response:
        return Response(str(error), 200)

    app = FastAPI()
    routes = APIRouter(route_class=make_route_class(envelope))

    @routes.get("/other")
    async def fail() -> None:
        raise Forbidden

    app.include_router(routes)

    answer = await call(app, "/other")

    assert (answer.status, answer.body) == (200, b"this belongs to another account")


def test_openapi_names_the_codes_of_a_status() -> None:
    responses = build_problem_responses([WireError(409, "A", "One"), WireError(409, "B", "Two")])

    assert responses[409]["description"] == "One (`A`); Two (`B`)"
    assert "application/problem+json" in responses[409]["content"]
