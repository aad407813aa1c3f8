"""Stored messages as the messages of a prompt."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from typing import TypeAlias
from uuid import UUID

from msgspec.structs import replace

from yarrow.llm.model import ChatMessage, ChatRole, ToolCall
from yarrow.sessions.model import Message, MessageToolCall, Role

RANDOM_ID_CHARS = 20
"""Ids of so many characters are not repeated by chance."""

ToChat: TypeAlias = Callable[[Message], Iterable[ChatMessage]]
"""How an agent repeats a message of the user or of its own."""


def to_text_message(message: Message) -> Iterator[ChatMessage]:
    """A message as its text, with the calls of client tools that it ended with."""
    role = ChatRole.ASSISTANT if message.role is Role.ASSISTANT else ChatRole.USER
    calls = tuple(map(_make_tool_call, message.details.tool_calls))
    yield ChatMessage(role, message.content, tool_calls=calls, reasoning=message.details.reasoning)


def recall_messages(
    history: Sequence[Message], to_chat: ToChat = to_text_message
) -> list[ChatMessage]:
    """The messages as the model wrote and read them.

    Tool calls of one reply are one message, with the text of that reply if it was stored.
    """
    recalled: list[ChatMessage] = []
    last_id = ""
    for reply_id, messages in groupby(history, _find_reply_id):
        if not reply_id:
            for message in messages:
                recalled += _make_plain_messages(message, to_chat)
                last_id = str(message.id)
            continue
        results = list(messages)
        called = _make_calling_message(results)
        if recalled and reply_id == last_id:
            reply = recalled.pop()
            calls = (*reply.tool_calls, *called.tool_calls)
            called = replace(reply, tool_calls=calls)
        recalled += [called, *(_make_result_message(result) for result in results)]
    return recalled


class CallIds:
    """The ids of a thread's tool calls. Clients find a call by its id alone, and some models count
    from 0 in each reply.

    If they are not complete, any id that is not long, and so was not chosen at random, may be used.
    """

    def __init__(self, known: Iterable[str] = (), *, are_complete: bool = True) -> None:
        self._known = set(known)
        self._shortest_new = 1 if are_complete else RANDOM_ID_CHARS

    def choose(self, sent: str, new_id: Callable[[], UUID]) -> str:
        """The model's id of a call, or a new one if the thread may have it."""
        is_new = len(sent) >= self._shortest_new and sent not in self._known
        call_id = sent if is_new else f"call_{new_id()}"
        self._known.add(call_id)
        return call_id


def list_call_ids(history: Iterable[Message]) -> Iterator[str]:
    """The ids of the tool calls of these messages."""
    for message in history:
        calls = (message.details.tool_call, *message.details.tool_calls)
        yield from (call.id for call in calls if call is not None)


def pair_calls(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Drop calls without a result and results without a call: endpoints refuse both.

    A result belongs to the call right before it: models use the same ids in every turn.
    """
    paired: list[ChatMessage] = []
    for index, message in enumerate(messages):
        if message.role is ChatRole.TOOL:
            continue
        following = takewhile(lambda m: m.role is ChatRole.TOOL, messages[index + 1 :])
        results = {result.tool_call_id: result for result in following}
        calls = tuple(call for call in message.tool_calls if call.id in results)
        if message.role is ChatRole.ASSISTANT and not message.text and not calls:
            continue
        paired.append(replace(message, tool_calls=calls))
        paired += [results[call.id] for call in calls]
    return paired


def _make_plain_messages(message: Message, to_chat: ToChat) -> Iterator[ChatMessage]:
    for result in message.details.tool_results:
        yield ChatMessage(ChatRole.TOOL, result.content, tool_call_id=result.call_id)
    if message.role is not Role.TOOL:
        yield from to_chat(message)


def _find_reply_id(message: Message) -> str:
    """The reply that called the tool whose result this message is."""
    details = message.details
    return "" if details.tool_call is None else details.answer_id or str(message.id)


def _make_calling_message(results: Sequence[Message]) -> ChatMessage:
    calls = [result.details.tool_call for result in results]
    details = results[0].details
    return ChatMessage(
        ChatRole.ASSISTANT,
        details.call_text,
        tool_calls=tuple(_make_tool_call(call) for call in calls if call is not None),
        reasoning=details.reasoning,
    )


def _make_result_message(result: Message) -> ChatMessage:
    call = result.details.tool_call
    call_id = "" if call is None else call.id
    return ChatMessage(ChatRole.TOOL, result.content, tool_call_id=call_id)


def _make_tool_call(call: MessageToolCall) -> ToolCall:
    return ToolCall(call.id, call.name, call.arguments)
