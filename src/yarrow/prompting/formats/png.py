"""Character cards in PNG files: base64 of the JSON in a text chunk.

`chara` is the keyword of versions 1 and 2, `ccv3` that of version 3; SillyTavern writes both and
reads `ccv3` first. Files are untrusted: every length is checked before use, and decompression is
limited.
"""

import base64
import binascii
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonObject, decode_json, encode_json
from yarrow.prompting.errors import FileRefused
from yarrow.prompting.file_faults import FileFault
from yarrow.prompting.formats.cards import SPEC_V3, to_v2_card, to_v3_card

PNG_BYTES: Final = 20 * 1024 * 1024
CARD_BYTES: Final = 10 * 1024 * 1024
CHUNKS: Final = 20_000
"""More than a picture of the largest size needs; each costs one iteration."""

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
V3_KEYWORD: Final = b"ccv3"
V2_KEYWORD: Final = b"chara"

_TEXT_BYTES = CARD_BYTES // 3 * 4 + 64 * 1024
"""The largest card in base64, with room for line breaks."""
_FRAME = 12
"""Bytes of a chunk beside its data: length, type and checksum."""
_IHDR_BYTES = 13
_SHEET = (400, 600)
_DEFLATE = b"\0"


class PngCard(Struct, frozen=True):
    """The card of a picture, and the picture without text chunks."""

    content: JsonObject
    picture: bytes


class _PngChunk(Struct, frozen=True):
    type: bytes
    data: bytes
    whole: bytes


def read_png_card(data: bytes) -> PngCard:
    """Read the card of a picture; of several chunks with one keyword the first is used."""
    chunks = list(_iter_chunks(data))
    texts: dict[bytes, _PngChunk] = {}
    for chunk in chunks:
        if chunk.type in _READERS:
            texts.setdefault(chunk.data.partition(b"\0")[0].lower(), chunk)
    card_chunk = texts.get(V3_KEYWORD) or texts.get(V2_KEYWORD)
    if card_chunk is None:
        raise _make_png_error(FileFault.PNG_WITHOUT_CARD)
    picture = b"".join(chunk.whole for chunk in chunks if chunk.type not in _READERS)
    return PngCard(_decode_card(_READERS[card_chunk.type](card_chunk.data)), SIGNATURE + picture)


def strip_texts(data: bytes) -> bytes:
    """Return a picture without its text chunks, a card among them; raise if it is no PNG."""
    chunks = _iter_chunks(data)
    return SIGNATURE + b"".join(chunk.whole for chunk in chunks if chunk.type not in _READERS)


def write_png_card(picture: bytes, content: JsonObject) -> bytes:
    """Add the card to the picture in both chunks; the one of the card's own version is exact."""
    chunks = [chunk for chunk in _iter_chunks(picture) if chunk.type not in _READERS]
    is_v3 = content.get("spec") == SPEC_V3
    older, newer = (to_v2_card(content), content) if is_v3 else (content, to_v3_card(content))
    cards = [_build_text_chunk(V2_KEYWORD, older), _build_text_chunk(V3_KEYWORD, newer)]
    *body, end = [chunk.whole for chunk in chunks]
    return b"".join([SIGNATURE, *body, *cards, end])


