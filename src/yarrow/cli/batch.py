"""Castings as JSON lines in, `divination` objects as JSON lines out, in the same order."""

import os
from collections.abc import Iterable, Iterator
from stat import S_ISREG
from typing import IO, BinaryIO, Final

import msgspec
from msgspec import Struct

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, encode_json
from yarrow.liuyao import derive, parse_cast, write_payload

_BOM: Final = b"\xef\xbb\xbf"


class CastingLine(Struct, rename="camel", forbid_unknown_fields=True):
    """One line of the input: a cast with its question."""

    yao_lines: list[str]
    divination_time_iso: str
    question: str
    question_type: str
    divination_method: str
    day_boundary: str | msgspec.UnsetType = msgspec.UNSET


_decoder: Final = msgspec.json.Decoder(CastingLine)


def write_results(castings: BinaryIO, output: IO[bytes], *, day_boundary: str) -> int:
    """Write the results and return how many lines were wrong.

    Those of a pipe are flushed one by one, so that a program on the other end can wait. A file is
    read to its end anyway, so its results are written in blocks.
    """
    invalid = 0
    is_file = _is_regular_file(castings)
    for is_valid, line in derive_json_lines(castings, day_boundary=day_boundary):
        output.write(line + b"\n")
        if not is_file:
            output.flush()
        invalid += not is_valid
    return invalid


def describe_invalid(count: int) -> str:
    return f"yarrow: {count} wrong line{'s' * (count > 1)}"


def _is_regular_file(stream: BinaryIO) -> bool:
    try:
        return S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:
        return False


def derive_json_lines(lines: Iterable[bytes], *, day_boundary: str) -> Iterator[tuple[bool, bytes]]:
    """Yield for each line that is not blank whether it is valid, and the JSON to print.

    `day_boundary` applies to castings that name none.
    """
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
        if not text:
            continue
        try:
            yield True, _derive_line(text, day_boundary)
        except (InvalidInput, msgspec.DecodeError, UnicodeDecodeError) as error:
            yield False, encode_json(_build_error_object(number, error))


def _derive_line(text: bytes, day_boundary: str) -> bytes:
    casting = _decoder.decode(text)
    cast = parse_cast(
        yao_lines=casting.yao_lines,
        time_iso=casting.divination_time_iso,
        question=casting.question,
        question_type=casting.question_type,
        method=casting.divination_method,
        day_boundary=day_boundary
        if casting.day_boundary is msgspec.UNSET
        else casting.day_boundary,
    )
    return write_payload(derive(cast))


def _build_error_object(number: int, error: Exception) -> JsonObject:
    return {"error": {"line": number, "message": str(error)}}
