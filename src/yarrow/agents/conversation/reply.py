"""One reply of a model: its chunks as run events, and the whole of it at the end."""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from typing import assert_never
from uuid import UUID

from msgspec import Struct, field

from yarrow.agents.conversation.history import CallIds
from yarrow.agents.conversation.think_tags import ThinkTagFilter, drop_unopened_block
from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    ModelReplied,
    ReasoningDelta,
    ReasoningFinished,
    ReasoningStarted,
    RecordedCall,
    RunEvent,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
    Warned,
)
from yarrow.kit.json import JsonObject
from yarrow.llm.errors import AnswerEmpty, AnswerFiltered
from yarrow.llm.model import (
    ChatMessage,
    ChatRole,
    Chunk,
    FinishChunk,
    FinishReason,
    InvalidUsageChunk,
    ReasoningChunk,
    TextChunk,
    ToolCall,
    ToolCallChunk,
    UsageChunk,
)
from yarrow.llm.rule_based.model import RULES_MODEL

ANSWER_CUT = Warned("ANSWER_CUT", "The model's answer was cut off at its length limit.")
USAGE_IGNORED = Warned(
    "USAGE_IGNORED", "The model reported impossible token counts; they are not counted."
)


BY_RULES = UsageReported(RULES_MODEL, 0, 0)
"""Names the rules as the author of an answer that no model wrote."""


class ReplyEvents(Enum):
    """Which parts of a reply become events; usage, warnings and retries always do."""

    ALL = auto()
    TEXT = auto()
    """Text and reasoning; the agent announces tool calls itself, when it runs them."""
    NONE = auto()
    """The reply is for the agent alone, so it can be retried at any time."""


class ModelReply(Struct, frozen=True):
    """A finished reply."""

    message_id: str
    message: ChatMessage
    """The reply as the next prompt repeats it."""

    @property
    def text(self) -> str:
        return self.message.text

    @property
    def reasoning(self) -> str | None:
        """What the endpoint marked as reasoning; some models want it back. Never text of tags."""
        return self.message.reasoning

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.message.tool_calls

    def to_record(self, number: int) -> ModelReplied:
        """The reply as the journal keeps it for a later attempt of the run."""
        calls = tuple(RecordedCall(call.id, call.name, call.arguments) for call in self.calls)
        return ModelReplied(number, self.message_id, self.text, self.reasoning, calls)


def make_chunks(record: ModelReplied) -> Iterator[Chunk]:
    """The reply as a model would send it, without its usage."""
    if record.reasoning is not None:
        yield ReasoningChunk(record.reasoning)
    if record.text:
        yield TextChunk(record.text)
    for index, call in enumerate(record.calls):
        yield ToolCallChunk(index, call.id, call.name, call.arguments)


class _OpenCall(Struct):
    id: str
    name: str
    pieces: list[str] = field(default_factory=list)


