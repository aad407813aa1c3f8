"""Parse responses of `/chat/completions` into chunks.

A streamed event and a whole completion differ in one key (`delta`, `message`), so one set of
structs parses both. They have only the fields we use: this runs once per token.

Endpoints disagree about the end. Usage and finish reason are held back until the answer is done
and yielded once, in that order, so `FinishChunk` is always last. An answer is done when it has
a finish reason or `[DONE]`; one that ends without either was cut off: `ModelUnreachable`.
"""

from collections.abc import Iterator

import msgspec

from yarrow.llm.errors import ModelBroken, ModelError, ModelUnreachable
from yarrow.llm.failures import error_for_message, error_for_status
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


class _CompletionEvent(msgspec.Struct):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: _Error | str | None = None


_decode_event = msgspec.json.Decoder(_CompletionEvent).decode
_FINISH = {reason.value: reason for reason in FinishReason}


class AnswerReader:
    """Parses one answer; `done` is true after `[DONE]`."""

    __slots__ = ("_calls", "_events", "_finish", "_usage", "done")

    def __init__(self) -> None:
        self.done = False
        self._events = EventSplitter()
        self._usage: UsageChunk | None = None
        self._finish: FinishReason | None = None
        self._calls = _OpenCalls()

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """The chunks that these bytes complete; those before an error are yielded first."""
        return self._read_all(self._events.feed(data))

    def close(self) -> Iterator[Chunk]:
        """End of the stream: usage and finish, or `ModelUnreachable` if it was cut off."""
        yield from self._read_all(self._events.close())
        if self._finish is None and not self.done:
            raise ModelUnreachable
        yield from self._final_chunks()

    def read_whole(self, body: bytes) -> Iterator[Chunk]:
        """The chunks of a completion that is not streamed although a stream was requested."""
        chunks = self._read(body)
        if self._finish is None and not chunks:
            raise ModelBroken
        yield from chunks
        yield from self._final_chunks()

    def _read_all(self, payloads: list[bytes]) -> Iterator[Chunk]:
        for payload in payloads:
            yield from self._read(payload)

    def _read(self, payload: bytes) -> list[Chunk]:
        if self.done or not payload:
            return []
        if payload == b"[DONE]":
            self.done = True
            return []
        try:
            event = _decode_event(payload)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ModelBroken from None
        if event.error is not None:
            raise _classify(event.error)
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
            chunks.extend(self._calls.number(call) for call in delta.tool_calls)
        return chunks

    def _final_chunks(self) -> list[Chunk]:
        reason = self._finish or FinishReason.OTHER
        if reason is FinishReason.STOP and self._calls.any:
            reason = FinishReason.TOOL_CALLS  # a forced tool ends with "stop" on some endpoints
        finish = FinishChunk(reason)
        return [finish] if self._usage is None else [self._usage, finish]


class _OpenCalls:
    """Numbers tool calls from 0, even if the endpoint sends the same index for all of them."""

    __slots__ = ("_count", "_open")

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[int | None, tuple[int, str]] = {}

    @property
    def any(self) -> bool:
        return self._count > 0

    def number(self, delta: _ToolDelta) -> ToolCallChunk:
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


def _classify(error: _Error | str) -> ModelError:
    details = error if isinstance(error, _Error) else _Error(message=error)
    message = f"{details.code or ''} {details.message or ''}"
    try:
        status = int(details.code or 0)
    except ValueError:
        status = 0
    if 400 <= status < 600:
        return error_for_status(status, message=message)
    return error_for_message(message)
