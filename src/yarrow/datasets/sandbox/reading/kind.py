"""What a file is, by its bytes first and its name second."""

from enum import StrEnum, auto

GZIP = b"\x1f\x8b"
HEAD_BYTES = 4096

_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PARQUET = b"PAR1"
_JSON_NAMES = (".json", ".ndjson", ".jsonl")
_REFUSED = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"SQLite format 3": "a database",
    b"\x7fELF": "a program",
}


class FileKind(StrEnum):
    """The formats we read."""

    TEXT = auto()
    WORKBOOK = auto()
    JSON = auto()
    PARQUET = auto()


def kind_of(head: bytes, filename: str) -> FileKind:
    """Of a file that is not compressed any more."""
    if head.startswith(_PARQUET):
        return FileKind.PARQUET
    if head.startswith((_ZIP, _OLE)):
        return FileKind.WORKBOOK
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    name = filename.lower().removesuffix(".gz")
    if begins in {b"[", b"{"} and (name.endswith(_JSON_NAMES) or "." not in name):
        return FileKind.JSON
    return FileKind.TEXT


def foreign_kind(head: bytes) -> str | None:
    """What the file is instead, if it is surely nothing we read."""
    return next((what for magic, what in _REFUSED.items() if head.startswith(magic)), None)
