"""Find a JSON object in what a model wrote: in a code fence, between words, or sloppily written.

Models put programs into strings, so braces inside strings do not count. Comments, trailing
commas and line breaks inside strings are forgiven; what is still no JSON is passed over.
"""

import json
from dataclasses import dataclass

from yarrow.json_values import JsonObject

OBJECTS_TRIED = 50
"""A text with more openings than this that lead nowhere has no object worth finding."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object, and the words before and after it."""

    value: JsonObject
    before: str
    after: str


def find_object(text: str) -> Found | None:
    """The first object in the text that can be read; None if there is none."""
    start = text.find("{")
    for _ in range(OBJECTS_TRIED):
        if start < 0:
            return None
        end = _end_of_object(text, start)
        value = None if end is None else _lenient(text[start:end])
        if value is not None and end is not None:
            return Found(value, _words(text[:start]), _words(text[end:]))
        start = text.find("{", start + 1)
    return None


def decode_lenient(text: str) -> JsonObject | None:
    """The text as an object, if it is one; arguments of tools come like this from weak models."""
    found = find_object(text)
    return None if found is None else found.value


def _end_of_object(text: str, start: int) -> int | None:
    depth, at = 0, start
    while at < len(text):
        character = text[at]
        if character == '"':
            at = _end_of_string(text, at)
            continue
        if text.startswith("//", at):
            at = _end_of_line(text, at)
            continue
        depth += (character in "{[") - (character in "}]")
        at += 1
        if depth == 0:
            return at
    return None


def _end_of_string(text: str, start: int) -> int:
    at = start + 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _lenient(text: str) -> JsonObject | None:
    for candidate in (text, _tidied(text)):
        try:
            value = json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    return None


def _tidied(text: str) -> str:
    """Without comments and without commas before a closing bracket, strings left alone."""
    kept: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = _end_of_string(text, at)
            kept.append(text[at:end])
        elif text.startswith("//", at):
            end = _end_of_line(text, at)
        else:
            end = at + 1
            if text[at] in "}]":
                _drop_comma(kept)
            kept.append(text[at])
        at = end
    return "".join(kept)


def _drop_comma(kept: list[str]) -> None:
    last = len(kept) - 1
    while last >= 0 and kept[last].isspace():
        last -= 1
    if last >= 0 and kept[last] == ",":
        del kept[last]


def _words(text: str) -> str:
    """What stands around an object, without the fence it stood in."""
    lines = [line for line in text.strip().splitlines() if not line.strip().startswith("```")]
    return "\n".join(lines).strip()
