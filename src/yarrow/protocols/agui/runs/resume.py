"""Joining a strict stream in its middle.

A stock client's pipeline starts empty, so replayed frames would double its text and a bare
tail would not parse. It gets the state of now instead: the run, the conversation up to it, what
the run has said and called in whole, and what is open with all its text in one piece. The tail
follows. Reasoning is in the conversation even while it is open: a client keeps its own copy of
reasoning that a snapshot leaves out, and would double it.
"""

from collections.abc import Callable, Iterator, Sequence

from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.protocols.agui.runs.encode import Encoder, card_shapes
from yarrow.runs.events import (
    TERMINAL,
    MessageFinished,
    MessageStarted,
    Produced,
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
from yarrow.runs.images import images_of
from yarrow.runs.journal import SequencedEvent
from yarrow.runs.snapshot import CalledTool, Snapshot, fold
from yarrow.sessions.model import Message, MessageToolCall, Role


def without_end(events: Sequence[SequencedEvent]) -> Sequence[SequencedEvent]:
    """The events before the last one of a run, which is told as itself."""
    return events[:-1] if isinstance(events[-1].event, TERMINAL) else events


def prelude(
    encoder: Encoder,
    run_key: str,
    past: Sequence[SequencedEvent],
    history: Sequence[Message],
    *,
    url_of: Callable[[str], str],
) -> bytes:
    """Frames that bring an empty client to where the past events ended."""
    snapshot = fold([numbered.event for numbered in past])
    seq = past[-1].seq
    messages = [*_asked(history, run_key, url_of), *_said(past, snapshot)]
    shapes = [
        encoder.run_started(snapshot.began_ms),
        {"type": "MESSAGES_SNAPSHOT", "messages": messages},
        *_cards(snapshot),
    ]
    head = [b"id: %d\ndata: %s\n\n" % (seq, encode_json(shape)) for shape in shapes]
    return b"".join(head) + encoder.batch([SequencedEvent(seq, event) for event in _open(snapshot)])


def _asked(
    history: Sequence[Message], run_key: str, url_of: Callable[[str], str]
) -> Iterator[JsonObject]:
    """The conversation up to the run's own input; what it answered comes from its events."""
    for message in history:
        ids: JsonObject = {"id": str(message.id), "role": message.role.value}
        if message.role in (Role.USER, Role.ASSISTANT):
            calls = _with_calls(message.details.tool_calls)
            content = _content(message, url_of)
            yield ids | {"content": content} | calls | _with_output(message.details.output)
        for result in message.details.tool_results:
            answer_id = f"{message.id}:{result.call_id}"
            answer = {"id": answer_id, "role": "tool", "toolCallId": result.call_id}
            yield answer | {"content": result.content}
        if message.details.run_key == run_key:
            return


def _content(message: Message, url_of: Callable[[str], str]) -> JsonValue:
    """The text alone, or with its pictures as AG-UI 1.0 has them."""
    pictures = [
        {
            "type": "image",
            "source": {"type": "url", "value": url_of(i.path), "mimeType": i.mime_type},
        }
        for i in images_of(message)
    ]
    if not pictures:
        return message.content
    text = [{"type": "text", "text": message.content}] if message.content else []
    return [*text, *pictures]


def _said(past: Sequence[SequencedEvent], snapshot: Snapshot) -> Iterator[JsonObject]:
    """What the run has said and called in whole, and its reasoning, in order of appearance."""
    order: dict[str, list[str]] = {}
    thoughts: dict[str, list[str]] = {}
    for _, event in past:
        if isinstance(event, RunRestarted):
            order, thoughts = {}, {}
        elif isinstance(event, ReasoningStarted):
            order[event.message_id] = thoughts.setdefault(event.message_id, [])
        elif isinstance(event, ReasoningDelta):
            thoughts[event.message_id].append(event.text)
        elif isinstance(event, MessageStarted | ToolCallStarted):
            order.setdefault(event.message_id, [])
    unfinished = _unfinished(snapshot)
    for message_id, pieces in order.items():
        if message_id in thoughts:
            yield {"id": message_id, "role": "reasoning", "content": "".join(pieces)}
        elif message_id not in unfinished:
            yield from _utterance(snapshot, message_id)


def _utterance(snapshot: Snapshot, message_id: str) -> Iterator[JsonObject]:
    calls = _calls_of(snapshot, message_id)
    message = snapshot.messages.get(message_id)
    said = {"content": message.text} | _with_output(message.output) if message else {}
    asked = _with_calls(calls)
    yield {"id": message_id, "role": "assistant"} | said | asked
    for call in calls:
        if call.result is not None:
            answer = {"id": call.result_message_id, "role": "tool", "toolCallId": call.id}
            yield answer | {"content": call.result}


def _cards(snapshot: Snapshot) -> Iterator[JsonObject]:
    """The cards of what the run has called and said in whole."""
    for call in snapshot.tools.values():
        yield from card_shapes(call.result_message_id, call.hints)
    for message in snapshot.messages.values():
        yield from card_shapes(message.id, (message.output or {}).get("ui_hints"))


def _with_output(output: JsonObject | None) -> JsonObject:
    return {} if output is None else {"metadata": {"yarrow": output}}


def _with_calls(calls: Sequence[CalledTool | MessageToolCall]) -> JsonObject:
    if not calls:
        return {}
    return {"toolCalls": [_call_shape(call) for call in calls]}


def _call_shape(call: CalledTool | MessageToolCall) -> JsonObject:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _calls_of(snapshot: Snapshot, message_id: str) -> list[CalledTool]:
    return [call for call in snapshot.tools.values() if call.message_id == message_id]


def _unfinished(snapshot: Snapshot) -> set[str]:
    """Ids of messages that speak or call right now."""
    calling = {call.message_id for call in snapshot.tools.values() if not call.finished}
    return calling.union(snapshot.open_messages)


def _open(snapshot: Snapshot) -> Iterator[RunEvent]:
    """What was made, and what is open: as events, each with all it has so far."""
    yield from [StepStarted(name) for name in snapshot.open_steps]
    yield from [Produced(name, value) for name, value in snapshot.produced.items()]
    if snapshot.open_reasoning:
        yield ReasoningStarted(snapshot.open_reasoning)
    unfinished = _unfinished(snapshot)
    for message_id in [id_ for id_ in snapshot.message_order if id_ in unfinished]:
        message = snapshot.messages.get(message_id)
        if message is not None:
            yield MessageStarted(message_id)
            if message.text:
                yield TextDelta(message_id, message.text)
        for call in _calls_of(snapshot, message_id):
            yield ToolCallStarted(call.id, call.name, message_id)
            if call.arguments:
                yield ToolCallArguments(call.id, call.arguments)
            if call.finished:
                yield ToolCallFinished(call.id)
        if message is not None and message.finished:
            yield MessageFinished(message_id, message.output)
