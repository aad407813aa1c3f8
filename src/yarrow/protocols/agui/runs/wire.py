"""AG-UI on the wire: the shape of `RunAgentInput` and of our answers.

The shape is open, as AG-UI's is: fields we do not know are passed over, so that newer clients
work. What the seed forbids is refused in `intake.py`, in the seed's own words.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from yarrow.kit.json import JsonObject, JsonValue


class Wire(BaseModel):
    """An open object in camelCase."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _list_or_nothing(value: JsonValue) -> JsonValue:
    return [] if value is None else value


class TextBlock(Wire):
    type: Literal["text"]
    text: str


class BinaryBlock(Wire):
    """A file by reference, as the seed has it."""

    type: Literal["binary"]
    mimeType: str | None = None  # noqa: N815
    id: str | None = None
    url: str | None = None
    data: str | None = None
    filename: str | None = None


class UrlSource(Wire):
    type: Literal["url"]
    value: str
    mimeType: str | None = None  # noqa: N815


class InlineSource(Wire):
    """Bytes in the message itself: known, and refused."""

    type: Literal["data", "file"]
    mimeType: str | None = None  # noqa: N815


class ImageBlock(Wire):
    """A picture by reference, as AG-UI 1.0 has it."""

    type: Literal["image"]
    source: Annotated[UrlSource | InlineSource, Field(discriminator="type")]


ContentBlock = Annotated[TextBlock | BinaryBlock | ImageBlock, Field(discriminator="type")]


def _kind_of_content(value: JsonValue) -> str:
    return "blocks" if isinstance(value, list) else "text"


Content = Annotated[
    Annotated[str, Tag("text")] | Annotated[list[ContentBlock], Tag("blocks")],
    Discriminator(_kind_of_content),
]
"""Told apart by hand, so that a complaint about a block names the block."""


class UserMessage(Wire):
    id: str
    role: Literal["user"]
    content: Content
    name: str | None = None


class ToolMessage(Wire):
    id: str
    role: Literal["tool"]
    content: str | list[JsonObject]
    toolCallId: str  # noqa: N815
    error: str | None = None


class AssistantMessage(Wire):
    """What we said before; the server keeps its own history."""

    id: str
    role: Literal["assistant"]


class OtherMessage(Wire):
    """Known roles that a run takes nothing from."""

    id: str
    role: Literal["system", "developer", "reasoning", "activity"]


WireMessage = Annotated[
    UserMessage | ToolMessage | AssistantMessage | OtherMessage, Field(discriminator="role")
]


class WireTool(Wire):
    name: str = Field(min_length=1)
    description: str = ""
    parameters: JsonObject = {}


class WireContext(Wire):
    description: str
    value: str


class RunAgentInput(Wire):
    """The body of `POST /api/v1/agent/runs`. The formats are told, not checked here: `intake.py`
    refuses in the seed's own words."""

    threadId: str = Field(json_schema_extra={"format": "uuid"})  # noqa: N815
    runId: str = Field(json_schema_extra={"minLength": 1, "maxLength": 128})  # noqa: N815
    parentRunId: str | None = None  # noqa: N815
    state: Any = None
    messages: list[WireMessage]
    tools: Annotated[list[WireTool], BeforeValidator(_list_or_nothing)] = []
    context: Annotated[list[WireContext], BeforeValidator(_list_or_nothing)] = []
    forwardedProps: Any = None  # noqa: N815


class TaskAcceptedResponse(BaseModel):
    """The run is stored and will happen."""

    taskId: str  # noqa: N815
    threadId: str  # noqa: N815
    runId: str  # noqa: N815
    created: str


class CancelResponse(BaseModel):
    """`accepted` is false when the run had already ended."""

    threadId: str  # noqa: N815
    runId: str  # noqa: N815
    accepted: bool
