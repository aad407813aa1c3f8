"""`/api/sources`: add, list, test, refresh and delete sources; search and query them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from yarrow.http.auth import CurrentAccount
from yarrow.http.client_connection import run_while_connected
from yarrow.http.openapi import describe_body
from yarrow.http.route_classes import make_route_class
from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.threads import run_in_thread_if_large
from yarrow.protocols.ndjson.error_responses import render_strictly
from yarrow.protocols.ndjson.openapi import describe_strict_answers
from yarrow.protocols.ndjson.requests import read_json_body, read_workspace
from yarrow.protocols.ndjson.sources import encode
from yarrow.protocols.ndjson.sources.wire import NewSourceBody, QueryBody, TestSourceBody
from yarrow.protocols.ndjson.success_responses import build_success
from yarrow.sources.errors import SourceUnavailable
from yarrow.sources.model import StoredSource
from yarrow.sources.sources import Sources

MAX_FOUND = 1000
MAX_OFFSET = 100_000
SEARCH = "Words that must all occur in a table's name, comment or columns"

SourceName = Annotated[str, Path(min_length=1, max_length=64)]


def make_source_router(sources: Sources) -> APIRouter:
    """The sources of the account; tables are loaded into the workspace of `X-Workspace-Id`."""
    router = APIRouter(
        prefix="/api/sources",
        tags=["sources"],
        route_class=make_route_class(render_strictly),
        default_response_class=Response,
        responses=describe_strict_answers(),
    )
    _add_change(router, sources)
    _add_read(router, sources)
    _add_use(router, sources)
    return router


def _add_change(router: APIRouter, sources: Sources) -> None:
    def encode_one(source: StoredSource) -> JsonObject:
        return encode.encode_source(source, now=sources.clock())

    @router.post(
        "",
        summary="Connect a source",
        openapi_extra=describe_body(NewSourceBody),
        responses=describe_strict_answers(201),
        status_code=201,
    )
    async def add(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_body(NewSourceBody, request)
        source = await sources.add(
            account_id, body.name, body.url.get_secret_value(), password=body.password_text
        )
        data = encode_json({"status": "success", "data": encode_one(source)})
        return Response(data, 201, media_type="application/json")

    @router.post("/{name}/refresh", summary="Fetch the catalogue again")
    async def refresh(name: SourceName, account_id: CurrentAccount) -> Response:
        return build_success(encode_one(await sources.refresh(account_id, name)))

    @router.delete("/{name}", summary="Forget a source; tables loaded from it stay")
    async def delete(name: SourceName, account_id: CurrentAccount) -> Response:
        await sources.delete(account_id, name)
        return build_success({"message": f"Source {name} was deleted"})


def _add_read(router: APIRouter, sources: Sources) -> None:
    @router.get("", summary="The sources of the account")
    async def list_all(account_id: CurrentAccount) -> Response:
        now, stored = sources.clock(), await sources.list(account_id)
        return build_success({"sources": [encode.encode_source(each, now=now) for each in stored]})

    @router.get("/{name}", summary="One source")
    async def read(name: SourceName, account_id: CurrentAccount) -> Response:
        source = await sources.find(account_id, name)
        return build_success(encode.encode_source(source, now=sources.clock()))

    @router.get("/{name}/tables", summary="Search the kept catalogue")
    async def search(
        name: SourceName,
        account_id: CurrentAccount,
        search: Annotated[str, Query(max_length=500, description=SEARCH)] = "",
        limit: Annotated[int, Query(ge=1, le=MAX_FOUND)] = 100,
        offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
    ) -> Response:
        source = await sources.find(account_id, name)
        tables = await sources.search(source, search, limit=limit + 1, offset=offset)
        columns = sum(len(table.columns) for table in tables)
        encoded = await run_in_thread_if_large(
            columns, lambda: [encode.encode_source_table(table) for table in tables[:limit]]
        )
        return build_success(
            {
                "tables": encoded,
                "has_more": len(tables) > limit,
                "catalogue_at": source.catalogue_at.isoformat() if source.catalogue_at else None,
            }
        )


def _add_use(router: APIRouter, sources: Sources) -> None:
    @router.post(
        "/test",
        summary="Log in at an address without storing it",
        openapi_extra=describe_body(TestSourceBody),
    )
    async def test(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_body(TestSourceBody, request)
        url = body.url.get_secret_value()
        return build_success(
            encode.encode_state(await sources.test(account_id, url, body.password_text))
        )

    @router.post("/{name}/test", summary="Log in at a source")
    async def test_stored(name: SourceName, account_id: CurrentAccount) -> Response:
        return build_success(encode.encode_state(await sources.test_stored(account_id, name)))

    @router.post(
        "/{name}/query",
        summary="Run one SELECT at the source and store its rows as a table; leaving cancels it",
        openapi_extra=describe_body(QueryBody),
    )
    async def query(name: SourceName, request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_body(QueryBody, request)
        workspace = read_workspace(request, account_id)
        work = sources.query(workspace, name, body.to_query())
        table = await run_while_connected(request, work)
        if table is None:
            raise SourceUnavailable("the client disconnected; nothing was stored")
        return build_success(encode.encode_loaded(table))
