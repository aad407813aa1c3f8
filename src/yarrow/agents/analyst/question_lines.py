"""Suggested questions as the model writes them: one JSON object on each line, in any pieces."""

from collections.abc import Iterator

import msgspec

from yarrow.charting.question_words import Tag
from yarrow.json_values import JsonObject, JsonValue, decode_json

MAX_LINE = 20_000


class QuestionLines:
    """Gathers fragments; gives each question when its line is complete."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, fragment: str) -> Iterator[JsonObject]:
        *lines, self._rest = (self._rest + fragment).split("\n")
        for line in lines:
            yield from _read(line)
        if len(self._rest) > MAX_LINE:
            self._rest = ""

    def close(self) -> Iterator[JsonObject]:
        """What was left without an end of line."""
        rest, self._rest = self._rest, ""
        yield from _read(rest)


def _read(line: str) -> Iterator[JsonObject]:
    text = line.strip().removeprefix("data:").strip()
    if not text.startswith("{"):
        return
    try:
        value = decode_json(text)
    except msgspec.DecodeError:
        return
    if isinstance(value, dict) and (question := _question(value)) is not None:
        yield question


def _question(value: JsonObject) -> JsonObject | None:
    text = value.get("text")
    if not isinstance(text, str) or not text.strip() or value.get("type", "question") != "question":
        return None
    goal = value.get("goal")
    return {
        **{key: item for key, item in value.items() if key != "type"},
        "text": text.strip(),
        "goal": goal if isinstance(goal, str) else "",
        "tag": _tag(value.get("tag")),
    }


def _tag(given: JsonValue) -> str:
    return given if given in set(Tag) else Tag.DEEP_DIVE
