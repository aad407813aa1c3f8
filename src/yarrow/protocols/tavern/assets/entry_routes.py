"""Entries of presets and worldbooks. Each change makes a new version of the whole asset."""

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Response

from yarrow.assets.model import SortOrder
from yarrow.assets.preset_entries import list_entries, reorder_entries
from yarrow.assets.read import read_asset
from yarrow.assets.write import edit_asset
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.assets.encode import build_entry
from yarrow.protocols.tavern.assets.resources import PRESETS, AssetResource, EntryFunctions
from yarrow.protocols.tavern.assets.wire import EntryBody, ReorderBody
from yarrow.protocols.tavern.envelope import ListPage, build_list
from yarrow.protocols.tavern.openapi import (
    OBJECT_SCHEMA,
    READ_ERRORS,
    WRITE_ERRORS,
    describe_data,
    describe_list,
)
from yarrow.protocols.tavern.parameters import AssetIdPath, EntryPath, ExpectedVersion
from yarrow.runs.engine import Engine

BODY_BYTES = 2 * 1024 * 1024

_Entry: TypeAlias = Annotated[EntryBody, Depends(make_json_reader(EntryBody, limit=BODY_BYTES))]
_Reorder: TypeAlias = Annotated[
    ReorderBody, Depends(make_json_reader(ReorderBody, limit=BODY_BYTES))
]


def add_entry_routes(
    router: APIRouter, engine: Engine, resource: AssetResource, *, entries: EntryFunctions
) -> None:
    if resource is PRESETS:
        _add_reorder(router, engine)
    _add_collection(router, engine, resource, entries=entries)
    _add_item(router, engine, resource, entries=entries)


def _add_collection(
    router: APIRouter, engine: Engine, resource: AssetResource, *, entries: EntryFunctions
) -> None:
    path = f"/{resource.path}/{{asset_id}}/entries"

    @router.get(
        path,
        summary=f"List the entries of a {resource.word}",
        responses=describe_list(OBJECT_SCHEMA, READ_ERRORS),
    )
    async def index(account_id: CurrentAccount, asset_id: AssetIdPath) -> Response:
        opened = await read_asset(engine.database, resource.ref(account_id, asset_id))
        return _build_all(entries.list(opened.content))

    @router.post(
        path,
        status_code=201,
        summary=f"Add an entry to a {resource.word}",
        openapi_extra=describe_body(EntryBody),
        responses=describe_data(OBJECT_SCHEMA, WRITE_ERRORS, status=201),
    )
    async def add(account_id: CurrentAccount, asset_id: AssetIdPath, body: _Entry) -> Response:
        added: JsonObject = {}

        def alter(content: JsonObject) -> JsonObject:
            longer, key = entries.add(content, body.fields)
            added.update(entries.find(longer, key))
            return longer

        ref = resource.ref(account_id, asset_id)
        asset = await edit_asset(
            engine.database, ref, alter, expected_version=body.expected_version
        )
        return build_entry(added, asset, status=201)


def _add_item(
    router: APIRouter, engine: Engine, resource: AssetResource, *, entries: EntryFunctions
) -> None:
    path = f"/{resource.path}/{{asset_id}}/entries/{{key}}"

    @router.patch(
        path,
        summary=f"Change an entry of a {resource.word}",
        openapi_extra=describe_body(EntryBody),
        responses=describe_data(OBJECT_SCHEMA, WRITE_ERRORS),
    )
    async def change(
        account_id: CurrentAccount, asset_id: AssetIdPath, key: EntryPath, body: _Entry
    ) -> Response:
        if not body.fields:
            raise InvalidInput("send at least one field of the entry")
        changed: JsonObject = {}

        def alter(content: JsonObject) -> JsonObject:
            edited = entries.change(content, key, body.fields)
            changed.update(entries.find(edited, key))
            return edited

        ref = resource.ref(account_id, asset_id)
        asset = await edit_asset(
            engine.database, ref, alter, expected_version=body.expected_version
        )
        return build_entry(changed, asset)

    @router.delete(
        path,
        summary=f"Remove an entry of a {resource.word}",
        responses=describe_data(OBJECT_SCHEMA, WRITE_ERRORS),
    )
    async def remove(
        account_id: CurrentAccount,
        asset_id: AssetIdPath,
        key: EntryPath,
        expected_version: ExpectedVersion = None,
    ) -> Response:
        def alter(content: JsonObject) -> JsonObject:
            return entries.remove(content, key)

        ref = resource.ref(account_id, asset_id)
        asset = await edit_asset(engine.database, ref, alter, expected_version=expected_version)
        return build_entry({entries.key: key, "deleted": True}, asset)


def _add_reorder(router: APIRouter, engine: Engine) -> None:
    async def reorder(
        account_id: CurrentAccount, asset_id: AssetIdPath, body: _Reorder
    ) -> Response:
        def alter(content: JsonObject) -> JsonObject:
            return reorder_entries(content, body.identifiers)

        ref = PRESETS.ref(account_id, asset_id)
        asset = await edit_asset(
            engine.database, ref, alter, expected_version=body.expected_version
        )
        opened = await read_asset(engine.database, ref, version=asset.version)
        return _build_all(list_entries(opened.content))

    for method in ("POST", "PUT"):
        router.add_api_route(
            f"/{PRESETS.path}/{{asset_id}}/entries/reorder",
            reorder,
            methods=[method],
            summary="Put the entries of a preset in order",
            openapi_extra=describe_body(ReorderBody),
            responses=describe_list(OBJECT_SCHEMA, WRITE_ERRORS),
        )


def _build_all(entries: list[JsonObject]) -> Response:
    page = ListPage(len(entries), 0, "order", SortOrder.ASC.value)
    return build_list(entries, total=len(entries), page=page)
