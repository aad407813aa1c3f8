"""What routes read from a request: the JSON body, the workspace and the language."""

import asyncio
import zlib
from typing import TypeVar

from fastapi import Request
from pydantic import BaseModel

from yarrow.errors import InvalidInput, TooLarge
from yarrow.http.body import parse_body, read_body, require_json_type, validate_model
from yarrow.ids import AccountId
from yarrow.language.languages import Language, find_nearest_language
from yarrow.tables.model import DEFAULT_WORKSPACE, Workspace

Model = TypeVar("Model", bound=BaseModel)

SMALL_BODY_BYTES = 1024 * 1024
WORKSPACE_HEADER = "X-Workspace-Id"
WORKSPACE_QUERY = "workspace"
WORKSPACE_CHARS = 256

GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file."""
GZIP_WINDOW = 16 + zlib.MAX_WBITS
"""Has zlib read a gzip header."""
NOT_GZIP = "body is not valid gzip"


async def read_json_body(
    model: type[Model], request: Request, *, limit: int = SMALL_BODY_BYTES
) -> Model:
    """The body as `model`; its content type must be JSON."""
    return validate_model(model, await parse_body(await read_json_bytes(request, limit=limit)))


async def read_json_bytes(request: Request, *, limit: int) -> bytes:
    """The body's bytes, decompressed if they are gzip; `limit` holds before and after."""
    require_json_type(request)
    body = await read_body(request, limit=limit)
    if not body.startswith(GZIP):
        return body
    return await asyncio.to_thread(_decompress_body, body, limit=limit)


def read_workspace(request: Request, account_id: AccountId) -> Workspace:
    """The workspace that the header names, or the query: a browser that opens a URL sends no
    header of ours. Without a name it is the default one."""
    header = _decode_header(request.headers.get(WORKSPACE_HEADER, ""))
    name = header.strip() or request.query_params.get(WORKSPACE_QUERY)
    return Workspace(account_id, choose_workspace(name))


def choose_workspace(name: str | None) -> str:
    """The workspace that a request names; the default one if it names none."""
    name = (name or "").strip() or DEFAULT_WORKSPACE
    if len(name) > WORKSPACE_CHARS or not name.isprintable():
        raise InvalidInput(f"a workspace's name has at most {WORKSPACE_CHARS} printable characters")
    return name


def read_language(request: Request) -> str:
    """The first language the client accepts, without its region; empty if it names none.

    Chinese in traditional script, as of Taiwan, is `zh-Hant`.
    """
    first = request.headers.get("accept-language", "").split(",")[0].split(";")[0].strip()
    if find_nearest_language(first) is Language.HANT:
        return Language.HANT.value
    code = first.split("-")[0].lower()
    return code if code.isascii() and code.isalpha() and len(code) <= 8 else ""


def _decode_header(header: str) -> str:
    """Starlette decodes headers as Latin-1, but clients write UTF-8 into them."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def _decompress_body(body: bytes, *, limit: int) -> bytes:
    decompressor = zlib.decompressobj(GZIP_WINDOW)
    try:
        plain = decompressor.decompress(body, limit + 1)
    except zlib.error:
        raise InvalidInput(NOT_GZIP) from None
    if len(plain) > limit:
        raise TooLarge(f"body must have at most {limit} bytes", limit=limit)
    if not decompressor.eof:
        raise InvalidInput(NOT_GZIP)
    return plain
