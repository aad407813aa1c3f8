"""Castings as JSON lines in, `divination` objects as JSON lines out, in the same order."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, encode_json
from yarrow.liuyao import derive, parse_cast, to_payload

_BOM: Final = b"\xef\xbb\xbf"


class Casting(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """One line of the file."""

    yao_lines: list[str]
    divination_time_iso: str
    question: str
    question_type: str
    divination_method: str
    day_boundary: str | msgspec.UnsetType = msgspec.UNSET


_decoder: Final = msgspec.json.Decoder(Casting)


def derive_each(lines: Iterable[bytes], *, day_boundary: str) -> Iterator[tuple[bool, bytes]]:
    """For each line that is not blank, whether it was right, and what to print for it.

    `day_boundary` is that of castings which name none.
    """
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
        if not text:
            continue
        try:
            yield True, _derived(text, day_boundary)
        except (InvalidInput, msgspec.DecodeError, UnicodeDecodeError) as error:
            yield False, encode_json(_told(number, error))


def _derived(text: bytes, day_boundary: str) -> bytes:
    given = _decoder.decode(text)
    cast = parse_cast(
        yao_lines=given.yao_lines,
        time_iso=given.divination_time_iso,
        question=given.question,
        question_type=given.question_type,
        method=given.divination_method,
        day_boundary=day_boundary if given.day_boundary is msgspec.UNSET else given.day_boundary,
    )
    return encode_json(to_payload(derive(cast)))


def _told(number: int, error: Exception) -> JsonObject:
    return {"error": {"line": number, "message": str(error)}}
