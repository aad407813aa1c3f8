"""Asking the model: an answer heard to its end, or passed on as it comes; tried again when the
model stumbles."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field

from yarrow.errors import (
    AnswerFiltered,
    ModelError,
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

WAITS_S = (1.0, 2.0)
"""How long to wait before the second and the third try; there is no fourth."""
TRANSIENT = (ModelUnreachable, ModelTimeout, ModelRateLimited)

_THINKING = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


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
            async with aclosing(_listen(model, request, heard)) as pieces:
                usage = [piece async for piece in pieces if not isinstance(piece, str)]
        except TRANSIENT as failure:
            if waited is None:
                raise
            yield Progressed("retrying_model")
            await asyncio.sleep(_pause(failure, waited))
            continue
        for spent in usage:
            yield spent
        return


async def speak(
    model: ChatModel, request: ChatRequest, heard: Heard
) -> AsyncGenerator[str | RunEvent, None]:
    """The words as they come, and what they cost; tried again only if none came yet."""
    for waited in (*WAITS_S, None):
        has_spoken = False
        try:
            async with aclosing(_listen(model, request, heard)) as pieces:
                async for piece in pieces:
                    has_spoken = has_spoken or isinstance(piece, str)
                    yield piece
        except TRANSIENT as failure:
            if has_spoken or waited is None:
                raise
            yield Progressed("retrying_model")
            await asyncio.sleep(_pause(failure, waited))
            continue
        return


def _pause(failure: ModelError, usual: float) -> float:
    asked = failure.retry_after_s if isinstance(failure, ModelRateLimited) else None
    return usual if asked is None else min(asked, 2 * usual)


async def _listen(
    model: ChatModel, request: ChatRequest, heard: Heard
) -> AsyncGenerator[str | UsageReported, None]:
    text: list[str] = []
    reasoning: list[str] = []
    calls: dict[int, list[str]] = {}
    async with aclosing(model.stream(request)) as chunks:
        async for chunk in chunks:
            match chunk:
                case TextChunk(piece):
                    text.append(piece)
                    yield piece
                case ReasoningChunk(piece):
                    reasoning.append(piece)
                case ToolCallChunk(index, call_id, name, arguments):
                    calls.setdefault(index, [call_id, name]).append(arguments)
                case UsageChunk(input_tokens, output_tokens):
                    yield UsageReported(model.name, input_tokens, output_tokens)
                case FinishChunk(reason) if reason is FinishReason.CONTENT_FILTER:
                    raise AnswerFiltered(200)
                case FinishChunk():
                    pass
    heard.text, heard.reasoning = without_thinking("".join(text)), "".join(reasoning)
    heard.calls = [ToolCall(given[0], given[1], "".join(given[2:])) for given in calls.values()]


def without_thinking(text: str) -> str:
    """An answer without the reasoning that models of some servers put before it, in tags."""
    opening = _THINKING.match(text)
    return text[opening.end() :].lstrip() if opening else text
