"""Rule out by its bytes what need not be looked for in a text: a query parses all of it again."""

from collections.abc import Iterator, Sequence
from pathlib import Path

_CHUNK_BYTES = 4 * 1024 * 1024
_DIGITS = b"0123456789"
_TOO_MANY_DIGITS = b"0" * 309
"""Digits of the smallest whole number that is too large for a double."""
_INFINITE = (b"inf", b"nan", b"e000", b"e+000", _TOO_MANY_DIGITS)
_ANY_DIGIT = bytes.maketrans(
    _DIGITS + b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"0" * 10 + b"abcdefghijklmnopqrstuvwxyz"
)
_LONG_NUMBER = (b"0" * 16,)
_WORDED_DATES = (b'infinity"', b'"epoch"')
_CODES = (b" 00", b" 01")
_SPACED = (b"\n ", b" \n")
_UNSEEN = (
    *(b"\xc2\xa0", b"\xc2\xad", b"\xe2\x80", b"\xe2\x81\xa0", b"\xef\xbb\xbf", b"\xe3\x80\x80"),
    *(b"\xcc", b"\xcd", b"\xe3\x82\x99", b"\xe3\x82\x9a", b"\xe1\x84", b"\xe1\x85", b"\xe1\x86"),
)
"""In UTF-8: spaces and characters without a width, marks on letters, parts of Korean letters."""
_EDGES = b"\n\r\",;|\t'"


def may_have_infinite(path: Path) -> bool:
    """Whether some bytes may be a number that is not finite: inf, NaN, 1e400 or 309 digits."""
    return _has_any(path, _INFINITE, table=_ANY_DIGIT, ignored=b"_")


def may_have_codes(path: Path, delimiter: str) -> bool:
    """Whether a cell may begin with a zero and a digit, an x or a b."""
    before = delimiter.encode() + b'"\t\r\n '
    digits = b"123456789xXbB"
    table = bytes.maketrans(before + digits, b" " * len(before) + b"1" * len(digits))
    return _has_any(path, _CODES, table=table)


def may_have_hidden(path: Path) -> bool:
    """Whether a cell may begin or end with a space, or have something that cannot be seen."""
    table = bytes.maketrans(_EDGES, b"\n" * len(_EDGES))
    return _has_any(path, (*_SPACED, *_UNSEEN), table=table)


def may_have_powers(path: Path) -> bool:
    """Whether there is an e between two digits, as in 1E5."""
    return _has_any(path, (b"0e0",), table=_ANY_DIGIT)


def may_have_worded_dates(path: Path) -> bool:
    """Whether a text of JSON may be a word that DuckDB reads as a date."""
    return _has_any(path, _WORDED_DATES, table=_ANY_DIGIT)


def may_have_long_numbers(path: Path) -> bool:
    """Whether some digits are more than a double keeps."""
    return _has_any(path, _LONG_NUMBER, table=_ANY_DIGIT)


def _has_any(path: Path, marks: Sequence[bytes], *, table: bytes, ignored: bytes = b"") -> bool:
    """`table` brings the bytes to the form of the marks."""
    return any(
        mark in chunk
        for chunk in (chunk.translate(table, ignored) for chunk in _read_chunks(path))
        for mark in marks
    )


def _read_chunks(path: Path) -> Iterator[bytes]:
    """Each begins with the end of the one before it, so that no mark is cut."""
    end = b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield end + chunk
            end = chunk[-len(_TOO_MANY_DIGITS) :]
