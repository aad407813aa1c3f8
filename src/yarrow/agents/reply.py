"""One answer of a model as events: text, reasoning and tool calls, as they stream in."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import assert_never
from uuid import UUID

from yarrow.kit.json import JsonObject
from yarrow.llm.model import (
    ChatModel,
    ChatRequest,
    Chunk,
    FinishChunk,
    ReasoningChunk,
    TextChunk,
    ToolCall,
    ToolCallChunk,
    UsageChunk,
)
from yarrow.runs.events import (
    MessageFinished,
    MessageStarted,
    ReasoningDelta,
    ReasoningFinished,
    ReasoningStarted,
    RunEvent,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    pieces: list[str] = field(default_factory=list)


class Reply:
    """Listens to one answer, turns it into events and remembers what it amounted to.

    `call_ids` holds the ids of the run's tool calls so far; calls heard here are added. `card`
    has the UI hints that go with it if it turns out to be the answer.
    """

    def __init__(
        self, new_id: Callable[[], UUID], call_ids: set[str], *, card: JsonObject | None = None
    ) -> None:
        self._card = card
        self._message_id = str(new_id())
        self._reasoning_id = str(new_id())
        self._new_id = new_id
        self._call_ids = call_ids
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, _Call] = {}
        self._speaking = False
        self._reasoning_open = False

    @property
    def text(self) -> str:
        return "".join(self._text)

    @property
    def reasoning(self) -> str:
        return "".join(self._reasoning)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(call.id, call.name, "".join(call.pieces)) for call in self._calls.values()
        )

    async def listen(self, model: ChatModel, request: ChatRequest) -> AsyncIterator[RunEvent]:
        """Ask the model and say what it says."""
        async with aclosing(model.stream(request)) as chunks:
            async for chunk in chunks:
                for event in self._events(chunk, model.name):
                    yield event
        for event in self._end():
            yield event

    def _events(self, chunk: Chunk, model: str) -> Sequence[RunEvent]:
        match chunk:
            case TextChunk(text):
                self._text.append(text)
                said = TextDelta(self._message_id, text)
                return (said,) if self._speaking else (*self._begin_speaking(), said)
            case ReasoningChunk(text):
                return self._reason(text)
            case ToolCallChunk():
                return self._call(chunk)
            case UsageChunk(input_tokens, output_tokens):
                return (UsageReported(model, input_tokens, output_tokens),)
            case FinishChunk():
                return ()
            case _:
                assert_never(chunk)

    def _begin_speaking(self) -> list[RunEvent]:
        self._speaking = True
        return [*self._end_reasoning(), MessageStarted(self._message_id)]

    def _reason(self, text: str) -> list[RunEvent]:
        began = [] if self._reasoning_open else [ReasoningStarted(self._reasoning_id)]
        self._reasoning_open = True
        self._reasoning.append(text)
        return [*began, ReasoningDelta(self._reasoning_id, text)]

    def _end_reasoning(self) -> list[RunEvent]:
        if not self._reasoning_open:
            return []
        self._reasoning_open = False
        return [ReasoningFinished(self._reasoning_id)]

    def _call(self, chunk: ToolCallChunk) -> list[RunEvent]:
        events: list[RunEvent] = []
        call = self._calls.get(chunk.index)
        if call is None:
            call = self._calls[chunk.index] = _Call(self._unique(chunk.id), chunk.name)
            events += self._end_reasoning()
            events.append(ToolCallStarted(call.id, call.name, self._message_id))
        if chunk.arguments:
            call.pieces.append(chunk.arguments)
            events.append(ToolCallArguments(call.id, chunk.arguments))
        return events

    def _unique(self, call_id: str) -> str:
        """The model's id of a call, unless the run has it already: some number each answer anew."""
        unique = call_id if call_id and call_id not in self._call_ids else f"call_{self._new_id()}"
        self._call_ids.add(unique)
        return unique

    def _end(self) -> list[RunEvent]:
        events = self._end_reasoning()
        events += [ToolCallFinished(call.id) for call in self._calls.values()]
        if not self._calls and not self._speaking:
            events += self._begin_speaking()
        if self._speaking:
            output = None if self._calls else plain_output(self.text, card=self._card)
            events.append(MessageFinished(self._message_id, output))
        return events


def plain_output(answer: str, *, card: JsonObject | None = None) -> JsonObject:
    """The structured form of an answer in text; an empty error means none."""
    shown = {} if card is None else {"ui_hints": card}
    return {"status": "success", "answer": answer, "error": "", **shown}
