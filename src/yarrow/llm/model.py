"""The model port: what an agent may ask of a language model, and what streams back.

Pieces of an answer are msgspec structs: one is made for each token, and they cost a fifth.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import msgspec

from yarrow.kit.json import JsonObject


class ChatRole(StrEnum):
    """Who speaks in a prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture in a user message; `url` may be a `data:` URL."""

    url: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A finished request of the model to call a tool; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt."""

    role: ChatRole
    text: str
    images: tuple[ImagePart, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    reasoning: str = ""
    """Reasoning text to send back to models that need it between tool calls."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a model."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    response_schema: JsonObject | None = None
    """Ask for JSON that follows this schema."""
    sampler: JsonObject = field(default_factory=dict)
    """Sampler parameters passed through as given: temperature, top_p, top_k, seed, stop, …"""


class TextChunk(msgspec.Struct, frozen=True, gc=False):
    """The next piece of the answer; never empty."""

    text: str


class ReasoningChunk(msgspec.Struct, frozen=True, gc=False):
    """The next piece of the model's reasoning; never empty."""

    text: str


class ToolCallChunk(msgspec.Struct, frozen=True, gc=False):
    """The next piece of a tool call. The first one of an `index` has `id` and `name`."""

    index: int
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class UsageChunk:
    """Tokens of the whole exchange, once, near the end."""

    input_tokens: int
    output_tokens: int


class FinishReason(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FinishChunk:
    """The model stopped."""

    reason: FinishReason


Chunk = TextChunk | ReasoningChunk | ToolCallChunk | UsageChunk | FinishChunk


class ChatModel(Protocol):
    """A language model. Closing the iterator closes the connection: that is cancel."""

    @property
    def name(self) -> str:
        """The model's code, as kept in `messages.model_code`."""
        ...

    def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        """Ask, and yield the answer as it comes; raises `ModelError` subclasses only.

        Take it with `contextlib.aclosing`, so that leaving early closes it at once.
        """
        ...
