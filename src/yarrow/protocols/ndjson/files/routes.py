"""Scratch files of a workspace: what a conversation about loading data brings and makes."""

from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from yarrow.http.auth import CurrentAccount
from yarrow.http.problem import routes_with
from yarrow.protocols.ndjson.bodies import success
from yarrow.protocols.ndjson.errors import render
from yarrow.protocols.ndjson.openapi import answers
from yarrow.protocols.ndjson.streams.intake import WORKSPACE_QUERY, workspace_of
from yarrow.protocols.ndjson.tables.encode import as_download
from yarrow.protocols.ndjson.tables.form import FORM, file_form
from yarrow.tables.errors import ScratchFull
from yarrow.tables.model import DEFAULT_WORKSPACE, Shelf, Workspace
from yarrow.tables.scratch import find_scratch, keep_upload

SCRATCH = "/api/agent/workspace/scratch"

_SHOWN_TYPES = {
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
"""Files that a browser may get by their own type; no other can be a page with scripts."""


def scratch_routes(shelf: Shelf) -> APIRouter:
    """Upload a file, and get one back."""
    router = APIRouter(
        prefix=SCRATCH,
        tags=["tables"],
        route_class=routes_with(render),
        default_response_class=Response,
        responses=answers(),
    )

    @router.post("/upload", summary="Bring a scratch file", openapi_extra=FORM)
    async def upload(request: Request, account_id: CurrentAccount) -> Response:
        workspace = Workspace(account_id, workspace_of(request))
        async with file_form(request, shelf) as form:
            if form.spool.path.stat().st_size > shelf.scratch_bytes:
                raise ScratchFull(shelf.scratch_bytes)
            kept = await keep_upload(shelf, workspace, form.named, source=form.spool.path)
        return success({"path": kept.shown, "url": _address(kept.name, workspace)})

    @router.get("/{name:path}", summary="A scratch file", responses=answers("*/*"))
    async def download(request: Request, account_id: CurrentAccount, name: str) -> Response:
        workspace = Workspace(account_id, workspace_of(request))
        found = find_scratch(shelf, workspace, name)
        return FileResponse(
            found.path,
            media_type=_SHOWN_TYPES.get(found.path.suffix.lower(), "application/octet-stream"),
            headers={
                "Cache-Control": "private, no-cache",
                "Content-Disposition": as_download(found.name),
                "Content-Security-Policy": "default-src 'none'; sandbox",
                "X-Content-Type-Options": "nosniff",
            },
        )

    return router


def _address(name: str, workspace: Workspace) -> str:
    """Where the file is; the workspace is in it, because a browser sends no header of ours."""
    query = f"?{WORKSPACE_QUERY}={quote(workspace.name, safe='')}"
    return f"{SCRATCH}/{quote(name)}" + ("" if workspace.name == DEFAULT_WORKSPACE else query)
