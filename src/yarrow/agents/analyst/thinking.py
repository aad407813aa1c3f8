"""Reasoning that models of some servers put into their answer, in tags, before what they say."""

import re

_TAGS = ("<think>", "<thinking>")
_OPENING = re.compile(r"\s*<think(?:ing)?>")
_ANYWHERE = re.compile(r"<think(?:ing)?>")
_CLOSING = re.compile(r"</think(?:ing)?>")
_LONGEST = len("</thinking>")


class ThinkingFilter:
    """Lets an answer through as it comes, but for the reasoning before it."""

    __slots__ = ("_held", "_is_through", "_was_closed", "is_thinking")

    def __init__(self) -> None:
        self._held = ""
        self._is_through = self._was_closed = False
        self.is_thinking = False

    def feed(self, piece: str) -> str:
        """What is said for certain now; nothing while the model thinks, or may be about to."""
        if self._is_through:
            return piece
        self._held += piece
        if self._was_closed:
            return self._let_through(self._held.lstrip())
        if not self.is_thinking:
            if _may_open(self._held):
                return ""
            self.is_thinking = _OPENING.match(self._held) is not None
            if not self.is_thinking:
                return self._let_through(self._held)
        return self._thought()

    def close(self) -> str:
        """What was held back and is no reasoning after all."""
        return "" if self.is_thinking else self._held

    def _thought(self) -> str:
        closing = _CLOSING.search(self._held)
        if closing is None:
            self._held = self._held[-_LONGEST:]
            return ""
        self.is_thinking, self._was_closed = False, True
        return self._let_through(self._held[closing.end() :].lstrip())

    def _let_through(self, said: str) -> str:
        self._is_through, self._held = bool(said), ""
        return said


def _may_open(text: str) -> bool:
    begun = text.lstrip()
    return any(tag.startswith(begun) and begun != tag for tag in _TAGS)


def without_thinking(text: str) -> str:
    """A whole answer without its reasoning; the tag that opens it is often the server's own."""
    closing = _CLOSING.search(text)
    if closing is None or _ANYWHERE.search(text, _opening_end(text), closing.start()):
        return text
    return text[closing.end() :].lstrip() or text


def _opening_end(text: str) -> int:
    opening = _OPENING.match(text)
    return opening.end() if opening else 0
