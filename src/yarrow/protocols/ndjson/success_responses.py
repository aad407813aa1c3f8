"""Responses of plain calls: the envelope of a success, and the headers of files."""

import string
from urllib.parse import quote

from fastapi import Response

from yarrow.kit.json import JsonValue, encode_json

DOCUMENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
DOCUMENT_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": f"{DOCUMENT_POLICY}; sandbox",
}
"""Of generated documents and images: no script, and nothing loaded from elsewhere."""

_PLAIN = frozenset(string.ascii_letters + string.digits + "._- ")


def build_success(data: JsonValue) -> Response:
    return Response(encode_json({"status": "success", "data": data}), media_type="application/json")


def build_disposition(filename: str) -> str:
    """`Content-Disposition` of a download: RFC 5987 for any script, and an ASCII name beside it."""
    plain = "".join(character if character in _PLAIN else "_" for character in filename)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"
