"""Assets on their way out."""

from datetime import datetime

from fastapi import Response

from yarrow.assets.model import Asset, AssetVersion
from yarrow.assets.read import AssetContent
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.prompting.compare import FieldChange
from yarrow.protocols.tavern.assets.resources import Resource


def asset_out(asset: Asset) -> JsonObject:
    """An asset without what it holds."""
    return {
        "id": str(asset.id),
        "name": asset.name,
        "version": asset.version,
        "version_id": str(asset.version_id),
        "content_hash": asset.content_hash,
        "created_at": milliseconds(asset.created_at),
        "updated_at": milliseconds(asset.updated_at),
    }


def opened_out(resource: Resource, opened: AssetContent) -> JsonObject:
    """An asset with what it holds."""
    lifted = {name: opened.content.get(name, "") for name in resource.lifted}
    return asset_out(opened.asset) | lifted | {"data": resource.to_data(opened.content)}


def version_out(version: AssetVersion) -> JsonObject:
    return {
        "id": str(version.id),
        "asset_id": str(version.asset_id),
        "version": version.version,
        "content_hash": version.content_hash,
        "created_at": milliseconds(version.created_at),
    }


def change_out(change: FieldChange) -> JsonObject:
    return {
        "path": change.path,
        "change_type": change.change_type.value,
        "left": change.left,
        "right": change.right,
    }


def entry_answer(entry: JsonValue, asset: Asset, *, status: int = 200) -> Response:
    """An entry, and beside it the version its asset has now: the next edit is based on that."""
    body = {"data": entry, "meta": {"version": asset.version}}
    return Response(encode_json(body), status, media_type="application/json")


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
