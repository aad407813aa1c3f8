"""Encode a `ChatRequest` as the body of `POST /chat/completions`."""

from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.llm.model import ChatMessage, ChatRequest, ToolCall, ToolSpec


def encode_request(request: ChatRequest, model: str) -> bytes:
    """The JSON body. Sampler parameters are passed through, but never replace our own keys."""
    body: JsonObject = dict(request.sampler)
    if request.tools:
        body["tools"] = [_encode_tool(tool) for tool in request.tools]
    if request.response_schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.response_schema},
        }
    body["model"] = model
    body["messages"] = [_encode_message(message) for message in request.messages]
    body["stream"] = True
    body["stream_options"] = {"include_usage": True}
    return encode_json(body)


def _encode_message(message: ChatMessage) -> JsonObject:
    wire: JsonObject = {"role": message.role, "content": _encode_content(message)}
    if message.tool_calls:
        wire["tool_calls"] = [_encode_tool_call(call) for call in message.tool_calls]
    if message.tool_call_id:
        wire["tool_call_id"] = message.tool_call_id
    if message.reasoning is not None:
        wire["reasoning_content"] = message.reasoning
    return wire


def _encode_content(message: ChatMessage) -> JsonValue:
    if message.images:
        text = [{"type": "text", "text": message.text}] if message.text else []
        return text + [
            {"type": "image_url", "image_url": {"url": image.url}} for image in message.images
        ]
    if message.tool_calls and not message.text:
        return None  # some endpoints reject an empty string beside tool calls
    return message.text


def _encode_tool_call(call: ToolCall) -> JsonObject:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _encode_tool(tool: ToolSpec) -> JsonObject:
    function: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}
