"""Uploading pictures, signing their URLs, and serving the files behind signed URLs."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from yarrow.attachments.errors import AttachmentTooLarge
from yarrow.attachments.model import BUCKET, ImageType
from yarrow.attachments.paths import parse_type
from yarrow.attachments.signed_urls import FILES, require_signable
from yarrow.attachments.upload import MAX_BYTES, AttachmentUpload
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.multipart import FormPart, read_parts
from yarrow.ids import AttachmentId
from yarrow.kit.json import JsonObject
from yarrow.protocols.agui.attachments.urls import AttachmentUrlBuilder
from yarrow.protocols.agui.attachments.wire import (
    SignedUrlResponse,
    UploadedAttachment,
    UploadResponse,
)
from yarrow.protocols.agui.openapi import PREFIX, describe_form, make_router
from yarrow.protocols.agui.runs.intake import parse_thread_id
from yarrow.runs.engine import Engine

FORM_BYTES = MAX_BYTES + 64 * 1024
"""The largest file, and room for the form around it."""
THREAD_BYTES = 128

ONCE_RULE = "the form has the fields threadId and file, once each, and no others"


def make_attachment_router(engine: Engine, urls: AttachmentUrlBuilder) -> APIRouter:
    """The seed's two routes, and the one that its signed URLs lead to."""
    router = make_router("attachments")
    _add_upload(router, engine, urls)
    _add_signed_url(router, engine, urls)
    _add_files(router, engine, urls)
    return router


def _add_upload(router: APIRouter, engine: Engine, urls: AttachmentUrlBuilder) -> None:
    @router.post("/agent/attachments", summary="Upload a picture", openapi_extra=_FORM)
    async def upload(request: Request, account_id: CurrentAccount) -> UploadResponse:
        parts = read_parts(request, limit=FORM_BYTES, too_large=AttachmentTooLarge(MAX_BYTES))
        attachment_id = AttachmentId(engine.new_id())
        async with AttachmentUpload(
            engine.database, engine.storage, attachment_id, account_id
        ) as incoming:
            await _read_fields(incoming, parts)
            attachment = await incoming.complete()
        return UploadResponse(
            attachment=UploadedAttachment(
                bucket=BUCKET,
                path=attachment.path,
                mimeType=attachment.mime_type,
                url=urls.for_request(request).sign(attachment.path),
            )
        )


async def _read_fields(upload: AttachmentUpload, parts: AsyncIterator[FormPart]) -> None:
    """Pass both fields on, in whichever order they arrive; each must come once."""
    missing = {"threadId", "file"}
    async for part in parts:
        if part.name not in missing:
            raise InvalidInput(ONCE_RULE, field=part.name)
        missing.remove(part.name)
        match part.name, part.filename:
            case "threadId", None:
                await upload.set_session(parse_thread_id(await part.read_text(limit=THREAD_BYTES)))
            case "file", str(filename):
                await upload.write(filename, part.chunks)
            case name, _:
                kind = "a file" if name == "file" else "text"
                raise InvalidInput(f"{name}: must be sent as {kind}", field=name)
    for name in sorted(missing):
        raise InvalidInput(f"{name}: field required", field=name)


def _add_signed_url(router: APIRouter, engine: Engine, urls: AttachmentUrlBuilder) -> None:
    @router.get("/agent/attachments/signed-url", summary="A fresh address of an attachment")
    async def signed_url(
        request: Request,
        account_id: CurrentAccount,
        bucket: Annotated[str, Query()],
        path: Annotated[str, Query()],
    ) -> SignedUrlResponse:
        await require_signable(engine.database, account_id, bucket=bucket, path=path)
        return SignedUrlResponse(bucket=bucket, path=path, url=urls.for_request(request).sign(path))


def _add_files(router: APIRouter, engine: Engine, urls: AttachmentUrlBuilder) -> None:
    @router.get(
        f"{FILES.removeprefix(PREFIX)}{BUCKET}/{{userId}}/{{filename}}",
        summary="The file behind a signed address",
        response_class=Response,
        responses={200: _PICTURE},
    )
    async def file(
        request: Request,
        userId: Annotated[str, Path()],  # noqa: ARG001, N803
        filename: Annotated[str, Path()],  # noqa: ARG001
        expires: Annotated[str, Query()],  # noqa: ARG001
        signature: Annotated[str, Query()],  # noqa: ARG001
    ) -> Response:
        target = _read_target(request)
        path = urls.signer.verify(target)
        stored = await engine.storage.open(path)
        return StreamingResponse(
            stored.chunks,
            media_type=parse_type(path),
            headers={
                "Content-Length": str(stored.size),
                "Cache-Control": f"private, max-age={urls.signer.seconds_left(target)}, immutable",
                "Content-Disposition": "inline",
                "Content-Security-Policy": "default-src 'none'; sandbox",
                "X-Content-Type-Options": "nosniff",
            },
        )


def _read_target(request: Request) -> str:
    """Path and query byte for byte: the signature covers the URL as it was written."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    query: bytes = request.scope["query_string"]
    return (raw + b"?" + query).decode("latin-1")


_FORM = describe_form(
    {
        "threadId": {"type": "string", "format": "uuid"},
        "file": {"type": "string", "format": "binary"},
    },
    required=["threadId", "file"],
    additionalProperties=False,
)

_PICTURE: JsonObject = {
    "description": "The picture",
    "content": {
        kind.value: {"schema": {"type": "string", "format": "binary"}} for kind in ImageType
    },
}
