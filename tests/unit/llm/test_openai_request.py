"""A request as the endpoint sees it."""

from tests.loose_json import JsonObject, decode_json

from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ImagePart, ToolCall, ToolSpec
from yarrow.llm.openai_request import encode_request


def encode(request: ChatRequest) -> JsonObject:
    body: JsonObject = decode_json(encode_request(request, "m"))
    return body


def encode_message(message: ChatMessage) -> JsonObject:
    body: JsonObject = encode(ChatRequest((message,)))["messages"][0]
    return body


def test_plain_request_asks_for_a_stream_with_usage() -> None:
    assert encode(ChatRequest((ChatMessage(ChatRole.USER, "hi"),))) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_sampler_goes_through_but_replaces_nothing_of_ours() -> None:
    body = encode(
        ChatRequest((), sampler={"top_k": 5, "stop": ["."], "stream": False, "model": "x"})
    )

    assert (body["top_k"], body["stop"], body["stream"], body["model"]) == (5, ["."], True, "m")


def test_pictures_are_content_parts_after_the_text() -> None:
    message = ChatMessage(ChatRole.USER, "see", images=(ImagePart("data:image/png;base64,AA"),))

    assert encode_message(message)["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
    ]


def test_reasoning_and_tool_calls_are_sent_back() -> None:
    call = ToolCall("a", "f", '{"x":1}')
    message = ChatMessage(ChatRole.ASSISTANT, "", tool_calls=(call,), reasoning="hm")

    assert encode_message(message) == {
        "role": "assistant",
        "content": None,
        "reasoning_content": "hm",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}
        ],
    }


def test_tool_result_names_its_call() -> None:
    assert encode_message(ChatMessage(ChatRole.TOOL, "5", tool_call_id="a")) == {
        "role": "tool",
        "content": "5",
        "tool_call_id": "a",
    }


def test_tools_and_schema_are_in_the_dialect() -> None:
    schema: JsonObject = {"type": "object"}
    body = encode(ChatRequest((), tools=(ToolSpec("f", "does f", schema),), response_schema=schema))

    function = {"name": "f", "description": "does f", "parameters": schema}
    assert body["tools"] == [{"type": "function", "function": function}]
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["schema"] == schema


def test_an_empty_reasoning_is_sent_back_as_it_came() -> None:
    empty = encode_message(ChatMessage(ChatRole.ASSISTANT, "hi", reasoning=""))
    none = encode_message(ChatMessage(ChatRole.ASSISTANT, "hi"))

    assert empty["reasoning_content"] == ""
    assert "reasoning_content" not in none
