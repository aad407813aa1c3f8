"""Scratch files of a workspace: uploads for the data loader, and what its programs write."""

from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from yarrow.http.auth import CurrentAccount
from yarrow.http.route_classes import make_route_class, require_usable_query
from yarrow.protocols.ndjson.error_responses import render_envelope
from yarrow.protocols.ndjson.openapi import describe_answers
from yarrow.protocols.ndjson.requests import WORKSPACE_QUERY, read_workspace
from yarrow.protocols.ndjson.success_responses import build_disposition, build_success
from yarrow.protocols.ndjson.tables.form import FORM, read_file_form
from yarrow.tables.errors import ScratchFull
from yarrow.tables.model import DEFAULT_WORKSPACE, Tables, Workspace
from yarrow.tables.scratch import find_scratch, save_upload

SCRATCH = "/api/agent/workspace/scratch"

_SAFE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".csv": "text/csv; charset=utf-8",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
}
"""Served by their own type. All others are octet streams, so that none can run scripts."""


def make_file_router(tables: Tables) -> APIRouter:
    router = APIRouter(
        prefix=SCRATCH,
        tags=["tables"],
        # `find_scratch` denies paths with NUL, as it does all paths that lead out of the folder.
        route_class=make_route_class(render_envelope, check_address=require_usable_query),
        default_response_class=Response,
        responses=describe_answers(),
    )

    @router.post("/upload", summary="Bring a scratch file", openapi_extra=FORM)
    async def upload(request: Request, account_id: CurrentAccount) -> Response:
        workspace = read_workspace(request, account_id)
        async with read_file_form(request, tables) as form:
            if form.spool.path.stat().st_size > tables.scratch_bytes:
                raise ScratchFull(tables.scratch_bytes)
            file = await save_upload(tables, workspace, form.file_name, source=form.spool.path)
        return build_success({"path": file.display_path, "url": _build_url(file.name, workspace)})

    @router.get("/{name:path}", summary="A scratch file", responses=describe_answers("*/*"))
    async def download(request: Request, account_id: CurrentAccount, name: str) -> Response:
        file = find_scratch(tables, read_workspace(request, account_id), name)
        return FileResponse(
            file.path,
            media_type=_SAFE_TYPES.get(file.path.suffix.lower(), "application/octet-stream"),
            headers={
                "Cache-Control": "private, no-cache",
                "Content-Disposition": build_disposition(file.name),
                "Content-Security-Policy": "default-src 'none'; sandbox",
                "X-Content-Type-Options": "nosniff",
            },
        )

    return router


def _build_url(name: str, workspace: Workspace) -> str:
    """The path of a file, with the workspace in its query: a browser sends no header of ours."""
    query = f"?{WORKSPACE_QUERY}={quote(workspace.name, safe='')}"
    return f"{SCRATCH}/{quote(name)}" + ("" if workspace.name == DEFAULT_WORKSPACE else query)
