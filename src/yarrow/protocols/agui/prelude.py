"""Joining a strict stream in its middle.

A stock client's pipeline starts empty, so replayed frames would double its text and a bare
tail would not parse. It gets the state instead: the run, the conversation before it, and what
is open now with all its text in one piece. The tail follows.
"""

from collections.abc import Sequence

from yarrow.json_values import JsonObject, encode_json
from yarrow.protocols.agui.encode import Encoder
from yarrow.runs.events import TERMINAL
from yarrow.runs.journal import Numbered
from yarrow.runs.projection import Snapshot, fold
from yarrow.sessions.model import Message, Role


def split_at(events: Sequence[Numbered], cursor: int) -> list[Numbered]:
    """The events a returning client has seen; a last one it has seen is told again."""
    seen = [numbered for numbered in events if numbered.seq <= cursor]
    if seen and isinstance(seen[-1].event, TERMINAL):
        seen.pop()
    return seen


def prelude(encoder: Encoder, seen: Sequence[Numbered], history: Sequence[Message]) -> bytes:
    """Frames that bring an empty client to where the seen events ended."""
    snapshot = fold([numbered.event for numbered in seen])
    seq = seen[-1].seq if seen else 0
    shapes = [
        encoder.run_started(snapshot.began_ms),
        {"type": "MESSAGES_SNAPSHOT", "messages": _past(history, snapshot)},
        *({"type": "STEP_STARTED", "stepName": name} for name in snapshot.open_steps),
        *_reopened(snapshot),
    ]
    return b"".join([b"id: %d\ndata: %s\n\n" % (seq, encode_json(shape)) for shape in shapes])


def _past(history: Sequence[Message], snapshot: Snapshot) -> list[JsonObject]:
    stored: list[JsonObject] = [
        {"id": str(message.id), "role": message.role.value, "content": message.content}
        for message in history
        if message.role in (Role.USER, Role.ASSISTANT)
        and str(message.id) not in snapshot.speaking_order
    ]
    spoken: list[JsonObject] = [
        {"id": message.id, "role": "assistant", "content": message.text}
        for message in snapshot.messages.values()
        if message.finished
    ]
    return stored + spoken


def _reopened(snapshot: Snapshot) -> list[JsonObject]:
    shapes: list[JsonObject] = []
    for message in snapshot.messages.values():
        if not message.finished:
            ids = {"messageId": message.id}
            shapes.append({"type": "TEXT_MESSAGE_START", **ids, "role": "assistant"})
            if message.text:
                shapes.append({"type": "TEXT_MESSAGE_CONTENT", **ids, "delta": message.text})
    if snapshot.open_reasoning:
        ids = {"messageId": snapshot.open_reasoning}
        shapes.append({"type": "REASONING_START", **ids})
        shapes.append({"type": "REASONING_MESSAGE_START", **ids, "role": "reasoning"})
    for call in snapshot.tools.values():
        if not call.finished:
            ids = {"toolCallId": call.id}
            shapes.append({"type": "TOOL_CALL_START", **ids, "toolCallName": call.name})
            if call.arguments:
                shapes.append({"type": "TOOL_CALL_ARGS", **ids, "delta": call.arguments})
    return shapes
