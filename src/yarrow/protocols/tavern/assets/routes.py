"""The library over HTTP: one set of routes, made for each kind of asset."""

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Response

from yarrow.assets.errors import AssetNotFound
from yarrow.assets.model import AssetKind, AssetQuery, AssetSort, SortOrder
from yarrow.assets.read import (
    compare_versions,
    list_assets,
    list_versions,
    read_asset,
    read_picture,
)
from yarrow.assets.write import create_asset, delete_asset, edit_asset, restore_version
from yarrow.db import Database
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader
from yarrow.http.openapi import describe_body
from yarrow.http.route_classes import make_route_class
from yarrow.protocols.tavern.assets.encode import asset_out, change_out, opened_out, version_out
from yarrow.protocols.tavern.assets.entry_routes import add_entry_routes
from yarrow.protocols.tavern.assets.parameters import (
    PAGE,
    AssetIdPath,
    ExpectedVersion,
    Limit,
    Offset,
    Search,
    Version,
    VersionPath,
)
from yarrow.protocols.tavern.assets.resources import CHARACTERS, RESOURCES, Body, Patch, Resource
from yarrow.protocols.tavern.assets.wire import RollbackBody
from yarrow.protocols.tavern.envelope import Page, data, listed
from yarrow.protocols.tavern.errors import render
from yarrow.protocols.tavern.openapi import (
    ASSET,
    OBJECT,
    OPENED,
    READS,
    VERSION,
    WRITES,
    answers,
    lists,
    refusals,
)

BODY_BYTES = 12 * 1024 * 1024
"""The largest asset, and room for escapes and spaces that are not kept."""
SMALL_BODY_BYTES = 64 * 1024

_Rollback: TypeAlias = Annotated[
    RollbackBody, Depends(make_body_reader(RollbackBody, limit=SMALL_BODY_BYTES))
]


def asset_routes(database: Database) -> APIRouter:
    """Presets, worldbooks, regex profiles, characters and personas."""
    routes = APIRouter(tags=["library"], route_class=make_route_class(render))
    for resource in RESOURCES:
        _add_collection(routes, database, resource)
        _add_item(routes, database, resource)
        _add_versions(routes, database, resource)
        _add_rollback(routes, database, resource)
        if resource.entries is not None:
            add_entry_routes(routes, database, resource, entries=resource.entries)
    _add_picture(routes, database)
    return routes


def _add_collection(routes: APIRouter, database: Database, resource: Resource) -> None:
    @routes.post(
        f"/{resource.path}",
        status_code=201,
        summary=f"Create a {resource.word}",
        openapi_extra=describe_body(resource.body),
        responses=answers(OPENED, WRITES, status=201),
    )
    async def create(
        account_id: CurrentAccount,
        body: Annotated[Body, Depends(make_body_reader(resource.body, limit=BODY_BYTES))],
    ) -> Response:
        content = resource.created(body)
        asset = await create_asset(
            database, account_id, resource.kind, content=content, name=body.name
        )
        opened = await read_asset(database, asset.ref, version=asset.version)
        return data(opened_out(resource, opened), status=201)

    @routes.get(
        f"/{resource.path}",
        summary=f"List {resource.path}",
        responses=lists(ASSET, (InvalidInput,)),
    )
    async def index(
        account_id: CurrentAccount,
        limit: Limit = PAGE,
        offset: Offset = 0,
        sort_by: AssetSort = AssetSort.UPDATED_AT,
        sort_order: SortOrder = SortOrder.DESC,
        search: Search = "",
    ) -> Response:
        query = AssetQuery(limit, offset, sort_by, sort_order, search)
        found, total = await list_assets(database, account_id, resource.kind, query)
        page = Page(limit, offset, sort_by.value, sort_order.value)
        return listed([asset_out(asset) for asset in found], total=total, page=page)


