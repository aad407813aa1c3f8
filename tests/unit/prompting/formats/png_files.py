"""PNG files made by the book (the PNG specification), sound and broken, without our own writer."""

import base64
import json
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, data: bytes = b"", *, checksum: int | None = None) -> bytes:
    crc = zlib.crc32(kind + data) if checksum is None else checksum
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)


HEADER = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
PIXELS = chunk(b"IDAT", zlib.compress(b"\0\1\2\3"))
END = chunk(b"IEND")


def png(*texts: bytes) -> bytes:
    """One dot, with these chunks between its header and its pixels."""
    return SIGNATURE + HEADER + b"".join(texts) + PIXELS + END


def packed(card: object) -> bytes:
    return base64.b64encode(json.dumps(card).encode())


def text(keyword: bytes, card: object) -> bytes:
    return chunk(b"tEXt", keyword + b"\0" + packed(card))


def compressed(keyword: bytes, content: bytes) -> bytes:
    return chunk(b"zTXt", keyword + b"\0\0" + zlib.compress(content))


def international(keyword: bytes, content: bytes, *, squeeze: bool) -> bytes:
    body = zlib.compress(content) if squeeze else content
    return chunk(b"iTXt", keyword + (b"\0\1\0" if squeeze else b"\0\0\0") + b"en\0\0" + body)


def texts_of(data: bytes) -> dict[bytes, object]:
    """The cards of a PNG, read by the book."""
    found: dict[bytes, object] = {}
    at = len(SIGNATURE)
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        if kind == b"tEXt":
            keyword, _, content = body.partition(b"\0")
            found[keyword] = json.loads(base64.b64decode(content))
        at += 12 + size
    return found
