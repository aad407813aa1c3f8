"""Assets: one set of routes for each kind."""

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Response

from yarrow.assets.model import AssetQuery, AssetRef, AssetSort, SortOrder
from yarrow.assets.read import (
    compare_versions,
    list_assets,
    list_versions,
    read_asset,
)
from yarrow.assets.write import create_asset, delete_asset, edit_asset, restore_version
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.protocols.tavern.assets.encode import (
    encode_asset,
    encode_version,
    encode_with_content,
)
from yarrow.protocols.tavern.assets.entry_routes import add_entry_routes
from yarrow.protocols.tavern.assets.picture_routes import add_picture_routes
from yarrow.protocols.tavern.assets.resources import (
    RESOURCES,
    AssetPatchBody,
    AssetResource,
    NewAssetBody,
)
from yarrow.protocols.tavern.assets.wire import RollbackBody
from yarrow.protocols.tavern.changes import encode_field_change
from yarrow.protocols.tavern.envelope import ListPage, build_data, build_list
from yarrow.protocols.tavern.openapi import (
    ASSET_SCHEMA,
    ASSET_WITH_CONTENT_SCHEMA,
    OBJECT_SCHEMA,
    READ_ERRORS,
    VERSION_SCHEMA,
    WRITE_ERRORS,
    describe_data,
    describe_list,
    make_library_router,
)
from yarrow.protocols.tavern.parameters import (
    PAGE_DEFAULT,
    AssetIdPath,
    ExpectedVersion,
    Limit,
    Offset,
    Search,
    VersionPath,
    VersionQuery,
)
from yarrow.runs.engine import Engine

BODY_BYTES = 12 * 1024 * 1024
"""The largest asset, and room for escapes and spaces that are not kept."""
SMALL_BODY_BYTES = 64 * 1024

_Rollback: TypeAlias = Annotated[
    RollbackBody, Depends(make_json_reader(RollbackBody, limit=SMALL_BODY_BYTES))
]


def make_asset_router(engine: Engine) -> APIRouter:
    router = make_library_router()
    for resource in RESOURCES:
        _add_collection(router, engine, resource)
        _add_item(router, engine, resource)
        _add_versions(router, engine, resource)
        _add_rollback(router, engine, resource)
        if resource.entries is not None:
            add_entry_routes(router, engine, resource, entries=resource.entries)
    add_picture_routes(router, engine)
    return router


def _add_collection(router: APIRouter, engine: Engine, resource: AssetResource) -> None:
    @router.post(
        f"/{resource.path}",
        status_code=201,
        summary=f"Create a {resource.word}",
        openapi_extra=describe_body(resource.body),
        responses=describe_data(ASSET_WITH_CONTENT_SCHEMA, WRITE_ERRORS, status=201),
    )
    async def create(
        account_id: CurrentAccount,
        body: Annotated[NewAssetBody, Depends(make_json_reader(resource.body, limit=BODY_BYTES))],
    ) -> Response:
        content = resource.build_content(body)
        asset = await create_asset(
            engine.database, account_id, resource.kind, content=content, name=body.name
        )
        return await _respond_with_asset(
            engine, resource, asset.ref, version=asset.version, status=201
        )

    @router.get(
        f"/{resource.path}",
        summary=f"List {resource.path}",
        responses=describe_list(ASSET_SCHEMA, (InvalidInput,)),
    )
    async def index(
        account_id: CurrentAccount,
        limit: Limit = PAGE_DEFAULT,
        offset: Offset = 0,
        sort_by: AssetSort = AssetSort.UPDATED_AT,
        sort_order: SortOrder = SortOrder.DESC,
        search: Search = "",
    ) -> Response:
        query = AssetQuery(limit, offset, sort_by, sort_order, search)
        assets, total = await list_assets(engine.database, account_id, resource.kind, query)
        page = ListPage(limit, offset, sort_by.value, sort_order.value)
        return build_list([encode_asset(asset) for asset in assets], total=total, page=page)