def _add_item(routes: APIRouter, database: Database, resource: Resource) -> None:
    path = f"/{resource.path}/{{asset_id}}"

    @routes.get(path, summary=f"Show a {resource.word}", responses=answers(OPENED, READS))
    async def show(account_id: CurrentAccount, asset_id: AssetIdPath) -> Response:
        opened = await read_asset(database, resource.ref(account_id, asset_id))
        return data(opened_out(resource, opened))

    async def change(
        account_id: CurrentAccount,
        asset_id: AssetIdPath,
        patch: Annotated[Patch, Depends(make_body_reader(resource.patch, limit=BODY_BYTES))],
    ) -> Response:
        ref, alter = resource.ref(account_id, asset_id), resource.altered(patch)
        if alter is None and patch.name is None:
            raise InvalidInput("send a name, data, or both")
        asset = await edit_asset(
            database, ref, alter, name=patch.name, expected_version=patch.expected_version
        )
        return data(opened_out(resource, await read_asset(database, ref, version=asset.version)))

    for method in ("PATCH", "PUT"):
        routes.add_api_route(
            path,
            change,
            methods=[method],
            summary=f"Change a {resource.word}",
            openapi_extra=describe_body(resource.patch),
            responses=answers(OPENED, WRITES),
        )

    @routes.delete(path, summary=f"Delete a {resource.word}", responses=answers(OBJECT, WRITES))
    async def delete(
        account_id: CurrentAccount, asset_id: AssetIdPath, expected_version: ExpectedVersion = None
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        await delete_asset(database, ref, expected_version=expected_version)
        return data({"id": str(ref.id), "deleted": True})


def _add_versions(routes: APIRouter, database: Database, resource: Resource) -> None:
    path = f"/{resource.path}/{{asset_id}}"

    @routes.get(
        f"{path}/versions",
        summary=f"List the versions of a {resource.word}",
        responses=lists(VERSION, READS),
    )
    async def versions(
        account_id: CurrentAccount, asset_id: AssetIdPath, limit: Limit = PAGE, offset: Offset = 0
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        found, total = await list_versions(database, ref, limit=limit, offset=offset)
        page = Page(limit, offset, "version", SortOrder.DESC.value)
        return listed([version_out(version) for version in found], total=total, page=page)

    @routes.get(
        f"{path}/versions/{{version}}",
        summary=f"Show a {resource.word} as it was",
        responses=answers(OPENED, READS),
    )
    async def version(
        account_id: CurrentAccount, asset_id: AssetIdPath, version: VersionPath
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        return data(opened_out(resource, await read_asset(database, ref, version=version)))


def _add_rollback(routes: APIRouter, database: Database, resource: Resource) -> None:
    path = f"/{resource.path}/{{asset_id}}"

    @routes.post(
        f"{path}/rollback",
        summary=f"Make an old version of a {resource.word} the newest again",
        openapi_extra=describe_body(RollbackBody),
        responses=answers(OPENED, WRITES),
    )
    async def rollback(
        account_id: CurrentAccount, asset_id: AssetIdPath, body: _Rollback
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        asset = await restore_version(
            database, ref, version=body.version, expected_version=body.expected_version
        )
        return data(opened_out(resource, await read_asset(database, ref, version=asset.version)))

    @routes.get(
        f"{path}/compare",
        summary=f"Compare two versions of a {resource.word}",
        responses=answers(OBJECT, READS),
    )
    async def compare(
        account_id: CurrentAccount, asset_id: AssetIdPath, left: Version, right: Version
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        changes = await compare_versions(database, ref, left=left, right=right)
        said = [change_out(change) for change in changes]
        return data({"left": left, "right": right, "changes": said})


def _add_picture(routes: APIRouter, database: Database) -> None:
    @routes.get(
        f"/{CHARACTERS.path}/{{asset_id}}/picture",
        summary="Show a character's picture",
        response_class=Response,
        responses={200: _PICTURE, **refusals(READS)},
    )
    async def picture(account_id: CurrentAccount, asset_id: AssetIdPath) -> Response:
        png = await read_picture(database, CHARACTERS.ref(account_id, asset_id))
        if png is None:
            raise AssetNotFound(f"picture of {AssetKind.CHARACTER} {asset_id}")
        headers = {
            "Cache-Control": "private, max-age=300",
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "X-Content-Type-Options": "nosniff",
        }
        return Response(png, headers=headers, media_type="image/png")


_PICTURE = {
    "description": "The picture",
    "content": {"image/png": {"schema": {"type": "string", "format": "binary"}}},
}
