"""`/api/tables/…`: create, read, export and delete tables."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from yarrow.http.auth import CurrentAccount
from yarrow.http.openapi import describe_body
from yarrow.http.route_classes import make_route_class
from yarrow.protocols.ndjson.error_responses import render_envelope
from yarrow.protocols.ndjson.openapi import describe_answers
from yarrow.protocols.ndjson.requests import read_json_body, read_workspace
from yarrow.protocols.ndjson.success_responses import build_disposition, build_success
from yarrow.protocols.ndjson.tables import encode
from yarrow.protocols.ndjson.tables.form import FORM, read_file_form
from yarrow.protocols.ndjson.tables.sync_body import SyncReader
from yarrow.protocols.ndjson.tables.wire import (
    ExportTableBody,
    SampleBody,
    SyncTableBody,
    TableNameBody,
)
from yarrow.sandbox.model import FileToRead
from yarrow.sandbox.table_notes import encode_notes
from yarrow.tables.column_statistics import compute_statistics
from yarrow.tables.create import create_table, preview_file, sync_table_data
from yarrow.tables.model import Tables
from yarrow.tables.read import export_csv, find_table, get_table, list_tables, sample_table
from yarrow.tables.remove import delete_table, reset_workspace
from yarrow.tables.scratch import empty_scratch

MAX_LISTED = 1_000
AFTER_TABLE = "The last table already read: the list begins behind it"
MAX_PAGE_NUMBER = 2**40

_CSV_TYPES = {",": "text/csv; charset=utf-8", "\t": "text/tab-separated-values; charset=utf-8"}
_ENDINGS = {",": "csv", "\t": "tsv"}


def make_table_router(tables: Tables) -> APIRouter:
    """Tables of the workspace that the header `X-Workspace-Id` names."""
    router = APIRouter(
        prefix="/api/tables",
        tags=["tables"],
        route_class=make_route_class(render_envelope),
        default_response_class=Response,
        responses=describe_answers(),
    )
    _add_create(router, tables)
    _add_read(router, tables)
    _add_export(router, tables)
    _add_delete(router, tables)
    return router


def _add_create(router: APIRouter, tables: Tables) -> None:
    sync_reader = SyncReader(tables)

    @router.post("/create-table", summary="A file becomes a table", openapi_extra=FORM)
    async def create(request: Request, account_id: CurrentAccount) -> Response:
        workspace = read_workspace(request, account_id)
        async with read_file_form(request, tables) as form:
            result = await create_table(
                tables, workspace, form.to_file(), replace_source=form.replace_source
            )
        return build_success(encode.encode_created(result))

    @router.post("/parse-file", summary="What a file holds, sheet by sheet", openapi_extra=FORM)
    async def parse(request: Request, _account_id: CurrentAccount) -> Response:
        async with read_file_form(request, tables) as form:
            sheets = await preview_file(tables, form.to_file())
        return build_success({"sheets": [encode.encode_table_sheet(sheet) for sheet in sheets]})

    @router.post(
        "/sync-table-data",
        summary="New rows for a table",
        openapi_extra=describe_body(SyncTableBody),
    )
    async def sync(request: Request, account_id: CurrentAccount) -> Response:
        workspace = read_workspace(request, account_id)
        check_table = partial(find_table, tables, workspace)
        async with sync_reader.read(request, account_id, check_table) as body:
            name = body.table_name
            file = FileToRead(body.path, f"{name}.json", name)
            result = await sync_table_data(tables, workspace, name, file=file)
        return build_success(encode.encode_created(result))


def _add_read(router: APIRouter, tables: Tables) -> None:
    @router.get("/list-tables", summary="The tables of the workspace")
    async def list_all(
        request: Request,
        account_id: CurrentAccount,
        limit: Annotated[int | None, Query(ge=1, le=MAX_LISTED)] = None,
        after: Annotated[str | None, Query(min_length=1, description=AFTER_TABLE)] = None,
    ) -> Response:
        workspace = read_workspace(request, account_id)
        stored = await list_tables(tables, workspace, limit=limit, after=after)
        return build_success({"tables": [encode.encode_table(table) for table in stored]})

    @router.get("/get-table", summary="A page of a table")
    async def get(
        request: Request,
        account_id: CurrentAccount,
        table_name: Annotated[str, Query(min_length=1)],
        page: Annotated[int, Query(ge=1, le=MAX_PAGE_NUMBER)] = 1,
        page_size: Annotated[int, Query(ge=1)] = 100,
    ) -> Response:
        workspace = read_workspace(request, account_id)
        table, rows = await get_table(tables, workspace, table_name, page=page, page_size=page_size)
        return build_success(encode.encode_page(table, rows, page=page, page_size=page_size))

    @router.post("/sample-table", summary="Some rows", openapi_extra=describe_body(SampleBody))
    async def sample(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_body(SampleBody, request)
        workspace = read_workspace(request, account_id)
        sample = await sample_table(tables, workspace, body.table, request=body.to_request())
        return build_success({"rows": sample.rows, "total_row_count": sample.total_row_count})

    @router.post(
        "/analyze", summary="Numbers of columns", openapi_extra=describe_body(TableNameBody)
    )
    async def show_statistics(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_body(TableNameBody, request)
        statistics = await compute_statistics(
            tables, read_workspace(request, account_id), body.table_name
        )
        notes = encode_notes(statistics.notes)
        return build_success({"statistics": list(statistics.columns), **notes})


def _add_export(router: APIRouter, tables: Tables) -> None:
    @router.post(
        "/export-table-csv",
        summary="A table as a file",
        openapi_extra=describe_body(ExportTableBody),
        responses=describe_answers("text/csv", "text/tab-separated-values"),
    )
    async def export(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_body(ExportTableBody, request)
        workspace = read_workspace(request, account_id)
        table, chunks = await export_csv(
            tables, workspace, body.table_name, delimiter=body.delimiter_text
        )
        filename = f"{table.name}.{_ENDINGS[body.delimiter_text]}"
        return StreamingResponse(
            await _await_first_chunk(chunks),
            media_type=_CSV_TYPES[body.delimiter_text],
            headers={"Content-Disposition": build_disposition(filename)},
        )


async def _await_first_chunk(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Wait for the first chunk, so that an immediate failure becomes an error, not a file."""
    first = await anext(chunks, b"")

    async def replay() -> AsyncIterator[bytes]:
        yield first
        async for chunk in chunks:
            yield chunk

    return replay()


def _add_delete(router: APIRouter, tables: Tables) -> None:
    @router.post(
        "/delete-table", summary="A table goes", openapi_extra=describe_body(TableNameBody)
    )
    async def delete(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_body(TableNameBody, request)
        await delete_table(tables, read_workspace(request, account_id), body.table_name)
        return build_success({"message": f"Table {body.table_name} was deleted"})

    @router.post("/reset-db-file", summary="All tables and scratch files of the workspace go")
    async def reset(request: Request, account_id: CurrentAccount) -> Response:
        workspace = read_workspace(request, account_id)
        count = await reset_workspace(tables, workspace)
        empty_scratch(tables, workspace)
        return build_success({"message": f"{count} tables were deleted"})
