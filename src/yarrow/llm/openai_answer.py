"""Parse responses of `/chat/completions` into chunks.

A streamed event and a whole completion differ in one key (`delta`, `message`), so one set of
structs parses both. They have only the fields we use: this runs once per token.

Endpoints disagree about the end. Usage and finish reason are held back until the answer is done
and yielded once, in that order, so `FinishChunk` is always last. An answer is done when it has
a finish reason or `[DONE]`; one that ends without either was cut off: `ModelUnreachable`. An answer
that exceeds the limits of `llm/answer_limits.py` raises `ModelBroken` while it is read.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from yarrow.llm.answer_limits import MAX_EVENT_PARTS, AnswerBudget, require_decodable_size
from yarrow.llm.errors import ModelBroken, ModelError, ModelUnreachable
from yarrow.llm.model import (
    Chunk,
    FinishChunk,
    FinishReason,
    ReasoningChunk,
    TextChunk,
    ToolCallChunk,
)
from yarrow.llm.provider_failures import error_for_message, error_for_status
from yarrow.llm.sse import EventSplitter, Payload
from yarrow.llm.usage import read_usage


class _Function(Struct, gc=False):
    name: str | None = None
    arguments: str | None = None


class _ToolDelta(Struct, gc=False):
    function: _Function
    index: int | None = None
    id: str | None = None


class _Delta(Struct, gc=False):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_ToolDelta] | None = None


class _Choice(Struct, gc=False):
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None


class _Error(Struct, gc=False):
    code: int | str | None = None
    message: str | None = None


_NO_USAGE, _NULL = msgspec.Raw(), msgspec.Raw(b"null")


class _CompletionEvent(Struct, gc=False):
    choices: list[_Choice] = []
    usage: msgspec.Raw = _NO_USAGE
    error: _Error | str | None = None


_decode_event = msgspec.json.Decoder(_CompletionEvent).decode
_DONE_BYTES = len(b"[DONE]")
_FINISH = {reason.value: reason for reason in FinishReason}


class AnswerReader:
    """Parses one answer; `done` is true after `[DONE]`."""

    __slots__ = ("_budget", "_calls", "_events", "_finish", "_has_reasoning", "_usage", "done")

    def __init__(self) -> None:
        self.done = False
        self._budget = AnswerBudget()
        self._events = EventSplitter()
        self._usage = _NO_USAGE
        self._finish: FinishReason | None = None
        self._has_reasoning = False
        self._calls = _OpenCalls(self._budget)

    @property
    def content_bytes(self) -> int:
        """Text, reasoning and arguments so far."""
        return self._budget.content_bytes

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """The chunks that these bytes complete; those before an error are yielded first."""
        payloads = self._events.feed(data)
        self._budget.spend_read(len(data), len(payloads))
        for payload in payloads:
            yield from self._read_payload(payload)

    def close(self) -> Iterator[Chunk]:
        """End of the stream: usage and finish, or `ModelUnreachable` if it was cut off."""
        for payload in self._events.close():
            yield from self._read_payload(payload)
        if self._finish is None and not self.done:
            raise ModelUnreachable
        yield from self._make_final_chunks()

    def read_whole(self, body: bytes) -> Iterator[Chunk]:
        """The chunks of a completion that is not streamed although a stream was requested."""
        chunks = self._read_payload(body)
        if self._finish is None and not chunks:
            raise ModelBroken
        yield from chunks
        yield from self._make_final_chunks()

    def _read_payload(self, payload: Payload) -> Sequence[Chunk]:
        if self.done or not (
            _DONE_BYTES < len(payload) <= MAX_EVENT_PARTS or self._has_json(payload)
        ):
            return ()
        try:
            event = _decode_event(payload)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ModelBroken from None
        if event.error is not None:
            raise _classify_error(event.error)
        if event.usage is not _NO_USAGE and event.usage != _NULL:
            self._usage = event.usage
        if not event.choices:
            return ()
        choice = event.choices[0]
        if choice.finish_reason is not None:
            self._finish = _FINISH.get(choice.finish_reason, FinishReason.OTHER)
        delta = choice.delta or choice.message
        if delta is None:
            return ()
        text = delta.content
        is_plain = self._has_reasoning or delta.reasoning_content is None
        if (
            text
            and is_plain
            and not (delta.reasoning_content or delta.reasoning or delta.tool_calls)
        ):
            self._budget.spend_text(text)  # nearly always
            return (TextChunk(text),)
        return self._read_delta(delta)

    def _has_json(self, payload: Payload) -> bool:
        """Whether the payload is an event to decode: not empty, not `[DONE]`, not too large."""
        if payload == b"[DONE]":
            self.done = True
            return False
        require_decodable_size(payload)
        return bool(payload)

    def _read_delta(self, delta: _Delta) -> list[Chunk]:
        chunks: list[Chunk] = []
        # Some endpoints send the same reasoning under both names.
        thought = delta.reasoning_content or delta.reasoning
        if thought or (delta.reasoning_content is not None and not self._has_reasoning):
            self._has_reasoning = True
            self._budget.spend_text(thought or "")
            chunks.append(ReasoningChunk(thought or ""))
        if text := delta.content:
            self._budget.spend_text(text)
            chunks.append(TextChunk(text))
        if delta.tool_calls:
            chunks.extend(self._calls.number(call) for call in delta.tool_calls)
        return chunks

    def _make_final_chunks(self) -> list[Chunk]:
        reason = self._finish or FinishReason.OTHER
        if reason is FinishReason.STOP and self._calls.any:
            reason = FinishReason.TOOL_CALLS  # a forced tool ends with "stop" on some endpoints
        usage, finish = read_usage(self._usage), FinishChunk(reason)
        return [finish] if usage is None else [usage, finish]


def join_texts(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """The chunks with neighbouring texts as one; those before an error are yielded first."""
    texts: list[str] = []
    try:
        for chunk in chunks:
            if isinstance(chunk, TextChunk):
                texts.append(chunk.text)
                continue
            if texts:
                yield TextChunk("".join(texts))
                texts.clear()
            yield chunk
    except ModelError:
        if texts:
            yield TextChunk("".join(texts))
        raise
    if texts:
        yield TextChunk("".join(texts))


class _OpenCalls:
    """Numbers tool calls from 0, even if the endpoint sends the same index for all of them."""

    __slots__ = ("_budget", "_count", "_open")

    def __init__(self, budget: AnswerBudget) -> None:
        self._budget = budget
        self._count = 0
        self._open: dict[int | None, tuple[int, str]] = {}

    @property
    def any(self) -> bool:
        return self._count > 0

    def number(self, delta: _ToolDelta) -> ToolCallChunk:
        arguments = delta.function.arguments or ""
        self._budget.spend_arguments(arguments)
        known = self._open.get(delta.index)
        if known is not None and (not delta.id or delta.id == known[1]):
            return ToolCallChunk(index=known[0], id="", name="", arguments=arguments)
        if not delta.function.name:
            raise ModelBroken
        index = self._count
        call_id = delta.id or f"call_{index}"
        self._budget.spend_call(call_id, delta.function.name)
        self._open[delta.index] = (index, call_id)
        self._count += 1
        return ToolCallChunk(index, call_id, delta.function.name, arguments)


def _classify_error(error: _Error | str) -> ModelError:
    details = error if isinstance(error, _Error) else _Error(message=error)
    message = f"{details.code or ''} {details.message or ''}"
    try:
        status = int(details.code or 0)
    except ValueError:
        status = 0
    if 400 <= status < 600:
        return error_for_status(status, message=message)
    return error_for_message(message)
