"""The model of a server without an endpoint: rules, and a small model for characters."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import assert_never

from yarrow.kit.json import encode_json
from yarrow.llm.model import (
    ChatModel,
    ChatRequest,
    Chunk,
    FinishChunk,
    FinishReason,
    TextChunk,
    ToolCallChunk,
    UsageChunk,
)
from yarrow.llm.rule_based.decision import AskSmallModel, CallTools, Decision, SaySentence
from yarrow.llm.rule_based.short_answer import stream_short_answer

RULES_MODEL = "rules"

_PIECE = re.compile(r"\s*\S{1,12}\s?|\s+")


class RuleModel:
    """A `ChatModel` that calls the assistant's tools by rules; deterministic, so also for tests.

    `small_model` plays roles in English, in requests without tools; without it a sentence says how
    to configure a model. Usage names the model that wrote the answer.
    """

    def __init__(self, small_model: ChatModel | None = None) -> None:
        self.small_model = small_model

    @property
    def name(self) -> str:
        return RULES_MODEL

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        """Yield the decision as the chunks of an answer."""
        decision = await asyncio.to_thread(_import_and_decide, request)
        match decision:
            case CallTools():
                for chunk in _send_calls(decision):
                    yield chunk
            case SaySentence(text):
                for chunk in _send_sentence(text):
                    yield chunk
            case AskSmallModel(otherwise):
                if self.small_model is None:
                    for chunk in _send_sentence(otherwise):
                        yield chunk
                    return
                answer = stream_short_answer(self.small_model, request, otherwise=otherwise)
                async with aclosing(answer) as chunks:
                    async for chunk in chunks:
                        yield chunk
            case _:
                assert_never(decision)


def _import_and_decide(request: ChatRequest) -> Decision:
    # The patterns of the rules take a tenth of a second, and a server with an endpoint needs none.
    from yarrow.llm.rule_based.decide import decide_reply  # noqa: PLC0415

    return decide_reply(request)


def _send_calls(decision: CallTools) -> Iterator[Chunk]:
    for index, call in enumerate(decision.calls):
        arguments = encode_json(call.arguments).decode()
        yield ToolCallChunk(index, f"rule_{index}", call.name, arguments)
    yield UsageChunk(0, 0)
    yield FinishChunk(FinishReason.TOOL_CALLS)


def _send_sentence(text: str) -> Iterator[Chunk]:
    for piece in _PIECE.findall(text):
        yield TextChunk(piece)
    yield UsageChunk(0, 0)
    yield FinishChunk(FinishReason.STOP)
