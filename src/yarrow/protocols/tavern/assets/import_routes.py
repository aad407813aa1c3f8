"""Importing SillyTavern's files: presets, worldbooks, regex scripts and character cards."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from msgspec import Struct

from yarrow.assets.model import Asset, AssetKind
from yarrow.assets.write import create_asset
from yarrow.errors import InvalidInput, TooLarge
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import (
    make_json_reader,
    parse_body,
    read_body,
    read_declared_json,
    read_media_type,
)
from yarrow.http.multipart import FormPart, read_parts
from yarrow.http.openapi import OpenApiPart, build_body_schema, describe_body
from yarrow.kit.json import JsonObject
from yarrow.prompting.errors import FileRefused
from yarrow.prompting.file_faults import FileFault
from yarrow.prompting.formats.png import PNG_BYTES, SIGNATURE, read_png_card
from yarrow.protocols.tavern.assets.encode import encode_asset
from yarrow.protocols.tavern.assets.picture_routes import (
    FORM_BYTES,
    FORM_TYPE,
    PNG_TYPE,
    TOO_LARGE,
)
from yarrow.protocols.tavern.assets.resources import (
    CHARACTERS,
    PRESETS,
    REGEX_PROFILES,
    WORLDBOOKS,
    AssetResource,
)
from yarrow.protocols.tavern.assets.routes import BODY_BYTES
from yarrow.protocols.tavern.assets.wire import (
    TITLE_CHARS,
    AssetBody,
    CharacterImport,
    RegexImport,
)
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import (
    ASSET_SCHEMA,
    OBJECT_SCHEMA,
    describe_data,
    make_library_router,
)
from yarrow.protocols.tavern.sessions.encode import encode_session
from yarrow.runs.engine import Engine
from yarrow.stories.create import create_story
from yarrow.stories.model import StoryPatch

FIELD_BYTES = TITLE_CHARS * 4

_WRITES = (InvalidInput, TooLarge)
_FLAGS = {"true": True, "false": False}


class CardUpload(Struct, frozen=True):
    """A character card with its options, from whichever form of the request."""

    content: JsonObject
    picture: bytes | None = None
    create_session: bool = False
    title: str | None = None


def make_import_router(engine: Engine) -> APIRouter:
    router = make_library_router("/import")
    for resource, body in (
        (PRESETS, AssetBody),
        (WORLDBOOKS, AssetBody),
        (REGEX_PROFILES, RegexImport),
    ):
        _add_import(router, engine, resource, body=body)
    _add_character(router, engine)
    return router


def _add_import(
    router: APIRouter,
    engine: Engine,
    resource: AssetResource,
    *,
    body: type[AssetBody] | type[RegexImport],
) -> None:
    @router.post(
        f"/{resource.word}",
        status_code=201,
        summary=f"Import a {resource.word} file",
        openapi_extra=describe_body(body),
        responses=describe_data(ASSET_SCHEMA, _WRITES, status=201),
    )
    async def take(
        account_id: CurrentAccount,
        sent: Annotated[AssetBody | RegexImport, Depends(make_json_reader(body, limit=BODY_BYTES))],
    ) -> Response:
        content = resource.to_content(sent.data)
        asset = await create_asset(
            engine.database, account_id, resource.kind, content=content, name=sent.name
        )
        return build_data(encode_asset(asset), status=201)


def _add_character(router: APIRouter, engine: Engine) -> None:
    @router.post(
        f"/{CHARACTERS.word}",
        status_code=201,
        summary="Import a character card: JSON, a PNG, or a form with either",
        openapi_extra=_CHARACTER_BODY,
        responses=describe_data(OBJECT_SCHEMA, _WRITES, status=201),
    )
    async def take(request: Request, account_id: CurrentAccount) -> Response:
        upload = await _read_card(request)
        asset = await create_asset(
            engine.database,
            account_id,
            CHARACTERS.kind,
            content=upload.content,
            picture=upload.picture,
        )
        answer = _encode_character(asset) | {"create_session": upload.create_session}
        if upload.create_session:
            patch = StoryPatch(title=upload.title, assets={AssetKind.CHARACTER: asset.id})
            story = await create_story(engine.database, account_id, patch, now=engine.clock())
            answer["session"] = encode_session(story)
        return build_data(answer, status=201)


def _encode_character(asset: Asset) -> JsonObject:
    return {
        "character_id": str(asset.id),
        "character_version_id": str(asset.version_id),
        "name": asset.name,
        "version": asset.version,
    }


async def _read_card(request: Request) -> CardUpload:
    """The card of a request: a PNG, a form with a file, or JSON."""
    declared = read_media_type(request)
    if declared == PNG_TYPE:
        file = await read_body(request, limit=PNG_BYTES, rule=TOO_LARGE)
        if not file.startswith(SIGNATURE):
            raise FileRefused(FileFault.NOT_A_PNG, field="file")
        return await _parse_card_file(file)
    if declared == FORM_TYPE:
        return await _read_card_form(request)
    body = await read_declared_json(CharacterImport, request, limit=BODY_BYTES)
    return CardUpload(body.payload, create_session=body.create_session, title=body.title)


async def _parse_card_file(file: bytes) -> CardUpload:
    """The format is detected by the first bytes, not by the declared type."""
    if file.startswith(SIGNATURE):
        card = await asyncio.to_thread(read_png_card, file)
        return CardUpload(card.content, card.picture)
    content = await parse_body(file)
    if not isinstance(content, dict):
        raise InvalidInput("file: must be a card, as a PNG or as a JSON object", field="file")
    return CardUpload(content)


async def _read_card_form(request: Request) -> CardUpload:
    too_large = TooLarge(TOO_LARGE, limit=PNG_BYTES)
    parts = read_parts(request, limit=FORM_BYTES, too_large=too_large)
    file: bytes | None = None
    fields: dict[str, str] = {}
    async for part in parts:
        if part.name in fields or (part.name == "file" and file is not None):
            raise InvalidInput(f"{part.name}: at most once", field=part.name)
        if part.name == "file":
            file = await part.read(limit=PNG_BYTES, too_large=too_large)
        else:
            fields[part.name] = await _read_field(part)
    if file is None:
        raise InvalidInput("file: field required", field="file")
    card = await _parse_card_file(file)
    create, title = _parse_flag(fields.get("create_session", "false")), fields.get("title")
    if title is not None and (len(title) > TITLE_CHARS or "\0" in title):
        raise InvalidInput(f"title: at most {TITLE_CHARS} characters", field="title")
    return CardUpload(card.content, card.picture, create, title)


async def _read_field(part: FormPart) -> str:
    if part.name not in {"create_session", "title"}:
        raise InvalidInput(f"{part.name}: unknown field", field=part.name)
    return await part.read_text(limit=FIELD_BYTES)


def _parse_flag(text: str) -> bool:
    if text not in _FLAGS:
        raise InvalidInput("create_session: must be true or false", field="create_session")
    return _FLAGS[text]


_CHARACTER_BODY: OpenApiPart = {
    "requestBody": {
        "required": True,
        "content": build_body_schema(CharacterImport)["requestBody"]["content"]
        | {
            PNG_TYPE: {"schema": {"type": "string", "format": "binary"}},
            FORM_TYPE: {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "additionalProperties": False,
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "create_session": {"type": "string", "enum": ["true", "false"]},
                        "title": {"type": "string", "maxLength": TITLE_CHARS},
                    },
                }
            },
        },
    }
}
