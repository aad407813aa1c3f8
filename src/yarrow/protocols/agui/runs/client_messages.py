"""The messages of a `RunAgentInput` beside its question: instructions, and the conversation so far.

Instructions are part of this run's prompt. The conversation is stored as the beginning of a new
session; in an existing one the stored conversation is used, and `LastAnswer` tells whether the
client has the same.
"""

from collections.abc import Iterable, Iterator, Sequence

from yarrow.agents.conversation.conversation import NO_IMAGE
from yarrow.errors import InvalidInput
from yarrow.protocols.agui.runs.wire import (
    AssistantMessage,
    InstructionMessage,
    OtherMessage,
    TextBlock,
    ToolMessage,
    UserMessage,
    WireMessage,
    WireToolCall,
)
from yarrow.runs.model import LastAnswer
from yarrow.sessions.model import MessageDetails, MessageToolCall, NewSlot, Role

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


def read_history(messages: Sequence[WireMessage]) -> tuple[tuple[NewSlot, ...], ...]:
    """The conversation as turns, each begun by a user message; an answer may come first."""
    results = {m.toolCallId: m for m in messages if isinstance(m, ToolMessage)}
    turns: list[list[NewSlot]] = []
    for message in messages:
        match message:
            case UserMessage():
                text = read_user_text(message) or NO_IMAGE
                turns.append([_make_slot(Role.USER, message.id, text)])
            case AssistantMessage():
                turns = turns or [[]]
                turns[-1] += _answer_slots(message, results)
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


def _answer_slots(message: AssistantMessage, results: dict[str, ToolMessage]) -> Iterator[NewSlot]:
    """The results of its tool calls, as for a reply of this server, or the answer itself."""
    text = join_text(message.content)
    answered = [call for call in message.toolCalls if call.id in results]
    for call in answered:
        details = MessageDetails(
            client_id=results[call.id].id,
            from_client=True,
            tool_call=_stored_call(call),
            answer_id=message.id,
            call_text=text,
        )
        yield NewSlot(Role.TOOL, (read_result(results[call.id]),), details=details)
    is_open = len(answered) < len(message.toolCalls)
    if is_open or (text and not answered):
        calls = tuple(_stored_call(c) for c in message.toolCalls if c not in answered)
        yield _make_slot(Role.ASSISTANT, message.id, text, calls)


def read_result(message: ToolMessage) -> str:
    """What the model reads as the result: the error, else the content."""
    return message.error or join_text(message.content)


def _stored_call(call: WireToolCall) -> MessageToolCall:
    return MessageToolCall(call.id, call.function.name, call.function.arguments)


def _make_slot(role: Role, id_: str, text: str, calls: tuple[MessageToolCall, ...] = ()) -> NewSlot:
    return NewSlot(
        role, (text,), details=MessageDetails(client_id=id_, from_client=True, tool_calls=calls)
    )
