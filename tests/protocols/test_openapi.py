"""The OpenAPI document names every route, its success and its errors.

That responses are what it promises: test_odd_values.py, and `make fuzz`.
"""

import re
from collections.abc import AsyncIterator, Iterator

import pytest
from benchmarks.growth_reads import READS
from fastapi.routing import APIRoute
from msgspec.structs import replace
from prometheus_client import CollectorRegistry
from tests.loose_json import JsonObject
from tests.serving import Caller, Served, serving

from yarrow.app import build_app
from yarrow.llm.scripted import ScriptedModel

PROBLEM = "application/problem+json"
WITHOUT_TOKEN = ("/auth/", "/files/", "/api/v1/configuration")
"""One gets a token there; the addresses of files are signed; clients read the last before both."""
METHODS = ("get", "post", "put", "patch", "delete")
ASSET_KINDS = re.compile(r"(?<=/)(presets?|worldbooks?|regex(-profiles)?|users|characters?)\b")
"""The same code reads assets of all kinds."""
NOT_MEASURED = {
    # Files, by their links.
    "/api/v1/files/agent-inputs/*/*",
    "/api/agent/workspace/scratch/*",
    "/asset/*/picture",
    # What a data source has, which needs one.
    "/api/sources/*",
    "/api/sources/*/tables",
    # One thing by its id, or two of one story.
    "/asset/*/entries",
    "/llm-profiles/*",
    "/llm-instances/*",
    "/sessions/*/branches/diff",
}


@pytest.fixture(scope="module")
async def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("openapi")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder) as served:
        yield served


@pytest.fixture(scope="module")
async def caller(served: Served) -> Caller:
    return await served.account(points=100_000)


@pytest.fixture(scope="module")
async def page(caller: Caller) -> JsonObject:
    return (await caller.get("/openapi.json"))[1]


def operations(page: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    for path, item in page["paths"].items():
        yield from ((f"{m.upper()} {path}", item[m]) for m in METHODS if m in item)


def test_every_route_of_the_api_is_documented(served: Served, page: JsonObject) -> None:
    app = build_app(replace(served.product, registry=CollectorRegistry()))
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    api = [r for r in routes if r.include_in_schema or r.path.startswith(("/api", "/healthz"))]

    served_here = {f"{m} {route.path_format}" for route in api for m in route.methods or ()}

    assert served_here == {name for name, _ in operations(page)}
    assert len(served_here) > 80


def test_every_operation_has_a_summary_a_tag_and_a_success(page: JsonObject) -> None:
    for name, operation in operations(page):
        assert operation["summary"], name
        assert operation["tags"], name
        assert any(status.startswith("2") for status in operation["responses"]), name


def test_every_error_is_a_problem_with_a_code(page: JsonObject) -> None:
    for name, operation in operations(page):
        if not name.split()[1].startswith("/api/v1") or name.endswith("/configuration"):
            continue  # the configuration is read from no database
        errors = {s: r for s, r in operation["responses"].items() if s.startswith(("4", "5"))}
        takes_input = "parameters" in operation or "requestBody" in operation
        assert errors.keys() >= ({"422", "503"} if takes_input else {"503"}), name
        for status, response in errors.items():
            assert list(response["content"]) == [PROBLEM], (name, status)
            assert "code" in response["content"][PROBLEM]["schema"]["required"]


def test_routes_that_need_a_token_document_it(page: JsonObject) -> None:
    for name, operation in operations(page):
        needs_one = not any(part in name for part in WITHOUT_TOKEN)
        if name.split()[1].startswith("/api/v1") and needs_one:
            assert operation["security"] == [{"bearer": []}], name
            assert "401" in operation["responses"], name


def name_read(path: str) -> str:
    """A path without its query, ids and kind of asset."""
    return re.sub(r"\{\w+\}", "*", ASSET_KINDS.sub("asset", path.partition("?")[0]))


def test_every_read_is_in_the_benchmark_of_growth(page: JsonObject) -> None:
    paths = [read if isinstance(read, str) else read[0] for read in READS.values()]
    reads = {name_read(name.split()[1]) for name, _ in operations(page) if name.startswith("GET")}

    assert reads - set(map(name_read, paths)) == NOT_MEASURED
