"""From assets, versions and changes to the wire."""

from fastapi import Response

from yarrow.assets.model import Asset, AssetVersion
from yarrow.assets.read import AssetContent
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.protocols.tavern.assets.resources import AssetResource
from yarrow.protocols.tavern.envelope import to_milliseconds


def encode_asset(asset: Asset) -> JsonObject:
    """An asset without its content."""
    return {
        "id": str(asset.id),
        "name": asset.name,
        "version": asset.version,
        "version_id": str(asset.version_id),
        "content_hash": asset.content_hash,
        "created_at": to_milliseconds(asset.created_at),
        "updated_at": to_milliseconds(asset.updated_at),
    }


def encode_with_content(resource: AssetResource, opened: AssetContent) -> JsonObject:
    """An asset with its content."""
    lifted = {name: opened.content.get(name, "") for name in resource.top_level_fields}
    return encode_asset(opened.asset) | lifted | {"data": resource.to_data(opened.content)}


def encode_version(version: AssetVersion) -> JsonObject:
    return {
        "id": str(version.id),
        "asset_id": str(version.asset_id),
        "version": version.version,
        "content_hash": version.content_hash,
        "created_at": to_milliseconds(version.created_at),
    }


def build_entry(entry: JsonValue, asset: Asset, *, status: int = 200) -> Response:
    """An entry with the new version of its asset, which the next edit must expect."""
    body = {"data": entry, "meta": {"version": asset.version}}
    return Response(encode_json(body), status, media_type="application/json")