def _add_item(router: APIRouter, engine: Engine, resource: AssetResource) -> None:
    path = f"/{resource.path}/{{asset_id}}"

    @router.get(
        path,
        summary=f"Show a {resource.word}",
        responses=describe_data(ASSET_WITH_CONTENT_SCHEMA, READ_ERRORS),
    )
    async def show(account_id: CurrentAccount, asset_id: AssetIdPath) -> Response:
        return await _respond_with_asset(engine, resource, resource.ref(account_id, asset_id))

    async def change(
        account_id: CurrentAccount,
        asset_id: AssetIdPath,
        patch: Annotated[
            AssetPatchBody, Depends(make_json_reader(resource.patch, limit=BODY_BYTES))
        ],
    ) -> Response:
        ref, alter = resource.ref(account_id, asset_id), resource.build_edit(patch)
        if alter is None and patch.name is None:
            raise InvalidInput("send a name, data, or both")
        asset = await edit_asset(
            engine.database, ref, alter, name=patch.name, expected_version=patch.expected_version
        )
        return await _respond_with_asset(engine, resource, ref, version=asset.version)

    for method in ("PATCH", "PUT"):
        router.add_api_route(
            path,
            change,
            methods=[method],
            summary=f"Change a {resource.word}",
            openapi_extra=describe_body(resource.patch),
            responses=describe_data(ASSET_WITH_CONTENT_SCHEMA, WRITE_ERRORS),
        )

    @router.delete(
        path,
        summary=f"Delete a {resource.word}",
        responses=describe_data(OBJECT_SCHEMA, WRITE_ERRORS),
    )
    async def delete(
        account_id: CurrentAccount, asset_id: AssetIdPath, expected_version: ExpectedVersion = None
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        await delete_asset(engine.database, ref, expected_version=expected_version)
        return build_data({"id": str(ref.id), "deleted": True})


def _add_versions(router: APIRouter, engine: Engine, resource: AssetResource) -> None:
    path = f"/{resource.path}/{{asset_id}}"

    @router.get(
        f"{path}/versions",
        summary=f"List the versions of a {resource.word}",
        responses=describe_list(VERSION_SCHEMA, READ_ERRORS),
    )
    async def versions(
        account_id: CurrentAccount,
        asset_id: AssetIdPath,
        limit: Limit = PAGE_DEFAULT,
        offset: Offset = 0,
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        all_versions, total = await list_versions(engine.database, ref, limit=limit, offset=offset)
        page = ListPage(limit, offset, "version", SortOrder.DESC.value)
        return build_list(
            [encode_version(version) for version in all_versions], total=total, page=page
        )

    @router.get(
        f"{path}/versions/{{version}}",
        summary=f"Show a {resource.word} as it was",
        responses=describe_data(ASSET_WITH_CONTENT_SCHEMA, READ_ERRORS),
    )
    async def version(
        account_id: CurrentAccount, asset_id: AssetIdPath, version: VersionPath
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        return await _respond_with_asset(engine, resource, ref, version=version)


def _add_rollback(router: APIRouter, engine: Engine, resource: AssetResource) -> None:
    path = f"/{resource.path}/{{asset_id}}"

    @router.post(
        f"{path}/rollback",
        summary=f"Make an old version of a {resource.word} the newest again",
        openapi_extra=describe_body(RollbackBody),
        responses=describe_data(ASSET_WITH_CONTENT_SCHEMA, WRITE_ERRORS),
    )
    async def rollback(
        account_id: CurrentAccount, asset_id: AssetIdPath, body: _Rollback
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        asset = await restore_version(
            engine.database, ref, version=body.version, expected_version=body.expected_version
        )
        return await _respond_with_asset(engine, resource, ref, version=asset.version)

    @router.get(
        f"{path}/compare",
        summary=f"Compare two versions of a {resource.word}",
        responses=describe_data(OBJECT_SCHEMA, READ_ERRORS),
    )
    async def compare(
        account_id: CurrentAccount, asset_id: AssetIdPath, left: VersionQuery, right: VersionQuery
    ) -> Response:
        ref = resource.ref(account_id, asset_id)
        changes = await compare_versions(engine.database, ref, left=left, right=right)
        encoded = [encode_field_change(change) for change in changes]
        return build_data({"left": left, "right": right, "changes": encoded})


async def _respond_with_asset(
    engine: Engine,
    resource: AssetResource,
    ref: AssetRef,
    *,
    version: int | None = None,
    status: int = 200,
) -> Response:
    """One version of an asset with its content; the newest by default."""
    opened = await read_asset(engine.database, ref, version=version)
    return build_data(encode_with_content(resource, opened), status=status)
