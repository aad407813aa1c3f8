"""Find JSON objects in what a model wrote: in a code fence, between words, or sloppily written.

Models put programs into strings, so braces inside strings do not count. Comments, trailing
commas and line breaks inside strings are forgiven; what is still no JSON is passed over.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from yarrow.kit.json import JsonObject, decode_json, encode_json

OBJECTS_TRIED = 50
"""A text with more openings than this that lead nowhere has no object worth finding."""
MAX_DEPTH = 200

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_COMMENT = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
_BRACKETS = re.compile(rf"{_STRING}|{_COMMENT}|[{{}}\[\]]", re.DOTALL)
_SLOPPY = re.compile(rf"(?P<string>{_STRING})|{_COMMENT}|,(?=(?:\s|{_COMMENT})*+[}}\]])", re.DOTALL)

_strictly = json.JSONDecoder(strict=False).raw_decode


@dataclass(frozen=True, slots=True)
class Found:
    """An object, and where it stands in the text."""

    value: JsonObject
    start: int
    end: int


def find_objects(text: str) -> Iterator[Found]:
    """The objects in the text that can be read, from first to last; none inside another."""
    start = text.find("{")
    for _ in range(OBJECTS_TRIED):
        if start < 0:
            return
        found = _read_at(text, start)
        if found is None:
            start = text.find("{", start + 1)
            continue
        value, end = found
        yield Found(_encodable(value), start, end)
        start = text.find("{", end)


def decode_lenient(text: str) -> JsonObject | None:
    """The text as an object, if it is one; arguments of tools come like this from weak models."""
    found = next(find_objects(text), None)
    return None if found is None else found.value


def _read_at(text: str, start: int) -> tuple[JsonObject, int] | None:
    """The object that begins here and where it ends."""
    try:
        return _strictly(text, start)
    except RecursionError:
        return None
    except ValueError:
        end = _end_of_object(text, start)
    if end is None:
        return None
    try:
        return json.loads(_tidied(text[start:end]), strict=False), end
    except (ValueError, RecursionError):
        return None


def _encodable(value: JsonObject) -> JsonObject:
    """Without halves of characters, which JSON can escape and UTF-8 cannot carry."""
    try:
        encode_json(value)
    except UnicodeEncodeError:
        whole = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return decode_json(whole)  # type: ignore[no-any-return]
    return value


def _end_of_object(text: str, start: int) -> int | None:
    depth = 0
    for token in _BRACKETS.finditer(text, start):
        first = token.group()[0]
        depth += (first in "{[") - (first in "}]")
        if depth == 0:
            return token.end()
        if depth > MAX_DEPTH:
            return None
    return None


def _tidied(text: str) -> str:
    """Without comments and without commas before a closing bracket, strings left alone."""
    return _SLOPPY.sub(lambda token: token["string"] or "", text)
