"""Separate reasoning in `<think>` tags from the text of a reply.

Servers without a reasoning parser leave the tags of their models in the text. A block at the
beginning is reasoning even if it is never closed. A block after text is reasoning once it is
closed, and literal text otherwise. Tags inside Markdown code are text.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto

from yarrow.llm.model import ReasoningChunk, TextChunk

_OPENING = re.compile(r"<think(?:ing)?>")
_CLOSING = re.compile(r"</think(?:ing)?>")
_OPENING_TAGS = ("<think>", "<thinking>")
_CLOSING_TAGS = ("</think>", "</thinking>")
_LONGEST_TAG = len("</thinking>")


class _State(Enum):
    START = auto()
    """Only whitespace and closed blocks so far."""
    FIRST_BLOCK = auto()
    TEXT = auto()
    LATER_BLOCK = auto()
    """After text: held back until it is closed."""


class ThinkTagFilter:
    """Splits streamed text into text and reasoning; holds back only what may become a tag."""

    __slots__ = ("_held", "_in_code", "_skips_space", "_state", "_tag", "_waiting", "_window")

    def __init__(self) -> None:
        self._state = _State.START
        self._held = ""
        self._waiting: list[str] = []
        """Held pieces that decide nothing, joined only when one does: joining each is quadratic."""
        self._window = ""
        """The end of the held text, in which a closing tag may have begun."""
        self._tag = ""
        self._skips_space = False
        self._in_code = False

    def feed(self, chunk: TextChunk) -> Sequence[TextChunk | ReasoningChunk]:
        """The text and reasoning that are certain with this chunk."""
        text = chunk.text
        if self._state is _State.TEXT and not self._held and "<" not in text:  # nearly always
            self._note_code(text)
            return (chunk,)
        if self._decides_nothing(text):
            self._waiting.append(text)
            return ()
        self._join_waiting()
        chunks: list[TextChunk | ReasoningChunk] = []
        searched = len(self._held)
        self._held += text
        while self._held and self._step_state(chunks, searched):
            searched = 0
        return chunks

    def close(self) -> list[TextChunk | ReasoningChunk]:
        """What is still held back, when the reply is over."""
        self._join_waiting()
        chunks: list[TextChunk | ReasoningChunk] = []
        match self._state:
            case _State.FIRST_BLOCK:
                _add_reasoning(self._held, chunks)
            case _State.LATER_BLOCK:
                self._add_text(self._tag + self._held, chunks)
            case _State.START if self._skips_space:
                self._add_text(self._held.lstrip(), chunks)
            case _:
                self._add_text(self._held, chunks)
        return chunks

    def _decides_nothing(self, text: str) -> bool:
        """Whether the text leaves the state as it is and all text held back."""
        match self._state:
            case _State.START:
                return text.isspace() and (not self._held or self._held[-1].isspace())
            case _State.LATER_BLOCK:
                window = (self._window if self._waiting else self._held[-_LONGEST_TAG:]) + text
                self._window = window[-_LONGEST_TAG:]
                return _CLOSING.search(window) is None
            case _:
                return False

    def _join_waiting(self) -> None:
        if self._waiting:
            self._held += "".join(self._waiting)
            self._waiting.clear()

    def _step_state(self, chunks: list[TextChunk | ReasoningChunk], searched: int) -> bool:
        """Consume held text as far as possible; whether the rest belongs to another state."""
        match self._state:
            case _State.START:
                return self._step_start()
            case _State.TEXT:
                return self._step_text(chunks)
            case _State.FIRST_BLOCK | _State.LATER_BLOCK:
                return self._step_block(chunks, searched)

    def _step_start(self) -> bool:
        begun = self._held.lstrip()
        if any(tag.startswith(begun) and tag != begun for tag in _OPENING_TAGS):
            return False
        opening = _OPENING.match(begun)
        if opening is not None:
            self._state, self._held = _State.FIRST_BLOCK, begun[opening.end() :]
        else:
            self._state = _State.TEXT
            self._held = begun if self._skips_space else self._held
        return True

    def _step_text(self, chunks: list[TextChunk | ReasoningChunk]) -> bool:
        opening = _OPENING.search(self._held)
        if opening is None:
            certain = _remove_partial_tag(self._held, _OPENING_TAGS)
            self._held = self._held[len(certain) :]
            self._add_text(certain, chunks)
            return False
        self._add_text(self._held[: opening.start()], chunks)
        self._held = self._held[opening.end() :]
        if self._in_code:
            self._add_text(opening[0], chunks)
        else:
            self._state, self._tag = _State.LATER_BLOCK, opening[0]
        return True

    def _step_block(self, chunks: list[TextChunk | ReasoningChunk], searched: int) -> bool:
        closing = _CLOSING.search(self._held, max(0, searched - _LONGEST_TAG))
        if closing is not None:
            _add_reasoning(self._held[: closing.start()], chunks)
            self._held = self._held[closing.end() :]
            if self._state is _State.FIRST_BLOCK:
                self._state, self._skips_space = _State.START, True
            else:
                self._state = _State.TEXT
            return True
        if self._state is _State.FIRST_BLOCK:
            certain = _remove_partial_tag(self._held, _CLOSING_TAGS)
            self._held = self._held[len(certain) :]
            _add_reasoning(certain, chunks)
        return False

    def _add_text(self, text: str, chunks: list[TextChunk | ReasoningChunk]) -> None:
        if text:
            chunks.append(TextChunk(text))
            self._note_code(text)

    def _note_code(self, text: str) -> None:
        if text.count("`") % 2:
            self._in_code = not self._in_code


def drop_unopened_block(text: str) -> str:
    """Text after a `</think>` whose opening tag is part of the model's prompt template."""
    closing = _CLOSING.search(text)
    return text if closing is None else text[closing.end() :].lstrip() or text


def _add_reasoning(text: str, chunks: list[TextChunk | ReasoningChunk]) -> None:
    if text:
        chunks.append(ReasoningChunk(text))


def _remove_partial_tag(text: str, tags: tuple[str, ...]) -> str:
    """The text without an end that may be the beginning of a tag."""
    start = text.rfind("<", max(0, len(text) - _LONGEST_TAG))
    is_partial = start >= 0 and any(tag.startswith(text[start:]) for tag in tags)
    return text[:start] if is_partial else text
