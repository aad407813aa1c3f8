"""The port to language models: requests, and the chunks of a streamed answer."""

from collections.abc import AsyncGenerator
from enum import StrEnum
from typing import Protocol

from msgspec import Struct, field

from yarrow.kit.json import JsonObject


class ChatRole(StrEnum):
    """The role of a message in a prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class ImagePart(Struct, frozen=True):
    """An image in a user message; `url` may be a `data:` URL."""

    url: str


class ToolCall(Struct, frozen=True):
    """A complete tool call of the model; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str


class ChatMessage(Struct, frozen=True):
    """One message of a prompt."""

    role: ChatRole
    text: str
    images: tuple[ImagePart, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    reasoning: str | None = None
    """Reasoning to send back to models that need it; an empty one is sent back as it came."""


class ToolSpec(Struct, frozen=True):
    """A tool as described to the model; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: JsonObject


class ChatRequest(Struct, frozen=True):
    """One request to a model."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    response_schema: JsonObject | None = None
    """Request JSON that follows this schema."""
    sampler: JsonObject = field(default_factory=dict)
    """Sampler parameters, passed through: temperature, top_p, top_k, seed, stop, …"""
    joins_text: bool = False
    """Whether texts that arrive together may be one chunk."""


class TextChunk(Struct, frozen=True, gc=False):
    """The next piece of the answer; never empty."""

    text: str


class ReasoningChunk(Struct, frozen=True, gc=False):
    """The next piece of the model's reasoning; empty only if the whole of it is."""

    text: str


class ToolCallChunk(Struct, frozen=True, gc=False):
    """The next piece of a tool call. The first one of an `index` has `id` and `name`."""

    index: int
    id: str
    name: str
    arguments: str


class UsageChunk(Struct, frozen=True):
    """Tokens of the whole request and answer; sent once, near the end."""

    input_tokens: int
    output_tokens: int
    model: str = ""
    """The model that answered, if it is not `ChatModel.name`."""


class InvalidUsageChunk(Struct, frozen=True):
    """Sent instead of a `UsageChunk` when the endpoint's token counts are impossible."""


class FinishReason(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    OTHER = "other"


class FinishChunk(Struct, frozen=True):
    """The model stopped."""

    reason: FinishReason


Chunk = TextChunk | ReasoningChunk | ToolCallChunk | UsageChunk | InvalidUsageChunk | FinishChunk


class ChatModel(Protocol):
    """A language model. Closing the iterator closes the connection, which cancels the answer."""

    @property
    def name(self) -> str:
        """The model's name, stored in `messages.model_code`."""
        ...

    def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        """Send the request and yield the answer as it arrives; raises only `ModelError`s.

        Use it in `contextlib.aclosing`, so that leaving early closes it at once.
        """
        ...
