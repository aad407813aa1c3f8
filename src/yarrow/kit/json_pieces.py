"""Decode large JSON in many short calls.

A decoder in C holds the GIL until it is done, in a thread too: ten megabytes take a quarter of a
second in which no other thread runs. Here the text is cut between the elements of its large lists
and objects, and each piece of some `PIECE_BYTES` is decoded by a call of its own. It takes about
twice as long, and any other thread gets its turn after a few milliseconds.
"""

import re
from collections.abc import Iterator
from secrets import token_hex

import msgspec
from msgspec import Struct, field

from yarrow.kit.json import JsonValue, decode_json

PIECE_BYTES = 64 * 1024
MAX_DEPTH = 500
"""Half of Python's recursion limit: what was decoded must also be encoded, deeper in the stack."""

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BETWEEN = rb'[^"\[\]{}]{1,%d}+' % PIECE_BYTES
"""Numbers, literals, commas, colons and blanks."""
_FLAT = b'(?:%b|[^"\\[\\]{}]{1,500}+){0,100}+' % _STRING
"""The inside of a short list or object without others in it."""
_UNIT = rb"(?:%b|%b|\[%b\]|\{%b\})" % (_STRING, _BETWEEN, _FLAT, _FLAT)
_TOKEN = re.compile(rb"%b{1,200}+|[\[\]{}]" % _UNIT, re.DOTALL)
"""Some units, or a bracket of a container that is no unit."""
_UNITS = re.compile(_UNIT, re.DOTALL)
_BLANKS = b" \t\r\n"
_COMMA = re.compile(rb"[ \t\r\n]*,")
_OPENERS, _CLOSERS, _BRACKETS = b"[{", b"]}", b"[]{}"
_QUOTE = ord('"')


class JsonContainer(Struct):
    """A list or an object."""

    start: int
    """Position of its opening bracket."""
    next_piece: int
    """Where its next piece begins."""
    pieces: list["JsonPiece"] = field(default_factory=list)


class JsonPiece(Struct, frozen=True):
    """Text between two cuts of a container, and the large container that follows it."""

    start: int
    end: int
    large: JsonContainer | None = None


def decode_in_pieces(data: bytes, *, piece_bytes: int = PIECE_BYTES) -> JsonValue:
    """Decode to plain Python values; raises `msgspec.DecodeError`."""
    root = PieceScanner(data, piece_bytes).scan()
    return decode_json(data) if root is None else _decode_container(data, root, token_hex(16))


class PieceScanner:
    """Finds the large containers of a text, and where to cut them."""

    def __init__(self, data: bytes, piece_bytes: int) -> None:
        self._data, self._piece_bytes = data, piece_bytes
        self._outside = JsonContainer(0, 0)
        self._open = [self._outside]

    def scan(self) -> JsonContainer | None:
        """The outermost container with its pieces; None if it is not large."""
        data = self._data
        for token in _TOKEN.finditer(data):
            start, end = token.span()
            first = data[start]
            if end - start > 1 or first not in _BRACKETS:
                if end - self._open[-1].next_piece > self._piece_bytes:
                    self._cut_token(start, end)
            elif first in _OPENERS:
                self._open.append(JsonContainer(start, end))
                if len(self._open) > MAX_DEPTH:
                    raise _make_decode_error("it is nested too deeply")
            else:
                self._close_container(start)
        if len(self._open) > 1:
            raise _make_decode_error("a bracket is missing")
        outside = self._outside
        match outside.pieces:
            case []:
                return None
            case [piece] if not (data[: piece.end] + data[outside.next_piece :]).strip(_BLANKS):
                return piece.large
            case _:
                raise _make_decode_error("there is more than one value")

    def _close_container(self, at: int) -> None:
        """Close the innermost container with the bracket at this position."""
        if len(self._open) == 1:
            raise _make_decode_error("a bracket too many")
        container = self._open.pop()
        if _OPENERS.index(self._data[container.start]) != _CLOSERS.index(self._data[at]):
            raise _make_decode_error("brackets do not match")
        parent = self._open[-1]
        if at - container.start > self._piece_bytes:
            container.pieces.append(JsonPiece(container.next_piece, at))
            parent.pieces.append(JsonPiece(parent.next_piece, container.start, container))
            parent.next_piece = at + 1
        else:
            self._cut_at_comma(at + 1)

    def _cut_token(self, start: int, end: int) -> None:
        """Cut between the elements of this token."""
        for unit in _UNITS.finditer(self._data, start, end):
            first = self._data[unit.start()]
            if first == _QUOTE or first in _OPENERS:
                self._cut_at_comma(unit.end())
            elif (comma := self._data.rfind(b",", unit.start(), unit.end())) >= 0:
                self._cut_piece(comma)

    def _cut_at_comma(self, at: int) -> None:
        """Cut here if an element ends here: a comma follows. A key is followed by a colon."""
        if at - self._open[-1].next_piece > self._piece_bytes:
            comma = _COMMA.match(self._data, at)
            if comma is not None:
                self._cut_piece(comma.end() - 1)

    def _cut_piece(self, comma: int) -> None:
        container = self._open[-1]
        if comma - container.next_piece > self._piece_bytes:
            container.pieces.append(JsonPiece(container.next_piece, comma))
            container.next_piece = comma + 1


def _decode_container(data: bytes, container: JsonContainer, mark: str) -> JsonValue:
    """Decode piece by piece; in the text of a piece, `mark` stands for its large container."""
    is_list = data[container.start] == _OPENERS[0]
    items: list[JsonValue] = []
    members: dict[str, JsonValue] = {}
    for text, large in _iterate_texts(data, container):
        body = text if large is None else b'%b"%b"' % (text, mark.encode())
        part = decode_json(b"[%b]" % body if is_list else b"{%b}" % body)
        value = None if large is None else _decode_container(data, large, mark)
        if isinstance(part, list):
            items += part if large is None else [*part[:-1], value]
        elif isinstance(part, dict):
            members |= {key: value if item == mark else item for key, item in part.items()}
    return items if is_list else members


def _iterate_texts(
    data: bytes, container: JsonContainer
) -> Iterator[tuple[bytes, JsonContainer | None]]:
    """The pieces without the commas between them; raises `DecodeError` for a missing element."""
    pieces, follows_large = container.pieces, False
    for number, piece in enumerate(pieces, 1):
        text = data[piece.start : piece.end].strip(_BLANKS)
        is_last = number == len(pieces)
        if follows_large and not text and piece.large is None:
            # The end of the container, or blanks before a comma.
            follows_large = False
            continue
        if follows_large:
            if text[:1] != b",":
                raise _make_decode_error("a comma is missing")
            text = text[1:].strip(_BLANKS)
        if not text and piece.large is None and (follows_large or not is_last or number > 1):
            raise _make_decode_error("an element is missing")
        yield text, piece.large
        follows_large = piece.large is not None


def _make_decode_error(reason: str) -> msgspec.DecodeError:
    return msgspec.DecodeError(f"JSON is malformed: {reason}")
