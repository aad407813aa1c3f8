"""`RunAgentInput`, the responses of the run routes, and readers of the client's messages.

Unknown fields are ignored, so that newer clients work. What the seed forbids is refused in
`intake.py`, with the seed's own messages.

Instructions are part of the run's prompt. The client's conversation is stored as the beginning of
a new session; in an existing one the stored conversation is used, and `LastAnswer` tells whether
the client has the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, FailFast, Field, Tag

from yarrow.agents.conversation.conversation import NO_IMAGE
from yarrow.errors import InvalidInput
from yarrow.http.body import SentObject
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.protocols.agui.runs.limits import MESSAGE_ID_CHARS
from yarrow.runs.model import LastAnswer
from yarrow.sessions.model import MessageDetails, MessageToolCall, NewMessageVersions, Role


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


def _find_content_kind(value: JsonValue) -> str:
    return "blocks" if isinstance(value, list) else "text"


Content = Annotated[
    Annotated[str, Tag("text")] | Annotated[list[ContentBlock], Tag("blocks")],
    Discriminator(_find_content_kind),
]
"""With an explicit discriminator, so that an error in a block names that block."""


class KeyedMessage(OpenModel):
    """A message with the client's own id, unique in its thread."""

    id: str = Field(min_length=1, max_length=MESSAGE_ID_CHARS)


class UserMessage(KeyedMessage):
    role: Literal["user"]
    content: Content
    name: str | None = None


class ToolMessage(KeyedMessage):
    role: Literal["tool"]
    content: str | list[SentObject]
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
    content: str | list[SentObject] | None = None
    toolCalls: Annotated[list[WireToolCall], FailFast(), BeforeValidator(_null_as_empty)] = []  # noqa: N815


class InstructionMessage(KeyedMessage):
    """Instructions of the application for the agent."""

    role: Literal["system", "developer"]
    content: str | list[SentObject] = ""


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
    messages: Annotated[list[WireMessage], FailFast()]
    tools: Annotated[list[WireTool], FailFast(), BeforeValidator(_null_as_empty)] = []
    context: Annotated[list[WireContext], FailFast(), BeforeValidator(_null_as_empty)] = []
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


INSTRUCTION_CHARS = 32_000
INSTRUCTIONS_RULE = "RunAgentInput system and developer messages exceed limit"
ANSWER_START_CHARS = 200
"""How much of an answer is compared, if its id is not the stored one."""


def read_instructions(messages: Iterable[WireMessage]) -> tuple[str, ...]:
    """The system and developer messages that are not empty."""
    texts = [join_text(m.content) for m in messages if isinstance(m, InstructionMessage)]
    if sum(map(len, texts)) > INSTRUCTION_CHARS:
        raise InvalidInput(INSTRUCTIONS_RULE, field="messages")
    return tuple(text for text in texts if text.strip())


def find_last_answer(messages: Sequence[WireMessage]) -> LastAnswer | None:
    """The client's last assistant message."""
    answers = [message for message in messages if isinstance(message, AssistantMessage)]
    if not answers:
        return None
    return LastAnswer(answers[-1].id, join_text(answers[-1].content)[:ANSWER_START_CHARS])


def read_history(messages: Sequence[WireMessage]) -> tuple[tuple[NewMessageVersions, ...], ...]:
    """The conversation as turns, each begun by a user message; an answer may come first."""
    results = {m.toolCallId: m for m in messages if isinstance(m, ToolMessage)}
    turns: list[list[NewMessageVersions]] = []
    for message in messages:
        match message:
            case UserMessage():
                text = _read_brought_text(message)
                turns.append([_make_slot(Role.USER, message.id, text)])
            case AssistantMessage():
                turns = turns or [[]]
                turns[-1] += _make_answer_slots(message, results)
            case ToolMessage() | InstructionMessage() | OtherMessage():
                pass
    return tuple(tuple(slots) for slots in turns if slots)


def join_text(content: str | Sequence[object] | None) -> str:
    """The text of a message that is a string, a list of parts, or missing."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(part for part in parts if isinstance(part, str))


def read_user_text(message: UserMessage) -> str:
    """The text of all text blocks."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(block.text for block in message.content if isinstance(block, TextBlock))


def _read_brought_text(message: UserMessage) -> str:
    """The text of a message that another server has answered; its images are not taken over, which
    model and user can read."""
    text = read_user_text(message)
    has_images = not isinstance(message.content, str) and any(
        not isinstance(block, TextBlock) for block in message.content
    )
    return "\n".join(filter(None, (text, NO_IMAGE if has_images or not text else "")))


def _make_answer_slots(
    message: AssistantMessage, results: dict[str, ToolMessage]
) -> Iterator[NewMessageVersions]:
    """The results of its tool calls, as for a reply of this server, or the answer itself."""
    text = join_text(message.content)
    answered = [call for call in message.toolCalls if call.id in results]
    for call in answered:
        details = MessageDetails(
            client_id=results[call.id].id,
            from_client=True,
            tool_call=_build_stored_call(call),
            answer_id=message.id,
            call_text=text,
        )
        yield NewMessageVersions(Role.TOOL, (read_result(results[call.id]),), details=details)
    is_open = len(answered) < len(message.toolCalls)
    if is_open or (text and not answered):
        calls = tuple(_build_stored_call(c) for c in message.toolCalls if c not in answered)
        yield _make_slot(Role.ASSISTANT, message.id, text, calls)


def read_result(message: ToolMessage) -> str:
    """What the model reads as the result: the error, else the content."""
    return message.error or join_text(message.content)


def _build_stored_call(call: WireToolCall) -> MessageToolCall:
    return MessageToolCall(call.id, call.function.name, call.function.arguments)


def _make_slot(
    role: Role, id_: str, text: str, calls: tuple[MessageToolCall, ...] = ()
) -> NewMessageVersions:
    return NewMessageVersions(
        role, (text,), details=MessageDetails(client_id=id_, from_client=True, tool_calls=calls)
    )
