"""Find JSON objects in the text of a model: in a code fence, between words, or sloppily written.

Models put programs into strings, so braces inside strings do not count. Comments, trailing
commas and line breaks inside strings are accepted; anything else that is no JSON is skipped.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from yarrow.kit.json import JsonObject, encode_json

MAX_OPENINGS = 50
MAX_SEARCHED_CHARS = 256 * 1024
"""How much of a text is searched for objects; a decision of a model has a hundredth of it."""
MAX_WASTED_CHARS = 2 * 1024 * 1024
"""What all failed openings of a text may have read together: this runs on the event loop."""
MAX_TOKENS = 20_000
"""Brackets, strings and comments of one object that is no strict JSON."""
MAX_DEPTH = 200
FENCE = "```"

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_COMMENT = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
_BRACKETS = re.compile(rf"{_STRING}|{_COMMENT}|[{{}}\[\]]", re.DOTALL)
_SLOPPY = re.compile(rf"(?P<string>{_STRING})|{_COMMENT}|,(?=(?:\s|{_COMMENT})*+[}}\]])", re.DOTALL)
_OPENED = re.compile(r"```[\w-]*[\s\[]*\Z")
"""The fence and the list that an object may be in."""
_LISTED = re.compile(r"\s*\[\s*\Z")
_CLOSED = re.compile(r"[\s,\]]*")

_decode_at = json.JSONDecoder(strict=False).raw_decode


class JsonSpan(Struct, frozen=True):
    """A JSON object and its place in the text."""

    value: JsonObject
    start: int
    end: int


def find_objects(text: str) -> Iterator[JsonSpan]:
    """All readable objects of the text in order; none inside another."""
    text = text[:MAX_SEARCHED_CHARS]
    start, wasted = text.find("{"), 0
    for _ in range(MAX_OPENINGS):
        if start < 0 or wasted > MAX_WASTED_CHARS:
            return
        decoded = _decode_object(text, start)
        if decoded is None:
            wasted += len(text) - start
            start = text.find("{", start + 1)
            continue
        value, end = decoded
        yield JsonSpan(_replace_surrogates(value), start, end)
        start = text.find("{", end)


def decode_lenient(text: str) -> JsonObject | None:
    """The object that begins at the first brace; None if there is none, or it is cut off.

    An object inside a cut-off one does not count.
    """
    start = text.find("{")
    decoded = None if start < 0 else _decode_object(text, start)
    return None if decoded is None else _replace_surrogates(decoded[0])


def _decode_object(text: str, start: int) -> tuple[JsonObject, int] | None:
    """The object that begins here, and its end."""
    try:
        return _decode_at(text, start)
    except RecursionError:
        return None
    except ValueError:
        end = _find_object_end(text, start)
    if end is None:
        return None
    try:
        return json.loads(_clean_json(text[start:end]), strict=False), end
    except (ValueError, RecursionError):
        return None


def _replace_surrogates(value: JsonObject) -> JsonObject:
    """Replace lone surrogates, which JSON can escape and UTF-8 cannot encode."""
    try:
        encode_json(value)
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        value = json.loads(text)
    return value


def _find_object_end(text: str, start: int) -> int | None:
    depth = 0
    for token in islice(_BRACKETS.finditer(text, start), MAX_TOKENS):
        first = token.group()[0]
        depth += (first in "{[") - (first in "}]")
        if depth == 0:
            return token.end()
        if depth > MAX_DEPTH:
            return None
    return None


def _clean_json(text: str) -> str:
    """Remove comments and trailing commas outside of strings."""
    return _SLOPPY.sub(lambda token: token["string"] or "", text)


def cut_objects(text: str, objects: Sequence[JsonSpan]) -> str:
    """The text without these objects, and without the code fences and lists around them."""
    starts = [span.start for span in objects]
    ends = [span.end for span in objects]
    pieces: list[str] = []
    fenced = False
    for begin, end in zip([0, *ends], [*starts, len(text)], strict=True):
        piece = text[begin:end]
        if begin:
            piece = piece[_find_match_end(_CLOSED.match(piece)) :]
            if fenced and piece.startswith(FENCE):
                piece, fenced = piece.removeprefix(FENCE), False
        if end < len(text):
            fenced = fenced != bool(piece.count(FENCE) % 2)
            piece = (_OPENED if fenced else _LISTED).sub("", piece)
        pieces.append(piece.strip())
    return "\n".join(filter(None, pieces))


def _find_match_end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0


def read_text(value: object, *, max_chars: int) -> str:
    """A field as text, cut and without NUL, which PostgreSQL refuses; empty if it is no text."""
    return value.replace("\0", "\ufffd").strip()[:max_chars] if isinstance(value, str) else ""
