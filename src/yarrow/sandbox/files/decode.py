"""Bytes become UTF-8: unpacked, decoded by the first encoding that fits, counted all the while."""

import codecs
import gzip
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from charset_normalizer import from_bytes

from yarrow.sandbox.files.failure import Unreadable
from yarrow.sandbox.files.kind import GZIP

CHUNK = 1024 * 1024
DETECT_BYTES = 64 * 1024
UTF8 = "utf-8"

_SOME = 0.05

_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_BEFORE_DETECTION = (UTF8, "gbk")
_CREDIBLE = ("big5", "shift_jis", "cp932", "cp949", "euc", "cp125", "koi8", "iso8859")
"""What a detector may find; of a few bytes it also finds code pages nobody uses, and UTF-16, in
which nearly all bytes are some character."""
_AFTER_DETECTION = ("big5", "gb18030", "shift_jis", "euc-kr", "latin-1")


def unpack(source: Path, plain: Path, *, max_bytes: int) -> Path:
    """The file itself or, for gzip, its content: stopped where a bomb would go on."""
    with source.open("rb") as file:
        if file.read(2) != GZIP:
            return source
    with _packed(source) as packed, plain.open("wb") as unpacked:
        size = 0
        while chunk := packed.read(CHUNK):
            size += len(chunk)
            if size > max_bytes:
                raise Unreadable(f"unpacked, the file has more than {max_bytes} bytes")
            unpacked.write(chunk)
    return plain


@contextmanager
def _packed(source: Path) -> Iterator[BinaryIO]:
    try:
        with gzip.open(source) as packed:
            yield packed  # type: ignore[misc]
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise Unreadable("the gzip file is broken") from None


def as_utf8(source: Path, plain: Path, *, max_bytes: int) -> tuple[Path, str]:
    """The file in UTF-8, and the encoding it had."""
    encoding = encoding_of(source)
    if encoding == UTF8:
        return source, encoding
    with source.open("rb") as file, plain.open("wb") as decoded:
        decoder = codecs.getincrementaldecoder(encoding)()
        size = 0
        while chunk := file.read(CHUNK):
            text = decoder.decode(chunk).encode()
            size += len(text)
            if size > max_bytes:
                raise Unreadable(f"decoded, the file has more than {max_bytes} bytes")
            decoded.write(text)
    return plain, encoding


def without_mark(source: Path, plain: Path) -> Path:
    """A file in UTF-8 without its mark, which DuckDB takes for a part of JSON."""
    with source.open("rb") as file:
        if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            return source
        with plain.open("wb") as unmarked:
            shutil.copyfileobj(file, unmarked, CHUNK)
    return plain


def encoding_of(source: Path) -> str:
    """The first encoding in which every byte of the file makes sense."""
    with source.open("rb") as file:
        head = file.read(DETECT_BYTES)
    if (marked := _MARKS.get(head[:2])) is not None:
        return marked
    tried: list[str] = []
    for encoding in _candidates(head):
        if encoding not in tried and _fits(source, encoding):
            return encoding
        tried.append(encoding)
    raise Unreadable("the file is no text in an encoding we know")


def _candidates(head: bytes) -> Iterator[str]:
    yield from _unmarked_utf16(head)
    yield from _BEFORE_DETECTION
    best = from_bytes(head).best()
    if best is not None and best.encoding.startswith(_CREDIBLE):
        yield codecs.lookup(best.encoding).name
    yield from _AFTER_DETECTION


def _unmarked_utf16(head: bytes) -> Iterator[str]:
    """UTF-16 without its mark: the high bytes of commas, digits and ends of lines are zero, and
    no low byte is."""
    even, odd = head[::2], head[1::2]
    for encoding, high, low in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        ends_lines = any(pair == (0, 0x0A) for pair in zip(high, low, strict=False))
        if ends_lines and 0 not in low and high.count(0) > len(high) * _SOME:
            yield encoding


def _fits(source: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with source.open("rb") as file:
        try:
            while chunk := file.read(CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True
