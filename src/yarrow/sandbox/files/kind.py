"""What a file is, by its bytes first and its name second."""

import re
from codecs import BOM_UTF8
from enum import StrEnum, auto

GZIP = b"\x1f\x8b"
HEAD_BYTES = 4096

_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PARQUET = b"PAR1"
_JSON_NAMES = (".json", ".ndjson", ".jsonl")
_NO_ROWS = re.compile(rb"\s*\[\s*\]\s*")
_CONTROLS = bytes(sorted(set(range(0x20)) - set(b"\t\n\v\f\r\x1a\x1b")))
_FEW = 0.02
_REFUSED = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"SQLite format 3": "a database",
    b"\x7fELF": "a program",
}
_MARKUP = {
    **dict.fromkeys((b"<!doctype html", b"<html", b"<head", b"<body", b"<table"), "a web page"),
    b"<?xml": "an XML document",
}


class FileKind(StrEnum):
    """The formats we read."""

    TEXT = auto()
    WORKBOOK = auto()
    JSON = auto()
    PARQUET = auto()


def kind_of(head: bytes, filename: str) -> FileKind:
    """Of a file that is not compressed any more; of a text, once it is in UTF-8."""
    if head.startswith(_PARQUET):
        return FileKind.PARQUET
    if head.startswith((_ZIP, _OLE)):
        return FileKind.WORKBOOK
    begins = head.removeprefix(BOM_UTF8).lstrip()[:1]
    name = filename.lower().removesuffix(".gz")
    if begins in {b"[", b"{"} and (name.endswith(_JSON_NAMES) or "." not in name):
        return FileKind.JSON
    return FileKind.TEXT


def foreign_kind(head: bytes) -> str | None:
    """What the file is instead, if it is surely nothing we read."""
    found = (what for magic, what in _REFUSED.items() if head.startswith(magic))
    begins = head.removeprefix(BOM_UTF8).lstrip().lower()
    markup = (what for tag, what in _MARKUP.items() if begins.startswith(tag))
    return next(found, None) or next(markup, None)


def looks_like_text(head: bytes) -> bool:
    """Of the beginning of a file in UTF-8: hardly any byte steers a machine."""
    return len(head) - len(head.translate(None, _CONTROLS)) <= len(head) * _FEW


def has_no_rows(head: bytes) -> bool:
    """An empty array, which says nothing of its columns either."""
    return _NO_ROWS.fullmatch(head.removeprefix(BOM_UTF8)) is not None
