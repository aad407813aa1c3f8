"""The stylesheet, the script and the icon: read once, named by their content."""

import hashlib
from functools import cache
from pathlib import Path

from fastapi import Response

FOLDER = Path(__file__).parent / "static"

_MEDIA = {
    "style.css": "text/css",
    "copy.js": "text/javascript",
    "mark.svg": "image/svg+xml",
}

_HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "x-content-type-options": "nosniff",
}


@cache
def _content(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


@cache
def asset_url(name: str) -> str:
    """The address of an asset; another content gets another address."""
    return f"/static/{name}?v={hashlib.sha256(_content(name)).hexdigest()[:12]}"


def asset_response(name: str) -> Response | None:
    """An asset as it is sent; None when there is none of this name."""
    if name not in _MEDIA:
        return None
    return Response(_content(name), 200, _HEADERS, _MEDIA[name])
