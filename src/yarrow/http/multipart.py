"""Streaming reader of `multipart/form-data`: holds at most one network chunk in memory.

Not `request.form()`: Starlette reads the whole form first, spools every file to disk and knows
no limit for the body.
"""

import re
from collections.abc import AsyncIterator, Hashable
from urllib.parse import unquote_to_bytes

from fastapi import Request
from msgspec import Struct
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from yarrow.clock import Clock
from yarrow.errors import InvalidInput, TooLarge, TooManyRequests
from yarrow.http.body import read_declared_size
from yarrow.kit.limiter import current_owner
from yarrow.kit.rate_limit import RateLimit

FORM_TYPE = b"multipart/form-data"
DEFAULT_TYPE = "text/plain"
MAX_PARTS = 32

NOT_A_FORM = "body must be multipart/form-data"
MALFORMED = "body is not valid multipart/form-data"

_EXTENDED = re.compile(rb"filename\*=(?:utf-8|UTF-8)'[^']*'(?P<name>[^;\s]*)")


class FormPart(Struct, frozen=True):
    """One field of a form. Read its chunks before the next part is requested."""

    name: str
    filename: str | None
    """None for a plain field."""
    content_type: str
    """Lower case, without parameters; `text/plain` if the client sends none (RFC 7578)."""
    chunks: AsyncIterator[bytes]

    async def read(self, *, limit: int, too_large: TooLarge) -> bytes:
        """The whole content; raises `too_large` as soon as it exceeds the limit."""
        content = bytearray()
        async for chunk in self.chunks:
            content += chunk
            if len(content) > limit:
                raise too_large
        return bytes(content)

    async def read_text(self, *, limit: int) -> str:
        content = b""
        async for chunk in self.chunks:
            content += chunk
            if len(content) > limit:
                raise InvalidInput(f"{self.name}: at most {limit} bytes", field=self.name)
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise InvalidInput(f"{self.name}: must be UTF-8", field=self.name) from None


class PartHeader(Struct, frozen=True):
    name: str
    filename: str | None
    content_type: str


_Piece = PartHeader | bytes | None
"""Header of a part, a chunk of its content, or None at its end."""


class UploadLimit:
    """Counts the forms with files that accounts send."""

    def __init__(self, clock: Clock, *, per_minute: int) -> None:
        self._clock = clock
        self._accounts = RateLimit(burst=per_minute, per_s=per_minute / 60)

    def count(self, owner: Hashable) -> None:
        """Raises `TooManyRequests` for one form more than the account may send."""
        if wait_s := self._accounts.take(owner, now=self._clock().timestamp()):
            raise TooManyRequests("too many uploads; try again later", retry_after_s=wait_s)


def _count_upload(request: Request) -> None:
    app = request.scope.get("app")
    uploads: UploadLimit | None = getattr(app.state, "uploads", None) if app else None
    if uploads is not None:
        uploads.count(current_owner())


async def read_parts(
    request: Request, *, limit: int, too_large: TooLarge
) -> AsyncIterator[FormPart]:
    """Yield the form's parts in order; raises `too_large` when the body exceeds the limit."""
    _count_upload(request)
    if read_declared_size(request) > limit:
        raise too_large
    form = FormDecoder(request)
    pieces = _read_pieces(request, form, limit=limit, too_large=too_large)
    async for piece in pieces:
        if isinstance(piece, PartHeader):
            yield FormPart(piece.name, piece.filename, piece.content_type, _read_content(pieces))


async def _read_content(pieces: AsyncIterator[_Piece]) -> AsyncIterator[bytes]:
    async for piece in pieces:
        if not isinstance(piece, bytes):
            return
        yield piece


async def _read_pieces(
    request: Request, form: "FormDecoder", *, limit: int, too_large: TooLarge
) -> AsyncIterator[_Piece]:
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise too_large
        for piece in form.feed(chunk):
            yield piece
    if not form.ended:
        raise InvalidInput(MALFORMED)


class FormDecoder:
    """Collects the pieces that the parser's callbacks deliver. The parser limits headers."""

    def __init__(self, request: Request) -> None:
        kind, options = parse_options_header(request.headers.get("content-type"))
        boundary = options.get(b"boundary")
        if kind != FORM_TYPE or not boundary:
            raise InvalidInput(NOT_A_FORM)
        self.ended = False
        self._pieces: list[_Piece] = []
        self._parts = 0
        self._disposition = self._content_type = b""
        self._field = self._value = b""
        try:
            self._parser = _make_parser(boundary, self)
        except FormParserError:
            raise InvalidInput(NOT_A_FORM) from None

    def feed(self, chunk: bytes) -> list[_Piece]:
        """The pieces in this chunk of the body."""
        self._pieces = []
        try:
            self._parser.write(chunk)
        except FormParserError:
            raise InvalidInput(MALFORMED) from None
        return self._pieces

    def on_part_begin(self) -> None:
        self._parts += 1
        self._disposition = self._content_type = b""
        if self._parts > MAX_PARTS:
            raise InvalidInput(f"a form may have at most {MAX_PARTS} fields")

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def on_header_end(self) -> None:
        match self._field.lower():
            case b"content-disposition":
                self._disposition = self._value
            case b"content-type":
                self._content_type = self._value
        self._field = self._value = b""

    def on_headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        if b"name" not in options:
            raise InvalidInput("every field of the form must have a name")
        filename = options.get(b"filename", _read_extended_filename(self._disposition))
        name = options[b"name"].decode("utf-8", "replace")
        decoded = None if filename is None else filename.decode("utf-8", "replace")
        kind, _ = parse_options_header(self._content_type)
        content_type = kind.decode("latin-1").strip() or DEFAULT_TYPE
        self._pieces.append(PartHeader(name, decoded, content_type))

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        self._pieces.append(data[start:end])

    def on_part_end(self) -> None:
        self._pieces.append(None)

    def on_end(self) -> None:
        self.ended = True


def _read_extended_filename(disposition: bytes) -> bytes | None:
    """A name beyond ASCII: some clients send only the extended form of RFC 5987."""
    if b"filename*=" not in disposition:
        return None
    match = _EXTENDED.search(disposition)
    return unquote_to_bytes(match["name"]) if match else b""


def _make_parser(boundary: bytes, form: FormDecoder) -> MultipartParser:
    return MultipartParser(
        boundary,
        {
            "on_part_begin": form.on_part_begin,
            "on_header_field": form.on_header_field,
            "on_header_value": form.on_header_value,
            "on_header_end": form.on_header_end,
            "on_headers_finished": form.on_headers_finished,
            "on_part_data": form.on_part_data,
            "on_part_end": form.on_part_end,
            "on_end": form.on_end,
        },
    )
