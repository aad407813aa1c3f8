"""Suggested questions as the model writes them: one JSON object on each line, in any pieces."""

from collections.abc import Iterator

import msgspec

from yarrow.agents.analyst.json_in_text import find_objects
from yarrow.charting import Tag
from yarrow.json_values import JsonObject, JsonValue, decode_json

MAX_TEXT = 50_000
"""As much of an answer is read; four questions take two thousand characters."""


class QuestionLines:
    """Gathers fragments; gives each question when its line is complete.

    Weak models write a list over many lines: when no line was a question, the objects of the
    whole text are looked at in the end.
    """

    def __init__(self) -> None:
        self._rest = ""
        self._lines: list[str] = []
        self._size = 0
        self._count = 0

    def feed(self, fragment: str) -> Iterator[JsonObject]:
        self._size += len(fragment)
        if self._size > MAX_TEXT:
            return
        *lines, self._rest = (self._rest + fragment).split("\n")
        for line in lines:
            yield from self._read(line)

    def close(self) -> Iterator[JsonObject]:
        """What was left without an end of line."""
        rest, self._rest = self._rest, ""
        yield from self._read(rest)
        if not self._count:
            yield from _scattered("\n".join(self._lines))

    def _read(self, line: str) -> Iterator[JsonObject]:
        self._lines.append(line)
        text = line.strip().removeprefix("data:").strip().removesuffix(",")
        if not text.startswith("{"):
            return
        try:
            question = _question(decode_json(text))
        except msgspec.DecodeError:
            return
        if question is not None:
            self._count += 1
            yield question


def _scattered(text: str) -> Iterator[JsonObject]:
    for found in find_objects(text):
        listed = found.value.get("questions")
        for value in listed if isinstance(listed, list) else [found.value]:
            if (question := _question(value)) is not None:
                yield question


def _question(value: JsonValue) -> JsonObject | None:
    if not isinstance(value, dict) or value.get("type", "question") != "question":
        return None
    text, goal = value.get("text"), value.get("goal")
    if not isinstance(text, str) or not text.strip():
        return None
    return {
        **{key: item for key, item in value.items() if key != "type"},
        "text": text.strip(),
        "goal": goal if isinstance(goal, str) else "",
        "tag": _tag(value.get("tag")),
    }


def _tag(given: JsonValue) -> str:
    return given if given in set(Tag) else Tag.DEEP_DIVE
