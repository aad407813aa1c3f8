"""The body of `sync-table-data`: up to 100 MiB of JSON, perhaps gzip, without holding it in memory.

The body is spooled to disk as it was sent. Inflating and splitting happen in a thread, for all
requests together in a few slots, and only after the table's name at the beginning of the body was
found to exist.
"""

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from fastapi import Request
from msgspec import Struct

from yarrow.errors import InvalidInput, TooLarge, Unavailable
from yarrow.http.body import (
    NOT_JSON,
    NUL_IN_TEXT,
    read_declared_size,
    require_json_type,
    validate_model,
)
from yarrow.kit.limiter import Limiter
from yarrow.protocols.ndjson.requests import GZIP, GZIP_WINDOW, NOT_GZIP
from yarrow.protocols.ndjson.tables.wire import TableNameBody
from yarrow.tables.model import Tables
from yarrow.tables.temp_files import SpoolFile

SYNC_BYTES = 100 * 1024 * 1024
"""Before and after inflating."""
AT_ONCE = 2
MAX_WAITING = 64
WAIT_S = 30.0
EXACT_BYTES = 8 * 1024 * 1024
"""A larger body is split by its beginning and end: decoding it would hold the GIL for long."""
HEAD_BYTES = 64 * 1024
TAIL_BYTES = 4096
CHUNK_BYTES = 1024 * 1024

TOO_LARGE = f"body must have at most {SYNC_BYTES} bytes"
NOT_SPLIT = "beside rows, the body may have texts, numbers and booleans only"

_STRING = rb'"(?:[^"\\]|\\.)*+"'
_MEMBER = rb"\s*+" + _STRING + rb"\s*+:\s*+(?:" + _STRING + rb"|[-+.\w]++)\s*+"
_HEAD = re.compile(rb'\s*+\{(?P<members>(?:%b,)*+)\s*+"rows"\s*+:\s*+(?=\[)' % _MEMBER)
_TAIL = re.compile(rb"\](?P<members>(?:\s*+,%b)*+)\s*+\}\s*+\Z" % _MEMBER)

CheckTable = Callable[[str], Awaitable[object]]
"""Raises if the table does not exist."""


class SyncBody(msgspec.Struct):
    """The body as it is decoded when it is small."""

    table_name: str
    rows: msgspec.Raw


class _Members(msgspec.Struct):
    table_name: str | None = None


_sync = msgspec.json.Decoder(SyncBody)
_members = msgspec.json.Decoder(_Members)


class SyncRows(Struct, frozen=True):
    """The table's name, and its rows as a file with a JSON array: the sandbox parses it."""

    table_name: str
    path: Path


class SyncReader:
    """Reads bodies, a few at the same time for all accounts together."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._limiter = Limiter(
            AT_ONCE,
            per_owner=1,
            max_waiting=MAX_WAITING,
            timeout_s=WAIT_S,
            busy=lambda: Unavailable("too many tables are being replaced; try again"),
        )

    @asynccontextmanager
    async def read(
        self, request: Request, owner: object, check_table: CheckTable
    ) -> AsyncIterator[SyncRows]:
        """The rows of the request, in a file that is removed after the block."""
        require_json_type(request)
        if read_declared_size(request) > SYNC_BYTES:
            raise TooLarge(TOO_LARGE, limit=SYNC_BYTES)
        sent, plain, rows = (self._make_spool_file() for _ in range(3))
        try:
            await _spool_body(request, sent)
            async with self._limiter.slot(owner):
                name = await asyncio.to_thread(_read_early_name, sent.path)
                if name is not None:
                    await check_table(_clean_name(name))
                body = await asyncio.to_thread(_inflate_body, sent, plain)
                name = _clean_name(await asyncio.to_thread(_split_body, body, rows))
            yield SyncRows(name, rows.path)
        finally:
            for file in (sent, plain, rows):
                file.discard()

    def _make_spool_file(self) -> SpoolFile:
        return SpoolFile(self._tables.sandbox.spool_path(".sync"), max_bytes=SYNC_BYTES)


async def _spool_body(request: Request, file: SpoolFile) -> None:
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > SYNC_BYTES:
            raise TooLarge(TOO_LARGE, limit=SYNC_BYTES)
        file.write(chunk)
    file.close()


def _read_early_name(path: Path) -> str | None:
    """The table's name if it comes before the rows; None if it does not, or nothing is readable."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(GZIP_WINDOW).decompress(head, HEAD_BYTES)
        except zlib.error:
            raise InvalidInput(NOT_GZIP) from None
    match = _HEAD.match(head)
    return None if match is None else _read_name(match["members"])


def _inflate_body(sent: SpoolFile, plain: SpoolFile) -> Path:
    """The file as JSON text, in chunks; zlib releases the GIL."""
    with sent.path.open("rb") as file:
        if file.read(len(GZIP)) != GZIP:
            return sent.path
        file.seek(0)
        inflater, size = zlib.decompressobj(GZIP_WINDOW), 0
        try:
            while packed := inflater.unconsumed_tail or file.read(CHUNK_BYTES):
                chunk = inflater.decompress(packed, CHUNK_BYTES)
                size += len(chunk)
                if size > SYNC_BYTES:
                    raise TooLarge(TOO_LARGE, limit=SYNC_BYTES)
                plain.write(chunk)
                if inflater.eof:
                    break
        except zlib.error:
            raise InvalidInput(NOT_GZIP) from None
    if not inflater.eof:
        raise InvalidInput(NOT_GZIP)
    plain.close()
    return plain.path


def _split_body(body: Path, rows: SpoolFile) -> str:
    """Write the rows, still as JSON text, and return the table's name."""
    if body.stat().st_size <= EXACT_BYTES:
        parsed = _decode_body(body.read_bytes())
        rows.write(bytes(parsed.rows))
        name = parsed.table_name
    else:
        name = _split_large(body, rows)
    rows.close()
    return name


def _decode_body(data: bytes) -> SyncBody:
    try:
        parsed = _sync.decode(data)
    except msgspec.ValidationError:
        raise InvalidInput("the body must have table_name and rows", field="rows") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidInput(NOT_JSON) from None
    if not bytes(parsed.rows).startswith(b"["):
        raise InvalidInput("rows must be an array of objects", field="rows")
    return parsed


def _split_large(body: Path, rows: SpoolFile) -> str:
    """Cut the rows out; whether they are JSON is seen when the sandbox parses them."""
    size = body.stat().st_size
    with body.open("rb") as file:
        head = _HEAD.match(file.read(HEAD_BYTES))
        file.seek(size - TAIL_BYTES)
        tail = _TAIL.search(file.read(TAIL_BYTES))
        if head is None or tail is None:
            raise InvalidInput(NOT_SPLIT, field="rows")
        name = _read_name(head["members"] + tail["members"].lstrip()[1:] + b",")
        if name is None:
            raise InvalidInput("the body must have table_name and rows", field="table_name")
        file.seek(head.end())
        left = size - TAIL_BYTES + tail.start() + 1 - head.end()
        while left > 0:
            chunk = file.read(min(CHUNK_BYTES, left))
            left -= len(chunk)
            rows.write(chunk)
    return name


def _read_name(members: bytes) -> str | None:
    """The table's name among members that end with a comma."""
    try:
        return _members.decode(b"{" + members.rstrip().rstrip(b",") + b"}").table_name
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise InvalidInput(NOT_JSON) from None


def _clean_name(name: str) -> str:
    if "\0" in name:
        raise InvalidInput(NUL_IN_TEXT)
    return validate_model(TableNameBody, {"table_name": name}).table_name
