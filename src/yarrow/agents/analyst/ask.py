"""Asking the model once: heard to the end before anything is done, tried again when it stumbles."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field

from yarrow.errors import (
    AnswerFiltered,
    ModelError,
    ModelFailed,
    ModelRateLimited,
    ModelTimeout,
    ModelUnreachable,
)
from yarrow.llm.model import (
    ChatMessage,
    ChatModel,
    ChatRequest,
    ChatRole,
    FinishChunk,
    FinishReason,
    ReasoningChunk,
    TextChunk,
    ToolCall,
    ToolCallChunk,
    UsageChunk,
)
from yarrow.runs.events import Progressed, RunEvent, UsageReported

TRIES = 3
WAITS_S = (1.0, 2.0)
TRANSIENT = (ModelUnreachable, ModelFailed, ModelTimeout, ModelRateLimited)


@dataclass(slots=True)
class Heard:
    """One answer: its words, its reasoning and the tools it asks for."""

    text: str = ""
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)

    def as_message(self) -> ChatMessage:
        """The answer as the next prompt repeats it, reasoning included: some models need it."""
        return ChatMessage(
            ChatRole.ASSISTANT,
            self.text,
            tool_calls=tuple(self.calls),
            reasoning=self.reasoning,
        )


async def ask(model: ChatModel, request: ChatRequest, heard: Heard) -> AsyncIterator[RunEvent]:
    """Fill `heard`; say what it cost, and that it takes longer when it is tried again."""
    for waited in (*WAITS_S, None):
        try:
            answer, usage = await _listen(model, request)
        except TRANSIENT as failure:
            if waited is None:
                raise
            yield Progressed("retrying_model")
            await asyncio.sleep(_pause(failure, waited))
            continue
        heard.text, heard.reasoning, heard.calls = answer.text, answer.reasoning, answer.calls
        if usage is not None:
            yield UsageReported(model.name, usage.input_tokens, usage.output_tokens)
        return


def _pause(failure: ModelError, usual: float) -> float:
    asked = failure.retry_after_s if isinstance(failure, ModelRateLimited) else None
    return usual if asked is None else min(asked, 2 * usual)


async def _listen(model: ChatModel, request: ChatRequest) -> tuple[Heard, UsageChunk | None]:
    text: list[str] = []
    reasoning: list[str] = []
    calls: dict[int, list[str]] = {}
    usage: UsageChunk | None = None
    async with aclosing(model.stream(request)) as chunks:
        async for chunk in chunks:
            match chunk:
                case TextChunk(piece):
                    text.append(piece)
                case ReasoningChunk(piece):
                    reasoning.append(piece)
                case ToolCallChunk(index, call_id, name, arguments):
                    calls.setdefault(index, [call_id, name]).append(arguments)
                case UsageChunk():
                    usage = chunk
                case FinishChunk(reason) if reason is FinishReason.CONTENT_FILTER:
                    raise AnswerFiltered(200)
                case FinishChunk():
                    pass
    asked = [ToolCall(given[0], given[1], "".join(given[2:])) for given in calls.values()]
    return Heard("".join(text), "".join(reasoning), asked), usage
