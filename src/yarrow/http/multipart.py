"""Reading a form: its parts one after the other, none larger than it may be.

`python-multipart` finds the boundaries. What it leaves open is decided here: a form that does
not end is refused, and so is everything that is too much, while it is read.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from yarrow.errors import BodyTooLarge, InvalidInput
from yarrow.http.body import declared_size

FRAMING_BYTES = 64 * 1024
"""Room for boundaries, headers and small fields beside the part that matters."""
MAX_PARTS = 32
NOT_A_FORM = "body must be multipart/form-data"
BROKEN_FORM = "body is not valid multipart/form-data"
TOO_MANY_PARTS = f"a form has at most {MAX_PARTS} parts"

_DEFAULT_TYPE = "text/plain"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a form, whole."""

    name: str
    filename: str | None
    content_type: str
    """Lower case, without parameters; `text/plain` where the client does not say (RFC 7578)."""
    data: bytes


async def read_parts(request: Request, *, limit: int, rule: str) -> AsyncIterator[Part]:
    """The parts as they arrive; one of more than `limit` bytes is `BodyTooLarge` with `rule`.

    The whole body may have `FRAMING_BYTES` more: a part of exactly `limit` bytes fits.
    """
    too_large = BodyTooLarge(rule, limit=limit)
    if declared_size(request) > limit + FRAMING_BYTES:
        raise too_large
    form = _Form(_boundary_of(request))
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        form.feed(chunk)
        if size > limit + FRAMING_BYTES or form.largest > limit:
            raise too_large
        for part in form.take():
            yield part
    form.require_end()


def _boundary_of(request: Request) -> bytes:
    kind, options = parse_options_header(request.headers.get("content-type"))
    if kind != b"multipart/form-data":
        raise InvalidInput(NOT_A_FORM)
    if not options.get(b"boundary"):
        raise InvalidInput(BROKEN_FORM)
    return options[b"boundary"]


class _Form:
    """The state of one parse: what has been read of the open part, and the parts that are done."""

    def __init__(self, boundary: bytes) -> None:
        self.largest = 0
        """Bytes of the largest part so far, the open one included."""
        self._parts = 0
        self._done: list[Part] = []
        self._has_ended = False
        self._begin()
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin,
                    "on_header_field": self._on_header_field,
                    "on_header_value": self._on_header_value,
                    "on_header_end": self._on_header_end,
                    "on_part_data": self._on_data,
                    "on_part_end": self._on_part_end,
                    "on_end": self._on_end,
                },
            )
        except FormParserError:
            raise InvalidInput(BROKEN_FORM) from None

    def feed(self, chunk: bytes) -> None:
        try:
            self._parser.write(chunk)
        except FormParserError:
            raise InvalidInput(BROKEN_FORM) from None

    def take(self) -> list[Part]:
        """The parts that have become whole since the last call."""
        done, self._done = self._done, []
        return done

    def require_end(self) -> None:
        """Raise unless the closing boundary has been seen."""
        if not self._has_ended:
            raise InvalidInput(BROKEN_FORM)

    def _begin(self) -> None:
        self._field, self._value, self._data = bytearray(), bytearray(), bytearray()
        self._headers: dict[str, str] = {}

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        self._headers[self._field.decode("latin-1").lower()] = self._value.decode("latin-1")
        self._field, self._value = bytearray(), bytearray()

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        self._data += data[start:end]
        self.largest = max(self.largest, len(self._data))

    def _on_part_end(self) -> None:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise InvalidInput(TOO_MANY_PARTS)
        self._done.append(_part(self._headers, bytes(self._data)))

    def _on_end(self) -> None:
        self._has_ended = True


def _part(headers: dict[str, str], data: bytes) -> Part:
    kind, options = parse_options_header(headers.get("content-disposition"))
    name = _text(options.get(b"name"))
    if kind != b"form-data" or name is None:
        raise InvalidInput(BROKEN_FORM)
    content_type, _ = parse_options_header(headers.get("content-type"))
    return Part(
        name=name,
        filename=_text(options.get(b"filename")),
        content_type=content_type.decode("latin-1").strip() or _DEFAULT_TYPE,
        data=data,
    )


def _text(value: bytes | None) -> str | None:
    """Names are UTF-8 (RFC 7578); one that is not stays readable and is never a surprise."""
    return None if value is None else value.decode("utf-8", errors="replace")
