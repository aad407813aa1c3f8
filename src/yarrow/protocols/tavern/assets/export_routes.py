"""Exporting assets as SillyTavern's files. An imported file is exported unchanged."""

import asyncio
from enum import StrEnum

import msgspec
from fastapi import APIRouter, Response

from yarrow.assets.read import read_asset, read_picture
from yarrow.http.auth import CurrentAccount
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.prompting.formats.png import make_default_picture, write_png_card
from yarrow.protocols.tavern.assets.downloads import build_download
from yarrow.protocols.tavern.assets.resources import (
    CHARACTERS,
    PRESETS,
    REGEX_PROFILES,
    WORLDBOOKS,
    AssetResource,
)
from yarrow.protocols.tavern.openapi import READ_ERRORS, describe_errors, make_library_router
from yarrow.protocols.tavern.parameters import AssetIdPath, OptionalVersion
from yarrow.runs.engine import Engine

JSON = "application/json"
PNG = "image/png"


class CardFormat(StrEnum):
    """File format of an exported character."""

    JSON = "json"
    PNG = "png"


def make_export_router(engine: Engine) -> APIRouter:
    router = make_library_router("/export")
    for resource in (PRESETS, WORLDBOOKS, REGEX_PROFILES):
        _add_export(router, engine, resource)
    _add_character(router, engine)
    return router


def _add_export(router: APIRouter, engine: Engine, resource: AssetResource) -> None:
    @router.get(
        f"/{resource.word}/{{asset_id}}",
        summary=f"Export a {resource.word}",
        responses={200: _describe_file(JSON), **describe_errors(READ_ERRORS)},
    )
    async def export(
        account_id: CurrentAccount, asset_id: AssetIdPath, version: OptionalVersion = None
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        opened = await read_asset(engine.database, ref, version=version)
        return _build_json_file(opened.asset.name, resource.to_data(opened.content))


def _add_character(router: APIRouter, engine: Engine) -> None:
    @router.get(
        f"/{CHARACTERS.word}/{{asset_id}}",
        summary="Export a character",
        responses={200: _describe_file(JSON, PNG), **describe_errors(READ_ERRORS)},
    )
    async def export(
        account_id: CurrentAccount,
        asset_id: AssetIdPath,
        format: CardFormat = CardFormat.JSON,  # noqa: A002
        version: OptionalVersion = None,
    ) -> Response:
        ref = CHARACTERS.ref(account_id, asset_id)
        opened = await read_asset(engine.database, ref, version=version)
        match format:
            case CardFormat.JSON:
                return _build_json_file(opened.asset.name, opened.content)
            case CardFormat.PNG:
                picture = await read_picture(engine.database, ref) or make_default_picture()
                card = await asyncio.to_thread(write_png_card, picture, opened.content)
                return build_download(card, name=opened.asset.name, extension="png", media_type=PNG)


def _build_json_file(name: str, content: JsonValue) -> Response:
    text = msgspec.json.format(encode_json(content), indent=4)
    return build_download(text, name=name, extension="json", media_type=JSON)


def _describe_file(*types: str) -> JsonObject:
    any_file: JsonObject = {JSON: {"schema": {}}, PNG: {"schema": {"type": "string"}}}
    return {"description": "The file", "content": {kind: any_file[kind] for kind in types}}
