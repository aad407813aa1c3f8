"""SillyTavern's files on their way in: presets, worldbooks, regex scripts and character cards."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from yarrow.assets.model import Asset, AssetKind
from yarrow.assets.write import create_asset
from yarrow.clock import Clock
from yarrow.db import Database
from yarrow.errors import InvalidInput, TooLarge
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader, parse_json, read_body, read_json, validate
from yarrow.http.multipart import FormPart, read_parts
from yarrow.http.openapi import build_body_schema, describe_body
from yarrow.http.route_classes import make_route_class
from yarrow.kit.json import JsonObject
from yarrow.prompting.formats.png import PNG_BYTES, SIGNATURE, read_png_card
from yarrow.protocols.tavern.assets.encode import asset_out
from yarrow.protocols.tavern.assets.resources import (
    CHARACTERS,
    PRESETS,
    REGEX_PROFILES,
    WORLDBOOKS,
    Resource,
)
from yarrow.protocols.tavern.assets.routes import BODY_BYTES
from yarrow.protocols.tavern.assets.wire import (
    TITLE_CHARS,
    AssetBody,
    CharacterImport,
    RegexImport,
)
from yarrow.protocols.tavern.envelope import data
from yarrow.protocols.tavern.errors import render
from yarrow.protocols.tavern.openapi import ASSET, OBJECT, answers
from yarrow.protocols.tavern.sessions.encode import session_shape
from yarrow.stories.create import create_story
from yarrow.stories.model import StoryPatch

FORM_BYTES = PNG_BYTES + 64 * 1024
FIELD_BYTES = TITLE_CHARS * 4
PNG_TYPE = "image/png"
FORM_TYPE = "multipart/form-data"
TOO_LARGE = f"a picture may have at most {PNG_BYTES} bytes"

_WRITES = (InvalidInput, TooLarge)
_FLAGS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Arrival:
    """A character card that has come, in whichever way."""

    content: JsonObject
    picture: bytes | None = None
    create_session: bool = False
    title: str | None = None


def import_routes(database: Database, clock: Clock) -> APIRouter:
    routes = APIRouter(prefix="/import", tags=["library"], route_class=make_route_class(render))
    for resource, body in (
        (PRESETS, AssetBody),
        (WORLDBOOKS, AssetBody),
        (REGEX_PROFILES, RegexImport),
    ):
        _add_import(routes, database, resource, body=body)
    _add_character(routes, database, clock)
    return routes


def _add_import(
    routes: APIRouter,
    database: Database,
    resource: Resource,
    *,
    body: type[AssetBody] | type[RegexImport],
) -> None:
    @routes.post(
        f"/{resource.word}",
        status_code=201,
        summary=f"Import a {resource.word} file",
        openapi_extra=describe_body(body),
        responses=answers(ASSET, _WRITES, status=201),
    )
    async def take(
        account_id: CurrentAccount,
        sent: Annotated[AssetBody | RegexImport, Depends(make_body_reader(body, limit=BODY_BYTES))],
    ) -> Response:
        content = resource.to_content(sent.data)
        asset = await create_asset(
            database, account_id, resource.kind, content=content, name=sent.name
        )
        return data(asset_out(asset), status=201)


def _add_character(routes: APIRouter, database: Database, clock: Clock) -> None:
    @routes.post(
        f"/{CHARACTERS.word}",
        status_code=201,
        summary="Import a character card: JSON, a PNG, or a form with either",
        openapi_extra=_CHARACTER_BODY,
        responses=answers(OBJECT, _WRITES, status=201),
    )
    async def take(request: Request, account_id: CurrentAccount) -> Response:
        arrival = await _arrival(request)
        asset = await create_asset(
            database,
            account_id,
            CHARACTERS.kind,
            content=arrival.content,
            picture=arrival.picture,
        )
        answer = _character_out(asset) | {"create_session": arrival.create_session}
        if arrival.create_session:
            patch = StoryPatch(title=arrival.title, assets={AssetKind.CHARACTER: asset.id})
            story = await create_story(database, account_id, patch, now=clock())
            answer["session"] = session_shape(story)
        return data(answer, status=201)


def _character_out(asset: Asset) -> JsonObject:
    return {
        "character_id": str(asset.id),
        "character_version_id": str(asset.version_id),
        "name": asset.name,
        "version": asset.version,
    }


async def _arrival(request: Request) -> Arrival:
    """The card of a request: a picture, a form around a file, or else JSON."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared == PNG_TYPE:
        file = await read_body(request, limit=PNG_BYTES, rule=TOO_LARGE)
        if not file.startswith(SIGNATURE):
            raise InvalidInput("the file is no PNG", field="file")
        return await _opened(file)
    if declared == FORM_TYPE:
        return await _from_form(request)
    body = validate(CharacterImport, await read_json(request, limit=BODY_BYTES))
    return Arrival(body.payload, create_session=body.create_session, title=body.title)


async def _opened(file: bytes) -> Arrival:
    """What a file says it is does not matter, its first bytes do."""
    if file.startswith(SIGNATURE):
        card = await asyncio.to_thread(read_png_card, file)
        return Arrival(card.content, card.picture)
    content = parse_json(file)
    if not isinstance(content, dict):
        raise InvalidInput("file: must be a card, as a PNG or as a JSON object", field="file")
    return Arrival(content)


async def _from_form(request: Request) -> Arrival:
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
            fields[part.name] = await _field(part)
    if file is None:
        raise InvalidInput("file: field required", field="file")
    card = await _opened(file)
    create, title = _flag(fields.get("create_session", "false")), fields.get("title")
    if title is not None and (len(title) > TITLE_CHARS or "\0" in title):
        raise InvalidInput(f"title: at most {TITLE_CHARS} characters", field="title")
    return Arrival(card.content, card.picture, create, title)


async def _field(part: FormPart) -> str:
    if part.name not in {"create_session", "title"}:
        raise InvalidInput(f"{part.name}: unknown field", field=part.name)
    return await part.read_text(limit=FIELD_BYTES)


def _flag(said: str) -> bool:
    if said not in _FLAGS:
        raise InvalidInput("create_session: must be true or false", field="create_session")
    return _FLAGS[said]


_CHARACTER_BODY: JsonObject = {
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
