"""What `/chat/completions` sends back, read into chunks.

A streamed event and a whole completion differ in one word (`delta`, `message`), so one set of
structs reads both. They hold the fields we use and nothing else: this runs once per token.

Endpoints disagree about the end. Here usage and finish are kept back until the answer is over
and come once, in that order, so `FinishChunk` is always last. An answer is over when it said
why it stopped or sent `[DONE]`; one that ends without either was cut off on the way, which is
`ModelUnreachable`: what came so far is not an answer.
"""

from collections.abc import Iterator

import msgspec

from yarrow.llm.errors import ModelBroken, ModelError, ModelUnreachable
from yarrow.llm.failures import failure_of_status, failure_of_words
from yarrow.llm.model import (
    Chunk,
    FinishChunk,
    FinishReason,
    ReasoningChunk,
    TextChunk,
    ToolCallChunk,
    UsageChunk,
)
from yarrow.llm.sse import EventSplitter


class _Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: str | None = None


class _ToolDelta(msgspec.Struct):
    function: _Function
    index: int | None = None
    id: str | None = None


class _Delta(msgspec.Struct):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_ToolDelta] | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None


class _Usage(msgspec.Struct, gc=False):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Error(msgspec.Struct, gc=False):
    code: int | str | None = None
    message: str | None = None


class _Event(msgspec.Struct):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: _Error | str | None = None


_decode_event = msgspec.json.Decoder(_Event).decode
_FINISH = {reason.value: reason for reason in FinishReason}


class AnswerReader:
    """Reads one answer; `over` turns true when the endpoint said that nothing follows."""

    __slots__ = ("_calls", "_events", "_finish", "_usage", "over")

    def __init__(self) -> None:
        self.over = False
        self._events = EventSplitter()
        self._usage: UsageChunk | None = None
        self._finish: FinishReason | None = None
        self._calls = _OpenCalls()

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """The chunks that these bytes of a stream complete; all those before a failure first."""
        return self._read_all(self._events.feed(data))

    def close(self) -> Iterator[Chunk]:
        """The stream has ended: what was kept back, or `ModelUnreachable` if it was cut off."""
        yield from self._read_all(self._events.close())
        if self._finish is None and not self.over:
            raise ModelUnreachable
        yield from self._ending()

    def read_whole(self, body: bytes) -> Iterator[Chunk]:
        """The chunks of a completion that came in one piece although a stream was asked for."""
        chunks = self._read(body)
        if self._finish is None and not chunks:
            raise ModelBroken
        yield from chunks
        yield from self._ending()

    def _read_all(self, payloads: list[bytes]) -> Iterator[Chunk]:
        for payload in payloads:
            yield from self._read(payload)

    def _read(self, payload: bytes) -> list[Chunk]:
        if self.over or not payload:
            return []
        if payload == b"[DONE]":
            self.over = True
            return []
        try:
            event = _decode_event(payload)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ModelBroken from None
        if event.error is not None:
            raise _failure_of_error(event.error)
        if event.usage is not None:
            self._usage = UsageChunk(event.usage.prompt_tokens, event.usage.completion_tokens)
        return self._read_choice(event.choices[0]) if event.choices else []

    def _read_choice(self, choice: _Choice) -> list[Chunk]:
        if choice.finish_reason is not None:
            self._finish = _FINISH.get(choice.finish_reason, FinishReason.OTHER)
        delta = choice.delta or choice.message
        if delta is None:
            return []
        chunks: list[Chunk] = []
        # Some endpoints send the same reasoning under both names.
        if thought := delta.reasoning_content or delta.reasoning:
            chunks.append(ReasoningChunk(thought))
        if delta.content:
            chunks.append(TextChunk(delta.content))
        if delta.tool_calls:
            chunks.extend(self._calls.place(call) for call in delta.tool_calls)
        return chunks

    def _ending(self) -> list[Chunk]:
        reason = self._finish or FinishReason.OTHER
        if reason is FinishReason.STOP and self._calls.any:
            reason = FinishReason.TOOL_CALLS  # a forced tool ends with "stop" on some endpoints
        finish = FinishChunk(reason)
        return [finish] if self._usage is None else [self._usage, finish]


class _OpenCalls:
    """Numbers tool calls from 0, also where the endpoint gives all of them the same index."""

    __slots__ = ("_count", "_open")

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[int | None, tuple[int, str]] = {}

    @property
    def any(self) -> bool:
        return self._count > 0

    def place(self, delta: _ToolDelta) -> ToolCallChunk:
        arguments = delta.function.arguments or ""
        known = self._open.get(delta.index)
        if known is not None and (not delta.id or delta.id == known[1]):
            return ToolCallChunk(index=known[0], id="", name="", arguments=arguments)
        if not delta.function.name:
            raise ModelBroken
        index = self._count
        call_id = delta.id or f"call_{index}"
        self._open[delta.index] = (index, call_id)
        self._count += 1
        return ToolCallChunk(index, call_id, delta.function.name, arguments)


def _failure_of_error(error: _Error | str) -> ModelError:
    told = error if isinstance(error, _Error) else _Error(message=error)
    words = f"{told.code or ''} {told.message or ''}"
    try:
        status = int(told.code or 0)
    except ValueError:
        status = 0
    if 400 <= status < 600:
        return failure_of_status(status, words=words)
    return failure_of_words(words)
