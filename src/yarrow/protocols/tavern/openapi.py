"""What the OpenAPI page says about answers of this protocol."""

from collections.abc import Sequence

from yarrow.assets.errors import VersionConflict
from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import InvalidInput, NotFound, TooLarge, Unauthenticated, YarrowError
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.errors import FAULTS

ERROR: JsonObject = {
    "title": "Error",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "details": {},
            },
        }
    },
}
META: JsonObject = {
    "type": "object",
    "required": ["total", "limit", "offset", "has_more", "sort_by", "sort_order"],
}
ASSET: JsonObject = {
    "title": "Asset",
    "type": "object",
    "required": [
        *("id", "name", "version", "version_id", "content_hash", "created_at", "updated_at"),
    ],
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "version": {"type": "integer"},
        "version_id": {"type": "string"},
        "content_hash": {"type": "string"},
        "created_at": {"type": "integer", "description": "milliseconds since 1970"},
        "updated_at": {"type": "integer", "description": "milliseconds since 1970"},
    },
}
OPENED: JsonObject = ASSET | {"required": [*ASSET["required"], "data"]}
VERSION: JsonObject = {
    "title": "Version",
    "type": "object",
    "required": ["id", "asset_id", "version", "content_hash", "created_at"],
}
OBJECT: JsonObject = {"type": "object"}

READS = (InvalidInput, NotFound)
WRITES = (InvalidInput, NotFound, VersionConflict, TooLarge)


def answers(
    data: JsonObject, errors: Sequence[type[YarrowError]], *, status: int = 200
) -> dict[int | str, JsonObject]:
    """The `responses` of a route that answers `{"data": …}`."""
    shape = {"type": "object", "required": ["data"], "properties": {"data": data}}
    return {status: _json(shape, "Done")} | refusals(errors)


def lists(data: JsonObject, errors: Sequence[type[YarrowError]]) -> dict[int | str, JsonObject]:
    """The `responses` of a route that answers a list."""
    properties = {"data": {"type": "array", "items": data}, "meta": META}
    shape = {"type": "object", "required": ["data", "meta"], "properties": properties}
    return {200: _json(shape, "Done")} | refusals(errors)


def refusals(errors: Sequence[type[YarrowError]]) -> dict[int | str, JsonObject]:
    """What a route refuses. `4XX` is there lest FastAPI describe a 422 that never comes."""
    said: dict[int | str, JsonObject] = {"4XX": _json(ERROR, "Refused")}
    for kind in (*errors, Unauthenticated, DatabaseUnavailable):
        fault = FAULTS[kind]
        said[fault.status] = _json(ERROR, f"{fault.title} (`{fault.code}`)")
    return said


def _json(schema: JsonObject, description: str) -> JsonObject:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
