"""OpenAPI of this protocol's responses."""

from yarrow.http.openapi import OpenApiResponses
from yarrow.kit.json import JsonObject

_ERROR: JsonObject = {
    "type": "object",
    "required": ["status", "error"],
    "properties": {
        "status": {"const": "error"},
        "error": {
            "type": "object",
            "required": ["code", "message", "retry"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "retry": {"type": "boolean"},
                "request_id": {"type": "string"},
            },
        },
    },
}
_SUCCESS: JsonObject = {
    "type": "object",
    "required": ["status", "data"],
    "additionalProperties": False,
    "properties": {"status": {"const": "success"}, "data": {}},
}
_ERROR_STATUSES = {
    401: "No token, or one that does not verify",
    403: "Not yours",
    413: "More than the route reads",
}

ENVELOPE: JsonObject = {"application/json": {"schema": {"anyOf": [_SUCCESS, _ERROR]}}}
"""A JSON response: most errors have status 200, too."""


def describe_answers(*types: str) -> OpenApiResponses:
    """The `responses` of a route; `types` are the media types of a success that is not JSON."""
    others = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in types}
    errors: OpenApiResponses = {
        status: {"description": why, "content": {"application/json": {"schema": _ERROR}}}
        for status, why in _ERROR_STATUSES.items()
    }
    return {200: {"description": "Done, or why not", "content": {**others, **ENVELOPE}}, **errors}


_STRICT_STATUSES = {
    **_ERROR_STATUSES,
    404: "No such source, or table",
    409: "Not possible now, or the key was used for another request",
    422: "What is wrong with the request",
    429: "Too many requests",
    501: "The driver of this kind of source is not installed",
    502: "The source cannot be reached",
    503: "Too much runs at once, or the server's own storage is away",
    504: "The source did not finish in time",
}


def describe_strict_answers(success: int = 200) -> OpenApiResponses:
    """The `responses` of a route whose errors have statuses of their own."""
    errors: OpenApiResponses = {
        status: {"description": why, "content": {"application/json": {"schema": _ERROR}}}
        for status, why in _STRICT_STATUSES.items()
    }
    done = {"description": "Done", "content": {"application/json": {"schema": _SUCCESS}}}
    return {success: done, **errors}
