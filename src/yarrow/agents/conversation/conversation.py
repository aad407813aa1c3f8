"""Ask the model of a run, with or without tools. Every agent asks here, so trouble means the same
for all of them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from itertools import count
from typing import TypeAlias
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from yarrow.agents.conversation.history import CallIds, list_call_ids
from yarrow.agents.conversation.json_text import decode_lenient
from yarrow.agents.conversation.reply import ModelReply, ReplyBuilder, ReplyEvents, make_chunks
from yarrow.attachments.images import IMAGE_NOT_AVAILABLE
from yarrow.journal.events import (
    ModelReplied,
    Progressed,
    RunEvent,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    Warned,
)
from yarrow.journal.steps import NO_STEPS, CompletedSteps
from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.errors import (
    AnswerFiltered,
    ModelError,
    ModelFailed,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
)
from yarrow.llm.model import ChatMessage, ChatModel, ChatRequest, ChatRole, ToolCall, ToolSpec
from yarrow.runs.agent import RunContext
from yarrow.runs.model import AgentSpec

RETRY_WAITS_S = (1.0, 2.0)
"""How long to wait before the second and the third try if the endpoint does not say; there is no
fourth."""
TRANSIENT = (ModelRateLimited, ModelUnreachable, ModelTimeout)

RETRYING = Progressed("retrying_model")
IMAGES_REFUSED = Warned(
    IMAGE_NOT_AVAILABLE, "The model does not take these images; the answer does without them."
)
NO_IMAGE = "[an image that cannot be shown]"
"""Stands in the prompt for a message that had only images."""

_IMAGE_REFUSALS = frozenset({400, 404, 413, 415, 422})
"""Statuses with which endpoints refuse images; the others are about keys and quotas."""


class Conversation:
    """The exchange of one run with its model.

    Until something of a reply was shown, a transient failure is retried, by `Retry-After` and
    within the deadline of the run, and a request whose images may be the reason is sent without
    them, now and later in the run. A content filter raises `AnswerFiltered`, a reply without text
    and calls `AnswerEmpty`; a reply cut at its length limit is kept, with a warning. Reasoning,
    also in `<think>` tags, is not part of the text. `call_ids` are those of the thread so far: new
    calls get others.
    """

    def __init__(
        self,
        model: ChatModel,
        new_id: Callable[[], UUID],
        *,
        deadline_s: float,
        steps: CompletedSteps = NO_STEPS,
        call_ids: CallIds | None = None,
    ) -> None:
        self.reply = ModelReply("", ChatMessage(ChatRole.ASSISTANT, ""))
        """The last reply; agents look at it when `ask` has ended."""
        self.answer_card: JsonObject | None = None
        """UI hints that go with the answer."""
        self._model, self._new_id = model, new_id
        self._deadline = _read_loop_time() + deadline_s
        self._call_ids = call_ids or CallIds()
        self._images_refused = False
        self._steps, self._request_numbers = steps, count(1)

    def renew(self, *, deadline_s: float, model: ChatModel | None = None) -> "Conversation":
        """A conversation of the same run with a deadline of its own, perhaps with another model."""
        model = model or self._model
        other = Conversation(model, self._new_id, deadline_s=deadline_s, steps=self._steps)
        other._call_ids, other._request_numbers = self._call_ids, self._request_numbers
        return other

    async def ask(
        self, request: ChatRequest, events: ReplyEvents = ReplyEvents.ALL
    ) -> AsyncGenerator[RunEvent, None]:
        """Send the request and yield the events of its reply; raises `ModelError`.

        A reply that the agent continues from ends with its record, `ModelReplied`. If an earlier
        attempt of the run recorded it, the model is not asked.
        """
        number = next(self._request_numbers)
        if (record := self._steps.take_reply(number)) is not None:
            for event in self._repeat_reply(record, events):
                yield event
            return
        for tries in count():
            sent = drop_images(request) if self._images_refused else request
            builder = self._make_builder(events)
            began = _read_loop_time()
            try:
                async with aclosing(self._model.stream(sent)) as chunks:
                    async for chunk in chunks:
                        for event in builder.take(chunk):
                            yield event
                self.reply, last_events = builder.finish()
                for event in last_events:
                    yield event
                if self.reply.calls or events is ReplyEvents.NONE:
                    yield self.reply.to_record(number)
            except ModelError as failure:
                wait = self._retry_wait(failure, tries, took=_read_loop_time() - began)
                gives_up = wait is None and not _may_refuse_images(failure, sent)
                if gives_up or builder.has_shown:
                    raise
            else:
                return
            if wait is None:
                self._images_refused = True
                yield IMAGES_REFUSED
            else:
                yield RETRYING
                await asyncio.sleep(wait)

    def _repeat_reply(self, record: ModelReplied, events: ReplyEvents) -> Iterator[RunEvent]:
        """The events of a recorded reply, its text as one piece."""
        builder = self._make_builder(events, record.message_id)
        for chunk in make_chunks(record):
            yield from builder.take(chunk)
        self.reply, last_events = builder.finish()
        yield from last_events
        yield record

    def _make_builder(self, events: ReplyEvents, message_id: str = "") -> ReplyBuilder:
        return ReplyBuilder(
            self._model.name,
            self._new_id,
            message_id=message_id,
            call_ids=self._call_ids,
            events=events,
            card=self.answer_card,
        )

    def _retry_wait(self, failure: ModelError, tries: int, *, took: float) -> float | None:
        """How long to wait before the next try; None if there is none.

        The next try may take as long as this one did, so the deadline must leave time for it.
        """
        if not isinstance(failure, TRANSIENT) or tries >= len(RETRY_WAITS_S):
            return None
        wait = failure.retry_after_s
        wait = RETRY_WAITS_S[tries] if wait is None else wait
        return wait if _read_loop_time() + wait + took < self._deadline else None


def start_conversation(context: RunContext, spec: AgentSpec) -> Conversation:
    """The conversation of a run that starts now."""
    turns = spec.history_turns
    has_whole_history = turns is None or context.run.turn_seq - 1 <= turns
    return Conversation(
        context.model,
        context.new_id,
        deadline_s=spec.deadline_s,
        steps=context.steps,
        call_ids=CallIds(list_call_ids(context.history), are_complete=has_whole_history),
    )


def drop_images(request: ChatRequest) -> ChatRequest:
    """The same request without images."""
    messages = tuple(
        replace(message, images=(), text=message.text or NO_IMAGE) if message.images else message
        for message in request.messages
    )
    return replace(request, messages=messages)


def _may_refuse_images(failure: ModelError, request: ChatRequest) -> bool:
    """Whether the images may be why; servers without vision answer 400 or 500."""
    if not any(message.images for message in request.messages):
        return False
    match failure:
        case AnswerFiltered():
            return False
        case ModelRefused(status=status):
            return status in _IMAGE_REFUSALS
        case _:
            return isinstance(failure, ModelFailed)


def _read_loop_time() -> float:
    return asyncio.get_running_loop().time()


class ParsedCall(Struct, frozen=True):
    """A tool call whose arguments have been read; None if they are no JSON object."""

    call: ToolCall
    arguments: JsonObject | None


class ToolRound:
    """The tool calls of one reply. The agent answers them in any order, or leaves some open."""

    def __init__(self, reply: ModelReply) -> None:
        self.reply = reply
        self.calls = tuple(_parse_call(call) for call in reply.calls)
        self.is_last = False
        """Set by the agent to leave the loop after this round."""
        self._results: list[ChatMessage] = []

    @property
    def is_answered(self) -> bool:
        return len(self._results) == len(self.calls)

    def answer(self, call: ToolCall, text: str) -> None:
        """What the model reads as the result of the call."""
        self._results.append(ChatMessage(ChatRole.TOOL, text, tool_call_id=call.id))

    def messages(self) -> list[ChatMessage]:
        """The reply and the results for the next prompt; arguments are valid JSON now."""
        calls = tuple(parsed.call for parsed in self.calls)
        return [replace(self.reply.message, tool_calls=calls), *self._results]


UseTools: TypeAlias = Callable[[ToolRound], AsyncIterator[RunEvent]]


class ToolLoop:
    """Asks until a reply calls no tool, leaves a call open, or the rounds are used up.

    `messages` is the prompt; replies that called tools, and the results, are appended to it. With
    `joins_text`, texts of the reply that arrive together may be one event.
    """

    def __init__(
        self,
        conversation: Conversation,
        messages: list[ChatMessage],
        use_tools: UseTools,
        *,
        tools: tuple[ToolSpec, ...],
        max_rounds: int,
        events: ReplyEvents,
        sampler: JsonObject | None = None,
        joins_text: bool = False,
    ) -> None:
        self.rounds_left = max_rounds
        self.is_exhausted = False
        """The rounds were used up and the model still called tools."""
        self._conversation, self._messages, self._use_tools = conversation, messages, use_tools
        self._tools, self._events = tools, events
        self._sampler, self._joins_text = sampler or {}, joins_text

    async def run(self) -> AsyncIterator[RunEvent]:
        """The events of replies and tools. The last reply is the conversation's."""
        while self.rounds_left:
            self.rounds_left -= 1
            request = ChatRequest(
                tuple(self._messages),
                self._tools,
                sampler=self._sampler,
                joins_text=self._joins_text,
            )
            async for event in self._conversation.ask(request, self._events):
                yield event
            if not self._conversation.reply.calls:
                return
            round_ = ToolRound(self._conversation.reply)
            async for event in self._use_tools(round_):
                yield event
            if not round_.is_answered:
                return
            self._messages += round_.messages()
            if round_.is_last:
                return
        self.is_exhausted = True

    def allow_answer(self) -> None:
        """Allow one more reply, without tools: the model has to answer now."""
        self.rounds_left, self._tools, self.is_exhausted = 1, (), False


def make_call_events(
    call: ToolCall, message_id: str, *, text: str = "", reasoning: str | None = None
) -> Sequence[RunEvent]:
    """A whole tool call as events; text and reasoning beside it are kept for later prompts."""
    return (
        ToolCallStarted(call.id, call.name, message_id, text, reasoning),
        ToolCallArguments(call.id, call.arguments),
        ToolCallFinished(call.id),
    )


def _parse_call(call: ToolCall) -> ParsedCall:
    arguments = decode_lenient(call.arguments or "{}")
    written = encode_json(arguments or {}).decode()
    return ParsedCall(replace(call, arguments=written), arguments)
