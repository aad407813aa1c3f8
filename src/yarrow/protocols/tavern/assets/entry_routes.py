"""Entries of presets and worldbooks, one at a time. Each change is a new version of the whole."""

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Response

from yarrow.assets.model import SortOrder
from yarrow.assets.preset_entries import list_entries, reorder_entries
from yarrow.assets.read import read_asset
from yarrow.assets.write import edit_asset
from yarrow.db import Database
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader
from yarrow.http.openapi import describe_body
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.assets.encode import entry_answer
from yarrow.protocols.tavern.assets.parameters import AssetIdPath, EntryPath, ExpectedVersion
from yarrow.protocols.tavern.assets.resources import PRESETS, Entries, Resource
from yarrow.protocols.tavern.assets.wire import EntryBody, ReorderBody
from yarrow.protocols.tavern.envelope import Page, listed
from yarrow.protocols.tavern.openapi import OBJECT, READS, WRITES, answers, lists

BODY_BYTES = 2 * 1024 * 1024

_Entry: TypeAlias = Annotated[EntryBody, Depends(make_body_reader(EntryBody, limit=BODY_BYTES))]
_Reorder: TypeAlias = Annotated[
    ReorderBody, Depends(make_body_reader(ReorderBody, limit=BODY_BYTES))
]


def add_entry_routes(
    routes: APIRouter, database: Database, resource: Resource, *, entries: Entries
) -> None:
    if resource is PRESETS:
        _add_reorder(routes, database)
    _add_collection(routes, database, resource, entries=entries)
    _add_item(routes, database, resource, entries=entries)


def _add_collection(
    routes: APIRouter, database: Database, resource: Resource, *, entries: Entries
) -> None:
    path = f"/{resource.path}/{{asset_id}}/entries"

    @routes.get(
        path, summary=f"List the entries of a {resource.word}", responses=lists(OBJECT, READS)
    )
    async def index(account_id: CurrentAccount, asset_id: AssetIdPath) -> Response:
        opened = await read_asset(database, resource.ref(account_id, asset_id))
        return _all(entries.list(opened.content))

    @routes.post(
        path,
        status_code=201,
        summary=f"Add an entry to a {resource.word}",
        openapi_extra=describe_body(EntryBody),
        responses=answers(OBJECT, WRITES, status=201),
    )
    async def add(account_id: CurrentAccount, asset_id: AssetIdPath, body: _Entry) -> Response:
        added: JsonObject = {}

        def alter(content: JsonObject) -> JsonObject:
            longer, key = entries.add(content, body.fields)
            added.update(entries.find(longer, key))
            return longer

        ref = resource.ref(account_id, asset_id)
        asset = await edit_asset(database, ref, alter, expected_version=body.expected_version)
        return entry_answer(added, asset, status=201)


def _add_item(
    routes: APIRouter, database: Database, resource: Resource, *, entries: Entries
) -> None:
    path = f"/{resource.path}/{{asset_id}}/entries/{{key}}"

    @routes.patch(
        path,
        summary=f"Change an entry of a {resource.word}",
        openapi_extra=describe_body(EntryBody),
        responses=answers(OBJECT, WRITES),
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
        asset = await edit_asset(database, ref, alter, expected_version=body.expected_version)
        return entry_answer(changed, asset)

    @routes.delete(
        path,
        summary=f"Remove an entry of a {resource.word}",
        responses=answers(OBJECT, WRITES),
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
        asset = await edit_asset(database, ref, alter, expected_version=expected_version)
        return entry_answer({entries.key: key, "deleted": True}, asset)


def _add_reorder(routes: APIRouter, database: Database) -> None:
    async def reorder(
        account_id: CurrentAccount, asset_id: AssetIdPath, body: _Reorder
    ) -> Response:
        def alter(content: JsonObject) -> JsonObject:
            return reorder_entries(content, body.identifiers)

        ref = PRESETS.ref(account_id, asset_id)
        asset = await edit_asset(database, ref, alter, expected_version=body.expected_version)
        opened = await read_asset(database, ref, version=asset.version)
        return _all(list_entries(opened.content))

    for method in ("POST", "PUT"):
        routes.add_api_route(
            f"/{PRESETS.path}/{{asset_id}}/entries/reorder",
            reorder,
            methods=[method],
            summary="Put the entries of a preset in order",
            openapi_extra=describe_body(ReorderBody),
            responses=lists(OBJECT, WRITES),
        )


def _all(found: list[JsonObject]) -> Response:
    page = Page(len(found), 0, "order", SortOrder.ASC.value)
    return listed(found, total=len(found), page=page)
