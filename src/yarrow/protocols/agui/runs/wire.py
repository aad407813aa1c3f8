"""`RunAgentInput` and the responses of the run routes.

Unknown fields are ignored, so that newer clients work. What the seed forbids is refused in
`intake.py`, with the seed's own messages.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from yarrow.kit.json import JsonObject, JsonValue


class OpenModel(BaseModel):
    """Ignores unknown fields."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _null_as_empty(value: JsonValue) -> JsonValue:
    return [] if value is None else value


class TextBlock(OpenModel):
    type: Literal["text"]
    text: str


class BinaryBlock(OpenModel):
    """A file by URL, in the form of the seed."""

    type: Literal["binary"]
    mimeType: str | None = None  # noqa: N815
    id: str | None = None
    url: str | None = None
    data: str | None = None
    filename: str | None = None


class UrlSource(OpenModel):
    type: Literal["url"]
    value: str
    mimeType: str | None = None  # noqa: N815


class InlineSource(OpenModel):
    """Bytes in the message itself; refused by intake."""

    type: Literal["data", "file"]
    mimeType: str | None = None  # noqa: N815


class ImageBlock(OpenModel):
    """An image by URL, in the form of AG-UI 1.0."""

    type: Literal["image"]
    source: Annotated[UrlSource | InlineSource, Field(discriminator="type")]


ContentBlock = Annotated[TextBlock | BinaryBlock | ImageBlock, Field(discriminator="type")]


def _content_kind(value: JsonValue) -> str:
    return "blocks" if isinstance(value, list) else "text"


Content = Annotated[
    Annotated[str, Tag("text")] | Annotated[list[ContentBlock], Tag("blocks")],
    Discriminator(_content_kind),
]
"""With an explicit discriminator, so that an error in a block names that block."""


class KeyedMessage(OpenModel):
    """A message with the client's own id, unique in its thread."""

    id: str = Field(min_length=1)


class UserMessage(KeyedMessage):
    role: Literal["user"]
    content: Content
    name: str | None = None


class ToolMessage(KeyedMessage):
    role: Literal["tool"]
    content: str | list[JsonObject]
    toolCallId: str  # noqa: N815
    error: str | None = None


class WireFunction(OpenModel):
    name: str
    arguments: str = "{}"


class WireToolCall(OpenModel):
    id: str
    function: WireFunction


class AssistantMessage(KeyedMessage):
    """An earlier answer."""

    role: Literal["assistant"]
    content: str | list[JsonObject] | None = None
    toolCalls: Annotated[list[WireToolCall], BeforeValidator(_null_as_empty)] = []  # noqa: N815


class InstructionMessage(KeyedMessage):
    """Instructions of the application for the agent."""

    role: Literal["system", "developer"]
    content: str | list[JsonObject] = ""


class OtherMessage(KeyedMessage):
    """What a client shows beside the conversation: no part of any prompt."""

    role: Literal["reasoning", "activity"]


WireMessage = Annotated[
    UserMessage | ToolMessage | AssistantMessage | InstructionMessage | OtherMessage,
    Field(discriminator="role"),
]


class WireTool(OpenModel):
    name: str = Field(min_length=1)
    description: str = ""
    parameters: JsonObject = {}


class WireContext(OpenModel):
    description: str
    value: str


class RunAgentInput(OpenModel):
    """The body of `POST /api/v1/agent/runs`."""

    threadId: str = Field(json_schema_extra={"format": "uuid"})  # noqa: N815
    runId: str = Field(json_schema_extra={"minLength": 1, "maxLength": 128})  # noqa: N815
    parentRunId: str | None = None  # noqa: N815
    state: Any = None
    messages: list[WireMessage]
    tools: Annotated[list[WireTool], BeforeValidator(_null_as_empty)] = []
    context: Annotated[list[WireContext], BeforeValidator(_null_as_empty)] = []
    forwardedProps: Any = None  # noqa: N815


class TaskAcceptedResponse(BaseModel):
    """The run is stored and will be executed."""

    taskId: str  # noqa: N815
    threadId: str  # noqa: N815
    runId: str  # noqa: N815
    created: str


class CancelResponse(BaseModel):
    """`accepted` is false when the run had already ended."""

    threadId: str  # noqa: N815
    runId: str  # noqa: N815
    accepted: bool
