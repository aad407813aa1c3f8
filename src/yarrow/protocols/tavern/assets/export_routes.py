"""Assets as the files SillyTavern reads. A file that was imported comes out as it came in."""

import asyncio
from enum import StrEnum

import msgspec
from fastapi import APIRouter, Response

from yarrow.assets.read import read_asset, read_picture
from yarrow.db import Database
from yarrow.http.auth import CurrentAccount
from yarrow.http.route_classes import make_route_class
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.prompting.formats.png import default_picture, write_png_card
from yarrow.protocols.tavern.assets.downloads import download
from yarrow.protocols.tavern.assets.parameters import AssetIdPath, OlderVersion
from yarrow.protocols.tavern.assets.resources import (
    CHARACTERS,
    PRESETS,
    REGEX_PROFILES,
    WORLDBOOKS,
    Resource,
)
from yarrow.protocols.tavern.errors import render
from yarrow.protocols.tavern.openapi import READS, refusals

JSON = "application/json"
PNG = "image/png"


class CardFormat(StrEnum):
    """What a character is exported as."""

    JSON = "json"
    PNG = "png"


def export_routes(database: Database) -> APIRouter:
    """One route for each kind SillyTavern has files of."""
    routes = APIRouter(prefix="/export", tags=["library"], route_class=make_route_class(render))
    for resource in (PRESETS, WORLDBOOKS, REGEX_PROFILES):
        _add_export(routes, database, resource)
    _add_character(routes, database)
    return routes


def _add_export(routes: APIRouter, database: Database, resource: Resource) -> None:
    @routes.get(
        f"/{resource.word}/{{asset_id}}",
        summary=f"Export a {resource.word}",
        responses={200: _file(JSON), **refusals(READS)},
    )
    async def export(
        account_id: CurrentAccount, asset_id: AssetIdPath, version: OlderVersion = None
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        opened = await read_asset(database, ref, version=version)
        return _json_file(opened.asset.name, resource.to_data(opened.content))


def _add_character(routes: APIRouter, database: Database) -> None:
    @routes.get(
        f"/{CHARACTERS.word}/{{asset_id}}",
        summary="Export a character",
        responses={200: _file(JSON, PNG), **refusals(READS)},
    )
    async def export(
        account_id: CurrentAccount,
        asset_id: AssetIdPath,
        format: CardFormat = CardFormat.JSON,  # noqa: A002
        version: OlderVersion = None,
    ) -> Response:
        ref = CHARACTERS.ref(account_id, asset_id)
        opened = await read_asset(database, ref, version=version)
        match format:
            case CardFormat.JSON:
                return _json_file(opened.asset.name, opened.content)
            case CardFormat.PNG:
                picture = await read_picture(database, ref) or default_picture()
                card = await asyncio.to_thread(write_png_card, picture, opened.content)
                return download(card, name=opened.asset.name, extension="png", media_type=PNG)


def _json_file(name: str, content: JsonValue) -> Response:
    text = msgspec.json.format(encode_json(content), indent=4)
    return download(text, name=name, extension="json", media_type=JSON)


def _file(*types: str) -> JsonObject:
    any_file: JsonObject = {JSON: {"schema": {}}, PNG: {"schema": {"type": "string"}}}
    return {"description": "The file", "content": {kind: any_file[kind] for kind in types}}
