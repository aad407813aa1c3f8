"""Asking the model: an answer heard to its end, or passed on as it comes; tried again when the
model stumbles."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import assert_never

from yarrow.agents.analyst.thinking import ThinkingFilter, without_thinking
from yarrow.llm.errors import (
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
    Chunk,
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
            usage = await _hear(model, request, heard)
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


async def _hear(model: ChatModel, request: ChatRequest, heard: Heard) -> list[UsageReported]:
    """The whole answer, and what it cost. Nobody waits for its words, so none is passed on."""
    coming = _Coming(model.name)
    async with aclosing(model.stream(request)) as chunks:
        taken = [coming.take(chunk) async for chunk in chunks]
    coming.fill(heard)
    return [piece for piece in taken if isinstance(piece, UsageReported)]


async def _listen(
    model: ChatModel, request: ChatRequest, heard: Heard
) -> AsyncGenerator[str | UsageReported, None]:
    coming = _Coming(model.name)
    async with aclosing(model.stream(request)) as chunks:
        async for chunk in chunks:
            if (piece := coming.take(chunk)) is not None:
                yield piece
    if rest := coming.rest():
        yield rest
    coming.fill(heard)


class _Coming:
    """An answer while it comes."""

    def __init__(self, model_name: str) -> None:
        self._model_name = model_name
        self._text: list[str] = []
        self._said = ThinkingFilter()
        self._reasoning: list[str] = []
        self._calls: dict[int, list[str]] = {}

    def take(self, chunk: Chunk) -> str | UsageReported | None:
        """Keep it; give back what is passed on, a word of the answer or its cost."""
        match chunk:
            case TextChunk(piece):
                self._text.append(piece)
                return self._said.feed(piece) or None
            case ReasoningChunk(piece):
                self._reasoning.append(piece)
            case ToolCallChunk(index, call_id, name, arguments):
                self._calls.setdefault(index, [call_id, name]).append(arguments)
            case UsageChunk(input_tokens, output_tokens):
                return UsageReported(self._model_name, input_tokens, output_tokens)
            case FinishChunk(reason):
                if reason is FinishReason.CONTENT_FILTER:
                    raise AnswerFiltered(200)
            case _:
                assert_never(chunk)
        return None

    def rest(self) -> str:
        """Words that were held back for they might have become reasoning."""
        return self._said.close()

    def fill(self, heard: Heard) -> None:
        """The answer is over."""
        heard.text = without_thinking("".join(self._text))
        heard.reasoning = "".join(self._reasoning)
        heard.calls = [
            ToolCall(call_id, name, "".join(arguments))
            for call_id, name, *arguments in self._calls.values()
        ]
