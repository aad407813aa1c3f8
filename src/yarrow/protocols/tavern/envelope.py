"""Responses: `{"data": …}`, with `meta` beside a list, and the result of a batch."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from fastapi import Response
from msgspec import Struct

from yarrow.db.list_total import ListTotal
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue, encode_json
from yarrow.protocols.tavern.ids import parse_uuid


class ListPage(Struct, frozen=True):
    """The requested part of a list."""

    limit: int
    offset: int
    sort_by: str
    sort_order: str


def build_data(value: object, *, status: int = 200) -> Response:
    """A response with any value that `encode_json` can encode, structs included."""
    return Response(encode_json({"data": value}), status, media_type="application/json")


def build_list(items: Sequence[JsonMapping], *, total: int | ListTotal, page: ListPage) -> Response:
    """A page of a list; `total_capped` is in `meta` only when there are more than `total`."""
    count = total.count if isinstance(total, ListTotal) else total
    meta: JsonObject = {
        "total": count,
        "limit": page.limit,
        "offset": page.offset,
        "has_more": page.offset + len(items) < count,
        "sort_by": page.sort_by,
        "sort_order": page.sort_order,
    }
    if isinstance(total, ListTotal) and total.is_capped:
        meta["total_capped"] = True
    body = {"data": items, "meta": meta}
    return Response(encode_json(body), media_type="application/json")


def encode_batch(ids: Sequence[str], done: Collection[UUID], *, action: str) -> JsonObject:
    """The outcome for each id of a batch: `action`, or `not_found`."""
    outcomes = [parse_uuid(each) in done for each in ids]
    results: list[JsonValue] = [
        {"index": index, "id": each, "action": action if is_done else "not_found"}
        for index, (each, is_done) in enumerate(zip(ids, outcomes, strict=True))
    ]
    count = sum(outcomes)
    meta = {"total": len(ids), action: count, "not_found": len(ids) - count}
    return {"results": results, "meta": meta}


def to_milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
