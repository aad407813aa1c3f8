"""Suggested questions as the model writes them: one JSON object on each line, in any pieces."""

from collections.abc import Iterable, Iterator

from yarrow.agents.conversation.json_text import JsonSpan, find_objects
from yarrow.charting import Tag
from yarrow.kit.json import JsonObject, JsonValue

MAX_TEXT = 50_000
"""As much of an answer is read; four questions take two thousand characters."""


class QuestionLines:
    """Gathers fragments; gives each question when its line is complete.

    Weak models write a list, and an object over many lines: what was no question by itself is
    looked at together in the end.
    """

    def __init__(self) -> None:
        self._rest = ""
        self._unread: list[str] = []
        self._size = 0

    def feed(self, fragment: str) -> Iterator[JsonObject]:
        self._size += len(fragment)
        if self._size > MAX_TEXT:
            return
        *lines, self._rest = (self._rest + fragment).split("\n")
        for line in lines:
            yield from self._read(line)

    def close(self) -> Iterator[JsonObject]:
        """What was left without an end of line, or stood on several."""
        rest, self._rest = self._rest, ""
        yield from self._read(rest)
        yield from _questions(find_objects("\n".join(self._unread)))

    def _read(self, line: str) -> Iterator[JsonObject]:
        text = line.strip().removeprefix("data:").strip().removeprefix("[").lstrip()
        found = list(find_objects(text)) if text.startswith("{") else []
        questions = list(_questions(found)) if found and found[0].start == 0 else []
        if not questions:
            self._unread.append(line)
        yield from questions


def _questions(objects: Iterable[JsonSpan]) -> Iterator[JsonObject]:
    for found in objects:
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
        "text": text.strip(),
        "goal": goal if isinstance(goal, str) else "",
        "tag": _tag(value.get("tag")),
    }


def _tag(given: JsonValue) -> str:
    return given if given in set(Tag) else Tag.DEEP_DIVE
