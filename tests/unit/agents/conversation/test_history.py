"""Which tool calls a model is reminded of."""

from yarrow.agents.conversation.history import pair_calls
from yarrow.llm.model import ChatMessage, ChatRole, ToolCall


def asked(call_id: str, name: str = "t") -> ChatMessage:
    return ChatMessage(ChatRole.ASSISTANT, "", tool_calls=(ToolCall(call_id, name, "{}"),))


def told(call_id: str) -> ChatMessage:
    return ChatMessage(ChatRole.TOOL, "answer", tool_call_id=call_id)


USER = ChatMessage(ChatRole.USER, "and now?")


def test_answered_calls_stay_in_their_places() -> None:
    said = [USER, asked("a"), told("a"), USER]

    assert pair_calls(said) == said


def test_an_unanswered_call_is_dropped_although_an_earlier_turn_used_its_id() -> None:
    said = [USER, asked("call_0"), told("call_0"), USER, asked("call_0", "get_loc"), USER]

    assert pair_calls(said) == [*said[:4], USER]


def test_an_answer_to_no_call_is_dropped() -> None:
    assert pair_calls([told("x"), USER]) == [USER]


def test_words_beside_a_dropped_call_stay() -> None:
    spoken = ChatMessage(ChatRole.ASSISTANT, "let me see", tool_calls=(ToolCall("a", "t", "{}"),))

    assert pair_calls([spoken, USER]) == [
        ChatMessage(ChatRole.ASSISTANT, "let me see"),
        USER,
    ]
