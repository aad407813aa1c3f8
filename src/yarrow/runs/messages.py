"""Build the stored messages and the result of a run from its snapshot."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import msgspec

from yarrow.ids import MessageId
from yarrow.kit.json import JsonObject
from yarrow.runs.engine import TokenPrice
from yarrow.runs.snapshot import CalledTool, Snapshot, SpokenMessage
from yarrow.sessions.model import MessageDetails, MessageToolCall, NewMessage, Role, Visibility


def run_result(snapshot: Snapshot) -> JsonObject:
    """The structured output of the last message, else its text."""
    spoken = list(snapshot.messages.values())
    if spoken and spoken[-1].output is not None:
        return spoken[-1].output
    return {"status": "success", "answer": spoken[-1].text if spoken else "", "error": ""}


def build_messages(
    snapshot: Snapshot,
    *,
    run_key: str,
    price: TokenPrice,
    now_ms: int,
    new_id: Callable[[], UUID],
    visibility: Visibility = Visibility.BOTH,
) -> list[NewMessage]:
    """The messages to store, in order; the last one is the answer and carries the usage."""
    messages: list[NewMessage] = []
    for message_id in snapshot.message_order:
        calls = [call for call in snapshot.tools.values() if call.message_id == message_id]
        spoken = snapshot.messages.get(message_id) or SpokenMessage(message_id)
        messages.extend(_build_turn_messages(spoken, calls, run_key))
    if not messages or messages[-1].role is not Role.ASSISTANT:
        messages.append(NewMessage(MessageId(new_id()), Role.ASSISTANT, ""))
    messages[-1] = replace(
        messages[-1],
        model_code=snapshot.model,
        input_tokens=snapshot.input_tokens,
        output_tokens=snapshot.output_tokens,
        cost=price.cost(snapshot.input_tokens, snapshot.output_tokens),
        latency_ms=max(0, now_ms - snapshot.began_ms),
        details=_answer_details(messages[-1].details, snapshot, run_key),
    )
    if visibility is Visibility.BOTH:
        return messages
    return [replace(message, visibility=visibility) for message in messages]


def _answer_details(details: MessageDetails, snapshot: Snapshot, run_key: str) -> MessageDetails:
    """Add the structured answer, and the products that the answer does not contain itself."""
    output = run_result(snapshot)
    products = {n: value for n, value in snapshot.produced.items() if value not in output.values()}
    return msgspec.structs.replace(details, run_key=run_key, output=output, products=products)


def _build_turn_messages(
    spoken: SpokenMessage, calls: list[CalledTool], run_key: str
) -> list[NewMessage]:
    """One assistant message, if it is not empty, and the results of our tools' calls."""
    asked = [call for call in calls if call.result is None]
    kept: list[NewMessage] = []
    if spoken.text or spoken.output or asked:
        details = MessageDetails(
            run_key=run_key,
            output=spoken.output,
            reasoning=spoken.reasoning,
            tool_calls=tuple(map(_stored_call, asked)),
        )
        kept.append(
            NewMessage(MessageId(UUID(spoken.id)), Role.ASSISTANT, spoken.text, details=details)
        )
    kept += [_tool_message(call, call.result, run_key) for call in calls if call.result is not None]
    return kept


def _tool_message(call: CalledTool, result: str, run_key: str) -> NewMessage:
    return NewMessage(
        MessageId(UUID(call.result_message_id)),
        Role.TOOL,
        result,
        tool_name=call.name,
        details=MessageDetails(
            run_key=run_key,
            tool_call=_stored_call(call),
            answer_id=call.message_id,
            call_text=call.said,
            reasoning=call.reasoning,
            output=None if call.hints is None else {"ui_hints": call.hints},
        ),
    )


def _stored_call(call: CalledTool) -> MessageToolCall:
    return MessageToolCall(call.id, call.name, call.arguments)
