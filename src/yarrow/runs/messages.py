"""From what a run said to what is kept: the messages of its turn, and its result."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from yarrow.ids import MessageId
from yarrow.kit.json import JsonObject
from yarrow.runs.engine import TokenPrice
from yarrow.runs.snapshot import CalledTool, Snapshot, SpokenMessage
from yarrow.sessions.model import NewMessage, Role, Visibility


def result_of(snapshot: Snapshot) -> JsonObject:
    """The structured answer: what the agent gave, else its last words."""
    spoken = list(snapshot.messages.values())
    if spoken and spoken[-1].output is not None:
        return spoken[-1].output
    return {"status": "success", "answer": spoken[-1].text if spoken else "", "error": ""}


def transcript(
    snapshot: Snapshot,
    *,
    run_key: str,
    price: TokenPrice,
    now_ms: int,
    new_id: Callable[[], UUID],
    visibility: Visibility = Visibility.BOTH,
) -> list[NewMessage]:
    """The messages to keep, in order; the last one is the answer and carries the figures."""
    messages: list[NewMessage] = []
    for message_id in snapshot.speaking_order:
        calls = [call for call in snapshot.tools.values() if call.message_id == message_id]
        spoken = snapshot.messages.get(message_id) or SpokenMessage(message_id)
        messages.extend(_utterance(spoken, calls, run_key))
    if not messages or messages[-1].role is not Role.ASSISTANT:
        messages.append(NewMessage(MessageId(new_id()), Role.ASSISTANT, ""))
    messages[-1] = replace(
        messages[-1],
        model_code=snapshot.model,
        input_tokens=snapshot.input_tokens,
        output_tokens=snapshot.output_tokens,
        cost=price.cost(snapshot.input_tokens, snapshot.output_tokens),
        latency_ms=max(0, now_ms - snapshot.began_ms),
        metadata={**messages[-1].metadata, "run_id": run_key, **_kept(snapshot)},
    )
    if visibility is Visibility.BOTH:
        return messages
    return [replace(message, visibility=visibility) for message in messages]


def _kept(snapshot: Snapshot) -> JsonObject:
    """The structured answer, and what was made beside it that it does not carry itself."""
    output = result_of(snapshot)
    beside = {n: value for n, value in snapshot.produced.items() if value not in output.values()}
    return {"agent_output": output, **({"produced": beside} if beside else {})}


def _utterance(spoken: SpokenMessage, calls: list[CalledTool], run_key: str) -> list[NewMessage]:
    """One assistant message, if it says, shows or asks anything, and our tools' answers to it."""
    asked = [call for call in calls if call.result is None]
    kept: list[NewMessage] = []
    if spoken.text or spoken.output or asked:
        metadata: JsonObject = {"run_id": run_key}
        if spoken.output is not None:
            metadata["agent_output"] = spoken.output
        if spoken.reasoning:
            metadata["reasoning"] = spoken.reasoning
        if asked:
            metadata["tool_calls"] = [[call.id, call.name, call.arguments] for call in asked]
        kept.append(
            NewMessage(MessageId(UUID(spoken.id)), Role.ASSISTANT, spoken.text, metadata=metadata)
        )
    kept += [_tool_message(call, call.result, run_key) for call in calls if call.result is not None]
    return kept


def _tool_message(call: CalledTool, result: str, run_key: str) -> NewMessage:
    output = {} if call.hints is None else {"agent_output": {"ui_hints": call.hints}}
    beside = {"said": call.said, "reasoning": call.reasoning}
    return NewMessage(
        MessageId(UUID(call.result_message_id)),
        Role.TOOL,
        result,
        tool_name=call.name,
        metadata={
            "run_id": run_key,
            "tool_call": [call.id, call.name, call.arguments],
            "answer_id": call.message_id,
            **{name: words for name, words in beside.items() if words},
            **output,
        },
    )