class ReplyBuilder:
    """Builds one reply from its chunks.

    `message_id` may be empty for a new one. New tool calls are added to `call_ids`. `card` has the
    UI hints that the answer carries if the reply turns out to be the answer.
    """

    def __init__(
        self,
        model_name: str,
        new_id: Callable[[], UUID],
        *,
        message_id: str,
        call_ids: CallIds,
        events: ReplyEvents,
        card: JsonObject | None,
    ) -> None:
        self.has_shown = False
        self._model_name, self._new_id, self._call_ids = model_name, new_id, call_ids
        self._events, self._card = events, card
        self._message_id, self._reasoning_id = message_id or str(new_id()), ""
        self._tags = ThinkTagFilter()
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, _OpenCall] = {}
        self._message_open = self._reasoning_open = False
        self._finish = FinishReason.OTHER

    def take(self, chunk: Chunk) -> Sequence[RunEvent]:
        """The events of the next chunk; raises `AnswerFiltered`."""
        match chunk:
            case TextChunk():
                pieces = self._tags.feed(chunk)
                if len(pieces) == 1 and pieces[0] is chunk:
                    return self._add_text(chunk.text)
                return self._add_pieces(pieces)
            case ReasoningChunk(text):
                self._reasoning.append(text)
                return self._add_reasoning(text) if text else ()
            case ToolCallChunk():
                return self._add_call(chunk)
            case UsageChunk(input_tokens, output_tokens, model):
                return (UsageReported(model or self._model_name, input_tokens, output_tokens),)
            case InvalidUsageChunk():
                return (USAGE_IGNORED,)
            case FinishChunk(reason):
                if reason is FinishReason.CONTENT_FILTER:
                    raise AnswerFiltered(200)
                self._finish = reason
                return ()
            case _:
                assert_never(chunk)

    def finish(self) -> tuple[ModelReply, list[RunEvent]]:
        """The whole reply and its last events; raises `AnswerEmpty` if it shows nothing.

        A card alone is an answer.
        """
        events = [*self._add_pieces(self._tags.close()), *self._end_reasoning()]
        reply = self._build_reply()
        if self._events is ReplyEvents.ALL:
            events += [ToolCallFinished(call.id) for call in reply.calls]
        if self._finish is FinishReason.LENGTH:
            events.append(ANSWER_CUT)
        if not reply.calls and self._events is not ReplyEvents.NONE:
            if not reply.text.strip() and self._card is None:
                raise AnswerEmpty
            events += self._start_message()
        if self._message_open:
            output = None if reply.calls else build_text_output(reply.text, card=self._card)
            events.append(MessageFinished(self._message_id, output))
        return reply, events

    def _build_reply(self) -> ModelReply:
        text = "".join(self._text)
        if self._events is ReplyEvents.NONE:
            text = drop_unopened_block(text)
        calls = [ToolCall(c.id, c.name, "".join(c.pieces)) for c in self._calls.values()]
        reasoning = "".join(self._reasoning) if self._reasoning else None
        return ModelReply(
            self._message_id,
            ChatMessage(ChatRole.ASSISTANT, text, tool_calls=tuple(calls), reasoning=reasoning),
        )

    def _add_pieces(self, pieces: Sequence[TextChunk | ReasoningChunk]) -> list[RunEvent]:
        return [
            event
            for piece in pieces
            for event in (
                self._add_text(piece.text)
                if isinstance(piece, TextChunk)
                else self._add_reasoning(piece.text)
            )
        ]

    def _add_text(self, text: str) -> Sequence[RunEvent]:
        self._text.append(text)
        if self._events is ReplyEvents.NONE:
            return ()
        delta = TextDelta(self._message_id, text)
        if self._message_open and not self._reasoning_open:
            return (delta,)
        self.has_shown = True
        return (*self._end_reasoning(), *self._start_message(), delta)

    def _start_message(self) -> Sequence[RunEvent]:
        if self._message_open:
            return ()
        self._message_open = True
        return (MessageStarted(self._message_id),)

    def _add_reasoning(self, text: str) -> Sequence[RunEvent]:
        if self._events is ReplyEvents.NONE:
            return ()
        self.has_shown = True
        self._reasoning_id = self._reasoning_id or str(self._new_id())
        delta = ReasoningDelta(self._reasoning_id, text)
        if self._reasoning_open:
            return (delta,)
        self._reasoning_open = True
        return ReasoningStarted(self._reasoning_id), delta

    def _end_reasoning(self) -> Sequence[RunEvent]:
        if not self._reasoning_open:
            return ()
        self._reasoning_open = False
        return (ReasoningFinished(self._reasoning_id),)

    def _add_call(self, chunk: ToolCallChunk) -> Sequence[RunEvent]:
        call = self._calls.get(chunk.index)
        is_new = call is None
        if call is None:
            call_id = self._call_ids.choose(chunk.id, self._new_id)
            call = self._calls[chunk.index] = _OpenCall(call_id, chunk.name)
        call.pieces.append(chunk.arguments)
        if self._events is not ReplyEvents.ALL:
            return ()
        self.has_shown = True
        events: list[RunEvent] = []
        if is_new:
            events += self._end_reasoning()
            events.append(ToolCallStarted(call.id, call.name, self._message_id))
        if chunk.arguments:
            events.append(ToolCallArguments(call.id, chunk.arguments))
        return events


def build_text_output(answer: str, *, card: JsonObject | None = None) -> JsonObject:
    """The structured form of an answer in text; an empty error means none."""
    hints = {} if card is None else {"ui_hints": card}
    return {"status": "success", "answer": answer, "error": "", **hints}
