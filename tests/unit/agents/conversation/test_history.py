"""Stored messages as a prompt repeats them: calls and results in pairs."""

from datetime import UTC, datetime
from uuid import uuid4

from yarrow.agents.conversation.history import pair_calls, recall_messages
from yarrow.ids import MessageId, SessionId
from yarrow.llm.model import ChatMessage, ChatRole, ToolCall
from yarrow.sessions.model import (
    NO_DETAILS,
    Message,
    MessageDetails,
    MessageToolCall,
    MessageToolResult,
    Role,
)

USER = ChatMessage(ChatRole.USER, "and now?")
CALL_A, CALL_B = ToolCall("a", "ours", "{}"), ToolCall("b", "ours", "{}")


def calling(call_id: str, name: str = "t") -> ChatMessage:
    return ChatMessage(ChatRole.ASSISTANT, "", tool_calls=(ToolCall(call_id, name, "{}"),))


def result(call_id: str) -> ChatMessage:
    return ChatMessage(ChatRole.TOOL, "result", tool_call_id=call_id)


def stored(role: Role, content: str = "", details: MessageDetails = NO_DETAILS) -> Message:
    return Message(
        id=MessageId(uuid4()),
        session_id=SessionId(uuid4()),
        seq=1,
        role=role,
        content=content,
        tool_name=None,
        details=details,
        created_at=datetime.now(UTC),
    )


def stored_result(
    call_id: str, reply_id: str, *, text: str = "", reasoning: str | None = None
) -> Message:
    details = MessageDetails(
        tool_call=MessageToolCall(call_id, "ours", "{}"),
        answer_id=reply_id,
        call_text=text,
        reasoning=reasoning,
    )
    return stored(Role.TOOL, "result", details)


def test_paired_calls_stay_in_their_places() -> None:
    messages = [USER, calling("a"), result("a"), USER]

    assert pair_calls(messages) == messages


def test_an_open_call_is_dropped_although_an_earlier_turn_used_its_id() -> None:
    messages = [USER, calling("call_0"), result("call_0"), USER, calling("call_0", "other"), USER]

    assert pair_calls(messages) == [*messages[:4], USER]


def test_a_result_without_a_call_is_dropped() -> None:
    assert pair_calls([result("x"), USER]) == [USER]


def test_text_beside_a_dropped_call_stays() -> None:
    spoken = ChatMessage(ChatRole.ASSISTANT, "let me see", tool_calls=(CALL_A,))

    assert pair_calls([spoken, USER]) == [ChatMessage(ChatRole.ASSISTANT, "let me see"), USER]


def test_calls_of_one_reply_are_one_message() -> None:
    history = [
        stored_result("a", "reply", text="a look", reasoning="deep"),
        stored_result("b", "reply"),
        stored_result("b", "another reply"),
    ]

    first = ChatMessage(ChatRole.ASSISTANT, "a look", tool_calls=(CALL_A, CALL_B), reasoning="deep")
    second = ChatMessage(ChatRole.ASSISTANT, "", tool_calls=(CALL_B,))
    assert recall_messages(history) == [first, result("a"), result("b"), second, result("b")]


def test_a_reply_that_called_tools_of_both_sides_keeps_both_results() -> None:
    theirs = MessageToolCall("b", "theirs", "{}")
    reply = stored(Role.ASSISTANT, "A moment.", MessageDetails(tool_calls=(theirs,)))
    answered = MessageDetails(tool_results=(MessageToolResult("b", "result"),))
    history = [
        stored(Role.USER, "?"),
        reply,
        stored_result("a", str(reply.id)),
        stored(Role.TOOL, "result", answered),
    ]

    paired = pair_calls(recall_messages(history))

    calls = (ToolCall("b", "theirs", "{}"), CALL_A)
    called = ChatMessage(ChatRole.ASSISTANT, "A moment.", tool_calls=calls)
    assert paired == [ChatMessage(ChatRole.USER, "?"), called, result("b"), result("a")]


def test_results_that_came_with_a_question_are_repeated_before_it() -> None:
    details = MessageDetails(tool_results=(MessageToolResult("b", "result"),))

    assert recall_messages([stored(Role.USER, "and now?", details)]) == [result("b"), USER]


def test_an_agent_may_repeat_its_messages_otherwise() -> None:
    history = [stored(Role.USER, "one"), stored(Role.ASSISTANT, "two")]

    recalled = recall_messages(history, lambda m: [ChatMessage(ChatRole.USER, m.content.upper())])

    assert [message.text for message in recalled] == ["ONE", "TWO"]
