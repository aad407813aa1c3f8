"""`refresh-derived-data`: run a chart's own program again, over the tables of today."""

import ast
import keyword
import re

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from yarrow.agents.analyst.output_variable import with_output
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import takes
from yarrow.http.problem import routes_with
from yarrow.kit.json import JsonObject
from yarrow.kit.signing import HmacSigner
from yarrow.protocols.ndjson.bodies import read_json_as, success
from yarrow.protocols.ndjson.errors import render
from yarrow.protocols.ndjson.openapi import answers
from yarrow.protocols.ndjson.streams.intake import workspace_of
from yarrow.tables.errors import ProgramRefused
from yarrow.tables.model import Shelf, Workspace
from yarrow.tables.rerun import CodeRun, rerun

BODY_BYTES = 50 * 1024 * 1024
MAX_CODE_BYTES = 256 * 1024
MAX_TABLES = 50

_QUERY = re.compile(r"\s*(--[^\n]*\n\s*)*(select|with|from)\b", re.IGNORECASE)


class InputTable(BaseModel):
    """A table by its name; rows stand in for one that is not kept here."""

    model_config = ConfigDict(extra="ignore")

    name: str = Field(min_length=1, max_length=100, pattern=r"^[^/\\\x00]+$")
    rows: list[JsonObject] | None = None


class RefreshBody(BaseModel):
    """`POST /api/agent/refresh-derived-data`."""

    model_config = ConfigDict(extra="ignore")

    input_tables: list[InputTable] = Field(default_factory=list)
    code: str
    code_signature: str
    output_variable: str = Field(max_length=200)
    output_table_name: str | None = Field(None, max_length=500)
    virtual: bool = False


def derive_routes(shelf: Shelf, signer: HmacSigner) -> APIRouter:
    """Only programs that this server signed are run."""
    router = APIRouter(
        prefix="/api/agent",
        tags=["analyst"],
        route_class=routes_with(render),
        default_response_class=Response,
        responses=answers(),
    )

    @router.post(
        "/refresh-derived-data",
        summary="Run a chart's program again",
        openapi_extra=takes(RefreshBody),
    )
    async def refresh(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_as(RefreshBody, request, limit=BODY_BYTES)
        derivation = _allowed(body, signer)
        workspace = Workspace(account_id, workspace_of(request))
        name = (body.output_table_name or body.output_variable) if body.virtual else None
        derived = await rerun(shelf, workspace, derivation, keep_as=name)
        said: JsonObject = {"row_count": derived.row_count, "rows": derived.rows}
        if derived.table_name is not None:
            kept = {"table_name": derived.table_name, "row_count": derived.row_count}
            said["virtual"] = kept
        return success(said)

    return router


def _allowed(body: RefreshBody, signer: HmacSigner) -> CodeRun:
    """What may be run; raises `ProgramRefused`."""
    if len(body.code.encode("utf-8", "replace")) > MAX_CODE_BYTES:
        raise ProgramRefused(f"code may have at most {MAX_CODE_BYTES} bytes", field="code")
    if len(body.input_tables) > MAX_TABLES:
        raise ProgramRefused(f"at most {MAX_TABLES} input tables", field="input_tables")
    name = body.output_variable
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ProgramRefused("output_variable must be an identifier", field="output_variable")
    if not signer.verify(body.code, body.code_signature):
        raise ProgramRefused("code was not signed by this server", field="code_signature")
    is_query = _is_query(body.code)
    return CodeRun(
        code=body.code if is_query else with_output(body.code, name),
        is_query=is_query,
        output_variable=name,
        tables={table.name: table.rows for table in body.input_tables},
    )


def _is_query(code: str) -> bool:
    """Whether it is SQL: it begins like a query, and is no Python."""
    if _QUERY.match(code) is None:
        return False
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return True
    return False
