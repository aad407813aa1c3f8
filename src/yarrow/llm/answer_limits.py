"""Limits on one answer of a model, checked in bytes while it is read.

An endpoint may be broken or hostile, and a client may bring one. Without these limits a single
answer could fill the memory of the server, and by takeover that of the next one. They are above
what models send: 128,000 tokens are about half a megabyte of text. An answer that exceeds one of
them raises `ModelBroken`, which is not retried.
"""

from yarrow.kit.json import count_parts
from yarrow.llm.errors import ModelBroken

MAX_EVENT_BYTES = 2 * 1024 * 1024
"""One event of a stream, or the body of an answer that is not streamed."""
MAX_EVENT_PARTS = 100_000
"""Lists and objects of one event; each takes fifty times its two bytes when it is decoded."""
MAX_STREAM_BYTES = 32 * 1024 * 1024
"""All bytes of a stream, with its JSON and comments. They are not kept, so this bounds the work."""
MAX_STREAM_EVENTS = 65_536
"""Events of a stream, 200 a second until a run's deadline. Each is kept in memory, in about 400
bytes, until the run is settled."""
MAX_ANSWER_BYTES = 1024 * 1024
"""Text and reasoning together."""
MAX_ARGUMENTS_BYTES = 1024 * 1024
"""Ids, names and arguments of all tool calls together."""
MAX_CALLS = 128


class AnswerBudget:
    """What one answer may still send; each method raises `ModelBroken` when it is too much."""

    __slots__ = ("_answer", "_arguments", "_calls", "_events", "_stream")

    def __init__(self) -> None:
        self._stream = MAX_STREAM_BYTES
        self._events = MAX_STREAM_EVENTS
        self._answer = MAX_ANSWER_BYTES
        self._arguments = MAX_ARGUMENTS_BYTES
        self._calls = MAX_CALLS

    @property
    def content_bytes(self) -> int:
        """Text, reasoning and arguments so far."""
        return MAX_ANSWER_BYTES - self._answer + MAX_ARGUMENTS_BYTES - self._arguments

    def spend_read(self, size: int, events: int) -> None:
        """One read of a stream, and how many events it completed."""
        self._stream -= size
        self._events -= events
        if self._stream < 0 or self._events < 0:
            raise ModelBroken

    def spend_text(self, text: str) -> None:
        """A piece of text or reasoning."""
        self._answer -= len(text) if text.isascii() else len(text.encode())
        if self._answer < 0:
            raise ModelBroken

    def spend_arguments(self, arguments: str) -> None:
        """A piece of the arguments of a tool call."""
        self._arguments -= len(arguments) if arguments.isascii() else len(arguments.encode())
        if self._arguments < 0:
            raise ModelBroken

    def spend_call(self, call_id: str, name: str) -> None:
        """The beginning of a tool call."""
        self._calls -= 1
        if self._calls < 0:
            raise ModelBroken
        self.spend_arguments(call_id + name)


def require_decodable_size(payload: bytes | bytearray) -> None:
    """Raise `ModelBroken` if the JSON is larger than an event, or too large once decoded."""
    size = len(payload)
    if size > MAX_EVENT_BYTES or (
        size > MAX_EVENT_PARTS and count_parts(payload) > MAX_EVENT_PARTS
    ):
        raise ModelBroken