@cache
def make_default_picture() -> bytes:
    """Return the picture for cards without one: a grey gradient."""
    width, height = _SHEET
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 0, 0, 0, 0))
    rows = (b"\0" + bytes((224 - row * 96 // height,)) * width for row in range(height))
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""))
    return SIGNATURE + b"".join(_build_chunk(kind, content) for kind, content in parts)


def _iter_chunks(data: bytes) -> Iterator[_PngChunk]:
    """Yield the chunks up to IEND; bytes after it are ignored."""
    if len(data) > PNG_BYTES:
        raise _make_png_error(FileFault.PNG_TOO_LARGE, limit=PNG_BYTES)
    if not data.startswith(SIGNATURE):
        raise _make_png_error(FileFault.NOT_A_PNG)
    offset = len(SIGNATURE)
    has_pixels = False
    for number in range(CHUNKS):
        chunk = _read_chunk(data, offset)
        if (chunk.type == b"IHDR") != (number == 0):
            raise _make_png_error(FileFault.PNG_HEADER_PLACE)
        has_pixels = has_pixels or chunk.type == b"IDAT"
        yield chunk
        if chunk.type == b"IEND":
            if not has_pixels:
                raise _make_png_error(FileFault.PNG_EMPTY)
            return
        offset += len(chunk.whole)
    raise _make_png_error(FileFault.PNG_CHUNKS, limit=CHUNKS)


def _read_chunk(data: bytes, offset: int) -> _PngChunk:
    size = int.from_bytes(data[offset : offset + 4], "big")
    end = offset + _FRAME + size
    if end > len(data) or offset + _FRAME > len(data):
        raise _make_png_error(FileFault.PNG_CUT_OFF)
    kind = data[offset + 4 : offset + 8]
    if not (kind.isalpha() and kind.isascii()):
        raise _make_png_error(FileFault.PNG_CHUNK_NAME)
    if kind == b"IHDR" and size != _IHDR_BYTES:
        raise _make_png_error(FileFault.PNG_HEADER_SIZE)
    if zlib.crc32(data[offset + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
        raise _make_png_error(FileFault.PNG_CHECKSUM)
    return _PngChunk(kind, data[offset + 8 : end - 4], data[offset:end])


def _read_plain(data: bytes) -> bytes:
    return data.partition(b"\0")[2]


def _read_compressed(data: bytes) -> bytes:
    rest = data.partition(b"\0")[2]
    return _inflate_text(rest[:1], rest[1:])


def _read_international(data: bytes) -> bytes:
    """Skip compression flag and method, language and translated keyword."""
    rest = data.partition(b"\0")[2]
    text = rest[2:].partition(b"\0")[2].partition(b"\0")[2]
    return _inflate_text(rest[1:2], text) if rest[:1] == b"\1" else text


_READERS: dict[bytes, Callable[[bytes], bytes]] = {
    b"tEXt": _read_plain,
    b"zTXt": _read_compressed,
    b"iTXt": _read_international,
}


def _inflate_text(method: bytes, data: bytes) -> bytes:
    if method != _DEFLATE:
        raise _make_png_error(FileFault.CARD_COMPRESSION)
    decompressor = zlib.decompressobj()
    try:
        text = decompressor.decompress(data, _TEXT_BYTES + 1)
    except zlib.error:
        raise _make_png_error(FileFault.CARD_COMPRESSED_BADLY) from None
    if len(text) <= _TEXT_BYTES and not decompressor.eof:
        raise _make_png_error(FileFault.CARD_CUT_OFF)
    return text


def _decode_card(text: bytes) -> JsonObject:
    if len(text) > _TEXT_BYTES:
        raise _make_png_error(FileFault.CARD_TOO_LARGE, limit=CARD_BYTES)
    packed = b"".join(text.split()).rstrip(b"=")
    try:
        plain = base64.b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
        content = decode_json(plain)
    except binascii.Error:
        raise _make_png_error(FileFault.CARD_BASE64) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _make_png_error(FileFault.CARD_JSON) from None
    if not isinstance(content, dict):
        raise _make_png_error(FileFault.CARD_NOT_OBJECT)
    return content


def _build_text_chunk(keyword: bytes, content: JsonObject) -> bytes:
    return _build_chunk(b"tEXt", keyword + b"\0" + base64.b64encode(encode_json(content)))


def _build_chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return len(data).to_bytes(4, "big") + kind + data + checksum.to_bytes(4, "big")


def _make_png_error(fault: FileFault, **facts: int) -> FileRefused:
    return FileRefused(fault, field="file", **facts)
