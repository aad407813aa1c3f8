"""The picture of a character: show, replace and delete it."""

import asyncio

from fastapi import APIRouter, Request, Response

from yarrow.assets.errors import AssetNotFound
from yarrow.assets.model import AssetKind
from yarrow.assets.read import read_picture
from yarrow.assets.write import delete_picture, replace_picture
from yarrow.errors import InvalidInput, TooLarge
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import read_body, read_media_type
from yarrow.http.multipart import read_parts
from yarrow.http.openapi import OpenApiPart
from yarrow.kit.json import JsonObject
from yarrow.prompting.formats.png import PNG_BYTES, strip_texts
from yarrow.protocols.tavern.assets.resources import CHARACTERS
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import (
    OBJECT_SCHEMA,
    READ_ERRORS,
    describe_data,
    describe_errors,
)
from yarrow.protocols.tavern.parameters import AssetIdPath
from yarrow.runs.engine import Engine

PNG_TYPE = "image/png"
FORM_TYPE = "multipart/form-data"
FORM_BYTES = PNG_BYTES + 64 * 1024
TOO_LARGE = f"a picture may have at most {PNG_BYTES} bytes"
PATH = f"/{CHARACTERS.path}/{{asset_id}}/picture"

_WRITES = (*READ_ERRORS, TooLarge)
_NO_PICTURE: OpenApiPart = {"description": "The character has none, and `optional` was asked for"}


def add_picture_routes(router: APIRouter, engine: Engine) -> None:
    @router.get(
        PATH,
        summary="Show a character's picture",
        response_class=Response,
        responses={200: _PICTURE, 204: _NO_PICTURE, **describe_errors(READ_ERRORS)},
    )
    async def show(
        account_id: CurrentAccount, asset_id: AssetIdPath, *, optional: bool = False
    ) -> Response:
        png = await read_picture(engine.database, CHARACTERS.ref(account_id, asset_id))
        if png is None and optional:
            return Response(status_code=204)
        if png is None:
            raise AssetNotFound(f"picture of {AssetKind.CHARACTER} {asset_id}")
        headers = {
            "Cache-Control": "private, no-cache",
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "X-Content-Type-Options": "nosniff",
        }
        return Response(png, headers=headers, media_type=PNG_TYPE)

    @router.put(
        PATH,
        summary="Replace a character's picture",
        openapi_extra=_PICTURE_BODY,
        responses=describe_data(OBJECT_SCHEMA, _WRITES),
    )
    async def replace(
        request: Request, account_id: CurrentAccount, asset_id: AssetIdPath
    ) -> Response:
        png = await asyncio.to_thread(strip_texts, await _read_png(request))
        asset = await replace_picture(engine.database, CHARACTERS.ref(account_id, asset_id), png)
        return build_data({"character_id": str(asset.id), "picture_bytes": len(png)})

    @router.delete(
        PATH,
        summary="Delete a character's picture",
        responses=describe_data(OBJECT_SCHEMA, READ_ERRORS),
    )
    async def delete(account_id: CurrentAccount, asset_id: AssetIdPath) -> Response:
        asset = await delete_picture(engine.database, CHARACTERS.ref(account_id, asset_id))
        return build_data({"character_id": str(asset.id), "deleted": True})


async def _read_png(request: Request) -> bytes:
    """The bytes of a PNG, sent as they are or as the file of a form."""
    if read_media_type(request) != FORM_TYPE:
        return await read_body(request, limit=PNG_BYTES, rule=TOO_LARGE)
    too_large = TooLarge(TOO_LARGE, limit=PNG_BYTES)
    file: bytes | None = None
    async for part in read_parts(request, limit=FORM_BYTES, too_large=too_large):
        if part.name != "file" or file is not None:
            raise InvalidInput("send one field: file", field=part.name)
        file = await part.read(limit=PNG_BYTES, too_large=too_large)
    if file is None:
        raise InvalidInput("file: field required", field="file")
    return file


_BINARY: JsonObject = {"schema": {"type": "string", "format": "binary"}}
_PICTURE = {"description": "The picture", "content": {PNG_TYPE: _BINARY}}
_PICTURE_BODY: OpenApiPart = {
    "requestBody": {
        "required": True,
        "content": {
            PNG_TYPE: _BINARY,
            FORM_TYPE: {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "additionalProperties": False,
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            },
        },
    }
}
