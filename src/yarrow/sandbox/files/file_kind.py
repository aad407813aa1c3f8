"""Detect the kind of a file by its first bytes, then by its name."""

import re
from codecs import BOM_UTF8
from enum import StrEnum, auto

from yarrow.sandbox.table_notes import Sentence

GZIP = b"\x1f\x8b"
HEAD_BYTES = 4096

_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PARQUET = b"PAR1"
_JSON_NAMES = (".json", ".ndjson", ".jsonl")
_NO_ROWS = re.compile(rb"\s*\[\s*\]\s*")
_RECORDS = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[?\s*\{\s*"[^"\n]*"\s*:')
"""Records of JSON, whatever the file is called."""
_CONTROLS = bytes(sorted(set(range(0x20)) - set(b"\t\n\v\f\r\x1a\x1b")))
_MAX_CONTROLS = 0.02
_REFUSED = {
    b"%PDF": Sentence.PDF,
    b"\x89PNG": Sentence.PICTURE,
    b"\xff\xd8\xff": Sentence.PICTURE,
    b"SQLite format 3": Sentence.DATABASE,
    b"\x7fELF": Sentence.PROGRAM,
}
_ARCHIVES = {
    GZIP: Sentence.PACKED_TWICE,
    b"\x28\xb5\x2f\xfd": Sentence.ZSTANDARD,
    b"BZh": Sentence.BZIP2,
    b"\xfd7zXZ": Sentence.XZ,
    b"7z\xbc\xaf": Sentence.SEVEN_ZIP,
    b"Rar!": Sentence.RAR,
}
_HTML = (b"<!doctype html", b"<html", b"<head", b"<body", b"<table")
_MARKUP = {
    **dict.fromkeys(_HTML, Sentence.HTML),
    b"<?xml": Sentence.XML,
}


class FileKind(StrEnum):
    """Supported formats."""

    TEXT = auto()
    WORKBOOK = auto()
    JSON = auto()
    PARQUET = auto()


def detect_kind(head: bytes, filename: str) -> FileKind:
    """The kind of a decompressed file, in UTF-8 if it is text."""
    if head.startswith(_PARQUET):
        return FileKind.PARQUET
    if head.startswith((_ZIP, _OLE)):
        return FileKind.WORKBOOK
    begins = head.removeprefix(BOM_UTF8).lstrip()[:1]
    name = filename.lower().removesuffix(".gz")
    if begins in {b"[", b"{"} and (
        name.endswith(_JSON_NAMES) or "." not in name or _RECORDS.match(head) is not None
    ):
        return FileKind.JSON
    return FileKind.TEXT


def detect_unsupported(head: bytes) -> Sentence | None:
    """The word for the file's format if it is certainly not supported."""
    binary = (what for magic, what in _REFUSED.items() if head.startswith(magic))
    begins = head.removeprefix(BOM_UTF8).lstrip().lower()
    markup = (what for tag, what in _MARKUP.items() if begins.startswith(tag))
    return next(binary, None) or next(markup, None)


def detect_archive(head: bytes) -> Sentence | None:
    """How the file is packed, if not by gzip alone."""
    return next((what for magic, what in _ARCHIVES.items() if head.startswith(magic)), None)


def looks_like_text(head: bytes) -> bool:
    """Whether the head of a UTF-8 file has hardly any control characters."""
    return len(head) - len(head.translate(None, _CONTROLS)) <= len(head) * _MAX_CONTROLS


def has_no_rows(head: bytes) -> bool:
    """Whether the file is an empty JSON array, which has no columns either."""
    return _NO_ROWS.fullmatch(head.removeprefix(BOM_UTF8)) is not None
