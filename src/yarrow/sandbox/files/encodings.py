"""Decompress a file and convert it to UTF-8, within a limit of bytes."""

import codecs
import gzip
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from yarrow.sandbox.files.errors import FileUnreadable
from yarrow.sandbox.files.file_kind import GZIP
from yarrow.sandbox.files.rank_encodings import rank_encodings
from yarrow.sandbox.table_notes import Sentence

CHUNK = 1024 * 1024
DETECT_BYTES = 64 * 1024
UTF8 = "utf-8"
FEW_BYTES = 256
"""Bytes beyond ASCII that say little about the encoding of a file."""
DAMAGED_UTF8 = "utf-8 with damaged characters"
_WHOLE_PER_DAMAGED = 8
"""Least number of whole characters beyond ASCII for each damaged one."""

_LAST_ASCII = 0x7F
_HIGH_ZEROS = 0.05
"""Share of zero high bytes above which a file may be UTF-16."""

_BOMS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "gb18030": ("gbk", "gb18030"),
    "cp949": ("euc-kr", "cp949"),
    "cp932": ("shift_jis", "cp932"),
    "cp1252": ("cp1252", "latin-1"),
}
"""Encodings of one script, the narrower one first."""
_LAST = ("latin-1",)


def unpack_gzip(source: Path, output: Path, *, max_bytes: int) -> Path:
    """The file itself or, for gzip, its content, if that has at most `max_bytes`."""
    with source.open("rb") as file:
        if file.read(2) != GZIP:
            return source
    with _open_gzip(source) as packed, output.open("wb") as unpacked:
        size = 0
        while chunk := packed.read(CHUNK):
            size += len(chunk)
            if size > max_bytes:
                raise FileUnreadable(Sentence.UNPACKED_TOO_LARGE, bytes=max_bytes)
            unpacked.write(chunk)
    return output


@contextmanager
def _open_gzip(source: Path) -> Iterator[BinaryIO]:
    try:
        with gzip.open(source) as packed:
            yield packed  # type: ignore[misc]
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise FileUnreadable(Sentence.BROKEN_GZIP) from None


def convert_to_utf8(
    source: Path, output: Path, *, max_bytes: int, encoding: str | None = None
) -> tuple[Path, str]:
    """The file in UTF-8, and the encoding it had; detected unless its owner names it."""
    encoding = detect_encoding(source) if encoding is None else check_encoding(source, encoding)
    if encoding == UTF8:
        return source, encoding
    with source.open("rb") as file, output.open("wb") as decoded:
        decoder = _make_decoder(encoding)
        size = 0
        while chunk := file.read(CHUNK):
            text = decoder.decode(chunk).encode()
            size += len(text)
            if size > max_bytes:
                raise FileUnreadable(Sentence.DECODED_TOO_LARGE, bytes=max_bytes)
            decoded.write(text)
        decoded.write(decoder.decode(b"", final=True).encode())
    return output, encoding


def _make_decoder(encoding: str) -> codecs.IncrementalDecoder:
    if encoding == DAMAGED_UTF8:
        return codecs.getincrementaldecoder(UTF8)("replace")
    return codecs.getincrementaldecoder(encoding)()


def strip_bom(source: Path, output: Path) -> Path:
    """The file without a byte order mark, which DuckDB would read as part of the JSON."""
    with source.open("rb") as file:
        if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            return source
        with output.open("wb") as unmarked:
            shutil.copyfileobj(file, unmarked, CHUNK)
    return output


def check_encoding(source: Path, name: str) -> str:
    """The encoding that the owner named, if the whole file is in it."""
    try:
        encoding = codecs.lookup(name.strip()).name
        "".encode(encoding)
    except (LookupError, ValueError):
        raise FileUnreadable(Sentence.NO_SUCH_ENCODING, name=name) from None
    if not _can_decode(source, encoding):
        raise FileUnreadable(Sentence.OTHER_ENCODING, name=name)
    with source.open("rb") as file:
        is_marked = file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    return UTF8 if encoding in {UTF8, "ascii"} or is_marked else encoding


def detect_encoding(source: Path) -> str:
    """The first candidate that decodes the whole file."""
    with source.open("rb") as file:
        head = file.read(DETECT_BYTES)
    if (encoding := _BOMS.get(head[:2])) is not None:
        return encoding
    tried: list[str] = []
    for encoding in _list_candidates(head, source):
        if encoding not in tried and _can_decode(source, encoding):
            return encoding
        if encoding == UTF8 and is_damaged_utf8(source):
            return DAMAGED_UTF8
        tried.append(encoding)
    raise FileUnreadable(Sentence.UNKNOWN_ENCODING)


def read_sample(source: Path) -> bytes:
    """The bytes by which an encoding is judged: the head of a file, and lines of what follows it
    that are not ASCII, if the head has few of them."""
    with source.open("rb") as file:
        sample = file.read(DETECT_BYTES)
        if sum(byte > _LAST_ASCII for byte in sample) >= FEW_BYTES:
            return sample
        sample += file.readline(DETECT_BYTES)
        for line in iter(partial(file.readline, DETECT_BYTES), b""):
            if not line.isascii():
                sample += line
            if len(sample) >= 2 * DETECT_BYTES:
                break
    return sample


def is_damaged_utf8(source: Path) -> bool:
    """Whether few of the characters beyond ASCII are no UTF-8, as of a file that was cut off."""
    decoder = codecs.getincrementaldecoder(UTF8)("replace")
    damaged = whole = 0
    with source.open("rb") as file:
        while chunk := file.read(CHUNK):
            text = decoder.decode(chunk)
            damaged += text.count("\ufffd")
            whole += len(text) - len(text.encode("ascii", "ignore"))
            if damaged > DETECT_BYTES:
                return False
        damaged += len(decoder.decode(b"", final=True))
    return damaged > 0 and damaged * _WHOLE_PER_DAMAGED <= whole - damaged


def decode_start(data: bytes) -> str:
    """The text of a file's first bytes, by the rule of uploads; the last character may be cut."""
    head = data[:DETECT_BYTES]
    encodings = [marked] if (marked := _BOMS.get(head[:2])) is not None else _list_candidates(head)
    for encoding in encodings:
        with suppress(UnicodeDecodeError):
            return codecs.getincrementaldecoder(encoding)().decode(data).removeprefix("\ufeff")
    return data.decode("latin-1")


def _list_candidates(head: bytes, source: Path | None = None) -> Iterator[str]:
    yield from _find_utf16_without_bom(head)
    yield UTF8
    for encoding in rank_encodings(head if source is None else read_sample(source)):
        yield from _FAMILIES.get(encoding, (encoding,))
    yield from _LAST


def _find_utf16_without_bom(head: bytes) -> Iterator[str]:
    """UTF-16 without a byte order mark, if the high bytes of commas, digits and line ends are zero
    and no low byte is."""
    even, odd = head[::2], head[1::2]
    for encoding, high, low in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        ends_lines = any(pair == (0, 0x0A) for pair in zip(high, low, strict=False))
        if ends_lines and 0 not in low and high.count(0) > len(high) * _HIGH_ZEROS:
            yield encoding


def _can_decode(source: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with source.open("rb") as file:
        try:
            while chunk := file.read(CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True
