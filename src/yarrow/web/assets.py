"""Static files of the pages, under one address that changes when any of them changes.

The version is part of the path, not of the query, so that relative imports between modules carry it
and every file can be cached for good.
"""

import gzip
import hashlib
import posixpath
import re
from functools import cache
from pathlib import Path

from fastapi import Response
from msgspec import Struct

from yarrow.web.app_pages import STYLESHEETS

FOLDER = Path(__file__).parent / "static"

_MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
}
_COMPRESSED_ALREADY = (".woff2",)
_IMPORT = re.compile(r"""^(?:import|export)\b[^;'"(]*?["'](\.[^"']+)["']""", re.MULTILINE)

_HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "vary": "accept-encoding",
    "x-content-type-options": "nosniff",
}


class StaticFile(Struct, frozen=True):
    """A file as it is sent."""

    content: bytes
    media_type: str


@cache
def read_files() -> dict[str, StaticFile]:
    """Read the whole folder and join the stylesheets: the only files that can be requested."""
    files = {
        path.relative_to(FOLDER).as_posix(): StaticFile(
            path.read_bytes(), _MEDIA_TYPES[path.suffix]
        )
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in _MEDIA_TYPES
    }
    for name, parts in STYLESHEETS.items():
        content = b"".join(files[f"{part}.css"].content for part in parts)
        files[make_stylesheet_path(name)] = StaticFile(content, _MEDIA_TYPES[".css"])
    return files


def make_stylesheet_path(name: str) -> str:
    """Return the path of a joined stylesheet, at the depth of the one that names the font."""
    return f"sheets/{name}.css"


@cache
def compress_file(path: str) -> bytes:
    """Compress a file when it is first requested: the largest ones rarely are."""
    return gzip.compress(read_files()[path].content, 9, mtime=0)


@cache
def read_version() -> str:
    """Return the name of the present content: a hash over all files."""
    digest = hashlib.sha256()
    for path, file in read_files().items():
        digest.update(path.encode() + b"\0" + file.content + b"\0")
    return digest.hexdigest()[:12]


def make_asset_url(path: str) -> str:
    """Return the address of a static file."""
    if path not in read_files():
        raise FileNotFoundError(path)
    return f"/static/{read_version()}/{path}"


def build_asset_response(version: str, path: str, *, accept_encoding: str) -> Response | None:
    """Build the response for a file; None if there is no such file in this version."""
    file = read_files().get(path)
    if file is None or version != read_version():
        return None
    if "gzip" in accept_encoding and not path.endswith(_COMPRESSED_ALREADY):
        headers = _HEADERS | {"content-encoding": "gzip"}
        return Response(compress_file(path), 200, headers, file.media_type)
    return Response(file.content, 200, _HEADERS, file.media_type)


@cache
def list_imports(*modules: str) -> tuple[str, ...]:
    """List modules and all they import, so that a page can ask for them at the same time."""
    seen, waiting = dict.fromkeys(modules), [*modules]
    while waiting:
        current = waiting.pop()
        text = read_files()[current].content.decode()
        for target in _IMPORT.findall(text):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(current), target))
            if path not in seen:
                seen[path] = None
                waiting.append(path)
    return tuple(seen)
