"""Resuming a strict stream in its middle.

A stock client starts from an empty state: replayed frames would double its text, and later frames
alone would not parse. So it gets the current state first: the run, the conversation up to it, the
run's finished messages and tool calls, and what is open with its text so far in one delta. Then
the stream continues. Reasoning is part of the snapshot even while it is open: a client keeps its
own copy of reasoning that a snapshot leaves out, and would double it.
"""

from collections.abc import Callable, Iterator, Sequence

from yarrow.journal import NumberedEvent
from yarrow.journal.events import (
    TERMINAL,
    MessageFinished,
    MessageStarted,
    ReasoningDelta,
    ReasoningStarted,
    RunEvent,
    RunRestarted,
    StepStarted,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
)
from yarrow.journal.snapshot import AgentToolCall, Snapshot, fold_events
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.protocols.agui.runs.encode import EventEncoder, encode_card
from yarrow.sessions.model import Message, MessageToolCall, Role


def drop_terminal(events: Sequence[NumberedEvent]) -> Sequence[NumberedEvent]:
    """The events without a terminal one: that is sent as itself after the state."""
    return events[:-1] if isinstance(events[-1].event, TERMINAL) else events


def encode_state(
    encoder: EventEncoder,
    run_key: str,
    past: Sequence[NumberedEvent],
    history: Sequence[Message],
    *,
    url_of: Callable[[str], str],
) -> bytes:
    """Frames that bring an empty client to the state after the past events."""
    snapshot = fold_events([each.event for each in past])
    number = past[-1].number
    messages = [*_encode_history(history, run_key, url_of), *_encode_run(past, snapshot)]
    objects = [
        encoder.encode_start(snapshot.began_ms),
        {"type": "MESSAGES_SNAPSHOT", "messages": messages},
        *_encode_cards(snapshot),
    ]
    head = [b"id: %d\ndata: %s\n\n" % (number, encode_json(each)) for each in objects]
    return b"".join(head) + encoder.encode_batch(
        [NumberedEvent(number, event) for event in _replay_open(snapshot)]
    )


def _encode_history(
    history: Sequence[Message], run_key: str, url_of: Callable[[str], str]
) -> Iterator[JsonObject]:
    """The conversation up to the run's input; its answer is encoded from its events."""
    for message in history:
        ids: JsonObject = {"id": str(message.id), "role": message.role.value}
        if message.role in (Role.USER, Role.ASSISTANT):
            calls = _encode_calls(message.details.tool_calls)
            content = _encode_content(message, url_of)
            yield ids | {"content": content} | calls | _encode_output(message.details.output)
        for result in message.details.tool_results:
            answer_id = f"{message.id}:{result.call_id}"
            answer: JsonObject = {"id": answer_id, "role": "tool"}
            yield answer | {"toolCallId": result.call_id, "content": result.content}
        if message.details.run_key == run_key:
            return


def _encode_content(message: Message, url_of: Callable[[str], str]) -> JsonValue:
    """The text alone, or with images in the form of AG-UI 1.0."""
    images: list[JsonValue] = [
        {
            "type": "image",
            "source": {"type": "url", "value": url_of(image.path), "mimeType": image.mime_type},
        }
        for image in message.details.images
    ]
    if not images:
        return message.content
    if not message.content:
        return images
    return [{"type": "text", "text": message.content}, *images]


def _encode_run(past: Sequence[NumberedEvent], snapshot: Snapshot) -> Iterator[JsonObject]:
    """The run's finished messages and tool calls, and its reasoning, in order of appearance."""
    order: dict[str, list[str]] = {}
    reasoning: dict[str, list[str]] = {}
    for _, event, _ in past:
        if isinstance(event, RunRestarted):
            order, reasoning = {}, {}
        elif isinstance(event, ReasoningStarted):
            order[event.message_id] = reasoning.setdefault(event.message_id, [])
        elif isinstance(event, ReasoningDelta):
            reasoning[event.message_id].append(event.text)
        elif isinstance(event, MessageStarted | ToolCallStarted):
            order.setdefault(event.message_id, [])
    open_messages = _find_open_messages(snapshot)
    for message_id, pieces in order.items():
        if message_id in reasoning:
            yield {"id": message_id, "role": "reasoning", "content": "".join(pieces)}
        elif message_id not in open_messages:
            yield from _encode_message(snapshot, message_id)


def _encode_message(snapshot: Snapshot, message_id: str) -> Iterator[JsonObject]:
    calls = _find_calls(snapshot, message_id)
    message = snapshot.messages.get(message_id)
    answer: JsonObject = {"id": message_id, "role": "assistant"}
    if message:
        answer |= {"content": message.text} | _encode_output(message.output)
    yield answer | _encode_calls(calls)
    for call in calls:
        if call.result is not None:
            result: JsonObject = {"id": call.result_message_id, "role": "tool"}
            yield result | {"toolCallId": call.id, "content": call.result}


def _encode_cards(snapshot: Snapshot) -> Iterator[JsonObject]:
    """The cards of finished messages and tool calls."""
    for call in snapshot.tools.values():
        yield from encode_card(call.result_message_id, call.hints)
    for message in snapshot.messages.values():
        yield from encode_card(message.id, (message.output or {}).get("ui_hints"))


def _encode_output(output: JsonObject | None) -> JsonObject:
    return {} if output is None else {"metadata": {"yarrow": output}}


def _encode_calls(calls: Sequence[AgentToolCall | MessageToolCall]) -> JsonObject:
    if not calls:
        return {}
    return {"toolCalls": [_encode_call(call) for call in calls]}


def _encode_call(call: AgentToolCall | MessageToolCall) -> JsonObject:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _find_calls(snapshot: Snapshot, message_id: str) -> list[AgentToolCall]:
    return [call for call in snapshot.tools.values() if call.message_id == message_id]


def _find_open_messages(snapshot: Snapshot) -> set[str]:
    """Ids of messages whose text or tool calls are not finished."""
    calling = {call.message_id for call in snapshot.tools.values() if not call.finished}
    return calling.union(snapshot.open_messages)


def _replay_open(snapshot: Snapshot) -> Iterator[RunEvent]:
    """Products, and everything open, as events that hold all text so far."""
    yield from [StepStarted(name) for name in snapshot.open_steps]
    yield from snapshot.products.values()
    if snapshot.open_reasoning:
        yield ReasoningStarted(snapshot.open_reasoning)
    open_messages = _find_open_messages(snapshot)
    for message_id in [id_ for id_ in snapshot.message_order if id_ in open_messages]:
        message = snapshot.messages.get(message_id)
        if message is not None:
            yield MessageStarted(message_id)
            if message.text:
                yield TextDelta(message_id, message.text)
        for call in _find_calls(snapshot, message_id):
            yield ToolCallStarted(call.id, call.name, message_id)
            if call.arguments:
                yield ToolCallArguments(call.id, call.arguments)
            if call.finished:
                yield ToolCallFinished(call.id)
        if message is not None and message.finished:
            yield MessageFinished(message_id, message.output)
