"""Parse suggested questions from streamed text: one JSON object on each line."""

from collections.abc import Iterable, Iterator

from yarrow.agents.conversation.json_text import JsonSpan, find_objects
from yarrow.charting import QuestionTag
from yarrow.kit.json import JsonValue
from yarrow.product_events.analyst import SuggestedQuestion

MAX_TEXT = 50_000
"""Text beyond this is ignored; four questions take two thousand characters."""


class QuestionLines:
    """Collects pieces of text and yields each question when its line is complete.

    Weak models write a list, or an object over many lines: lines without a question of their own
    are parsed together at the end.
    """

    def __init__(self) -> None:
        self._rest = ""
        self._unparsed: list[str] = []
        self._size = 0

    def feed(self, text: str) -> Iterator[SuggestedQuestion]:
        self._size += len(text)
        if self._size > MAX_TEXT:
            return
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            yield from self._parse_line(line)

    def close(self) -> Iterator[SuggestedQuestion]:
        """Questions of the last line, and of objects over several lines."""
        rest, self._rest = self._rest, ""
        yield from self._parse_line(rest)
        yield from _parse_questions(find_objects("\n".join(self._unparsed)))

    def _parse_line(self, line: str) -> Iterator[SuggestedQuestion]:
        text = line.strip().removeprefix("data:").strip().removeprefix("[").lstrip()
        objects = list(find_objects(text)) if text.startswith("{") else []
        questions = list(_parse_questions(objects)) if objects and objects[0].start == 0 else []
        if not questions:
            self._unparsed.append(line)
        yield from questions


def _parse_questions(objects: Iterable[JsonSpan]) -> Iterator[SuggestedQuestion]:
    for span in objects:
        listed = span.value.get("questions")
        for value in listed if isinstance(listed, list) else [span.value]:
            if (question := _parse_question(value)) is not None:
                yield question


def _parse_question(value: JsonValue) -> SuggestedQuestion | None:
    if not isinstance(value, dict) or value.get("type", "question") != "question":
        return None
    text, goal, tag = value.get("text"), value.get("goal"), value.get("tag")
    if not isinstance(text, str) or not text.strip():
        return None
    return SuggestedQuestion(
        text.strip(),
        goal if isinstance(goal, str) else "",
        tag if tag in list(QuestionTag) else QuestionTag.DEEP_DIVE.value,
    )
