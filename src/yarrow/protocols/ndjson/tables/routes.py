"""`/api/tables/…`: bring tables, look at them, take them away."""

from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import NOT_JSON
from yarrow.http.openapi import describe_body
from yarrow.http.route_classes import make_route_class
from yarrow.protocols.ndjson.errors import render
from yarrow.protocols.ndjson.openapi import answers
from yarrow.protocols.ndjson.requests import read_json_as, read_json_bytes, read_workspace
from yarrow.protocols.ndjson.responses import build_disposition, build_success
from yarrow.protocols.ndjson.tables import encode
from yarrow.protocols.ndjson.tables.form import FORM, file_form
from yarrow.protocols.ndjson.tables.wire import ExportBody, SampleBody, TableNamed
from yarrow.sandbox.model import FileToRead
from yarrow.tables.analyse import analyse
from yarrow.tables.create import create_table, preview_file, sync_table_data
from yarrow.tables.model import Shelf
from yarrow.tables.read import export_csv, get_table, list_tables, sample_table
from yarrow.tables.remove import delete_table, reset_workspace
from yarrow.tables.scratch import empty_scratch
from yarrow.tables.temp_files import one_chunk, spooled

SYNC_BYTES = 100 * 1024 * 1024
MAX_PAGE_NUMBER = 2**40

_CSV_TYPES = {",": "text/csv; charset=utf-8", "\t": "text/tab-separated-values; charset=utf-8"}
_ENDINGS = {",": "csv", "\t": "tsv"}


def table_routes(shelf: Shelf) -> APIRouter:
    """The tables of the caller's workspace, which the header `X-Workspace-Id` names."""
    router = APIRouter(
        prefix="/api/tables",
        tags=["tables"],
        route_class=make_route_class(render),
        default_response_class=Response,
        responses=answers(),
    )
    _add_bringing(router, shelf)
    _add_reading(router, shelf)
    _add_export(router, shelf)
    _add_removing(router, shelf)
    return router


def _add_bringing(router: APIRouter, shelf: Shelf) -> None:
    @router.post("/create-table", summary="A file becomes a table", openapi_extra=FORM)
    async def create(request: Request, account_id: CurrentAccount) -> Response:
        workspace = read_workspace(request, account_id)
        async with file_form(request, shelf) as form:
            made = await create_table(
                shelf, workspace, form.as_file(), replace_source=form.replace_source
            )
        return build_success(encode.created(made))

    @router.post("/parse-file", summary="What a file holds, sheet by sheet", openapi_extra=FORM)
    async def parse(request: Request, _account_id: CurrentAccount) -> Response:
        async with file_form(request, shelf) as form:
            sheets = await preview_file(shelf, form.as_file())
        return build_success({"sheets": [encode.sheet(sheet) for sheet in sheets]})

    @router.post(
        "/sync-table-data", summary="New rows for a table", openapi_extra=describe_body(TableNamed)
    )
    async def sync(request: Request, account_id: CurrentAccount) -> Response:
        workspace = read_workspace(request, account_id)
        name, rows = _named_rows(await read_json_bytes(request, limit=SYNC_BYTES))
        async with spooled(shelf, one_chunk(rows)) as path:
            file = FileToRead(path, f"{name}.json", name)
            made = await sync_table_data(shelf, workspace, name, file=file)
        return build_success(encode.created(made))


class _Sync(msgspec.Struct):
    table_name: str
    rows: msgspec.Raw


_sync = msgspec.json.Decoder(_Sync)


def _named_rows(body: bytes) -> tuple[str, bytes]:
    """The table's name and its rows, still as text: rows are read in the sandbox only."""
    try:
        given = _sync.decode(body)
    except msgspec.ValidationError:
        raise InvalidInput("the body must have table_name and rows", field="rows") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidInput(NOT_JSON) from None
    rows = bytes(given.rows)
    if not rows.lstrip().startswith(b"["):
        raise InvalidInput("rows must be an array of objects", field="rows")
    return given.table_name, rows


def _add_reading(router: APIRouter, shelf: Shelf) -> None:
    @router.get("/list-tables", summary="The tables of the workspace")
    async def list_all(request: Request, account_id: CurrentAccount) -> Response:
        tables = await list_tables(shelf, read_workspace(request, account_id))
        return build_success({"tables": [encode.listed(table) for table in tables]})

    @router.get("/get-table", summary="A page of a table")
    async def get(
        request: Request,
        account_id: CurrentAccount,
        table_name: Annotated[str, Query(min_length=1)],
        page: Annotated[int, Query(ge=1, le=MAX_PAGE_NUMBER)] = 1,
        page_size: Annotated[int, Query(ge=1)] = 100,
    ) -> Response:
        workspace = read_workspace(request, account_id)
        table, rows = await get_table(shelf, workspace, table_name, page=page, page_size=page_size)
        return build_success(encode.paged(table, rows, page=page, page_size=page_size))

    @router.post("/sample-table", summary="Some rows", openapi_extra=describe_body(SampleBody))
    async def sample(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_as(SampleBody, request)
        workspace = read_workspace(request, account_id)
        found = await sample_table(shelf, workspace, body.table, request=body.as_request())
        return build_success({"rows": found.rows, "total_row_count": found.total_row_count})

    @router.post("/analyze", summary="Numbers of columns", openapi_extra=describe_body(TableNamed))
    async def numbers(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_as(TableNamed, request)
        found = await analyse(shelf, read_workspace(request, account_id), body.table_name)
        notes = {"notes": list(found.notes)} if found.notes else {}
        return build_success({"statistics": list(found.columns), **notes})


def _add_export(router: APIRouter, shelf: Shelf) -> None:
    @router.post(
        "/export-table-csv",
        summary="A table as a file",
        openapi_extra=describe_body(ExportBody),
        responses=answers("text/csv", "text/tab-separated-values"),
    )
    async def export(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_as(ExportBody, request)
        workspace = read_workspace(request, account_id)
        table, chunks = await export_csv(shelf, workspace, body.table_name, delimiter=body.mark)
        filename = f"{table.name}.{_ENDINGS[body.mark]}"
        return StreamingResponse(
            await _begun(chunks),
            media_type=_CSV_TYPES[body.mark],
            headers={"Content-Disposition": build_disposition(filename)},
        )


async def _begun(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes, the first of which are there: what fails at once is an error, not a file."""
    first = [await anext(chunks, b""), await anext(chunks, b"")]

    async def whole() -> AsyncIterator[bytes]:
        for chunk in first:
            yield chunk
        async for chunk in chunks:
            yield chunk

    return whole()


def _add_removing(router: APIRouter, shelf: Shelf) -> None:
    @router.post("/delete-table", summary="A table goes", openapi_extra=describe_body(TableNamed))
    async def delete(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_as(TableNamed, request)
        await delete_table(shelf, read_workspace(request, account_id), body.table_name)
        return build_success({"message": f"Table {body.table_name} was deleted"})

    @router.post("/reset-db-file", summary="All tables and scratch files of the workspace go")
    async def reset(request: Request, account_id: CurrentAccount) -> Response:
        workspace = read_workspace(request, account_id)
        count = await reset_workspace(shelf, workspace)
        empty_scratch(shelf, workspace)
        return build_success({"message": f"{count} tables were deleted"})
