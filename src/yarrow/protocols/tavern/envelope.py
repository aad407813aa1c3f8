"""The shape of every answer: `{"data": …}`, and `meta` beside a list."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Response

from yarrow.kit.json import JsonObject, JsonValue, encode_json


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list was asked for."""

    limit: int
    offset: int
    sort_by: str
    sort_order: str


def data(value: JsonValue, *, status: int = 200) -> Response:
    return Response(encode_json({"data": value}), status, media_type="application/json")


def listed(items: Sequence[JsonObject], *, total: int, page: Page) -> Response:
    meta = {
        "total": total,
        "limit": page.limit,
        "offset": page.offset,
        "has_more": page.offset + len(items) < total,
        "sort_by": page.sort_by,
        "sort_order": page.sort_order,
    }
    body = {"data": items, "meta": meta}
    return Response(encode_json(body), media_type="application/json")
