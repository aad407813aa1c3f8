"""From RunEvents to AG-UI frames, in one of two profiles.

The seed profile has the seed's literal event names and puts the structured answer on
`TEXT_MESSAGE_END` itself. The strict profile is what stock AG-UI clients parse: unknown names
become `CUSTOM`, and the structured answer is in `metadata` and in `RUN_FINISHED.result`.
"""

from enum import StrEnum
from typing import assert_never

from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.protocols.agui.errors import CANCELLED, RUN_ERRORS
from yarrow.runs.events import (
    MessageFinished,
    MessageStarted,
    Produced,
    Progressed,
    ReasoningDelta,
    ReasoningFinished,
    ReasoningStarted,
    RunCancelled,
    RunEvent,
    RunFailed,
    RunRestarted,
    RunStarted,
    RunSucceeded,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    ToolReturned,
    UsageReported,
    Warned,
)
from yarrow.runs.journal import SequencedEvent
from yarrow.runs.model import AcceptedRun, RunRef
from yarrow.uischema import compile_stored_card

PROTOCOL_VERSION = "1.0"


class StreamProfile(StrEnum):
    SEED = "seed"
    AGUI = "agui"


SEED_EVENT_FIELDS: dict[str, str] = {"DIVINATION_DERIVED": "divination"}
"""Products that are events of their own in the seed profile, and the field of their value."""


def encode_accepted(run: AcceptedRun) -> dict[str, str]:
    return {
        "taskId": str(run.ref.id),
        "threadId": str(run.ref.session_id),
        "runId": run.ref.key,
        "created": run.created_at.isoformat(),
    }


class EventEncoder:
    """Encodes the events of one run for one client."""

    def __init__(self, run: RunRef, profile: StreamProfile) -> None:
        self._ids: JsonObject = {"threadId": str(run.session_id), "runId": run.key}
        self._strict = profile is StreamProfile.AGUI
        self._current_message = ""
        self._current_prefix = b""

    def encode_batch(self, events: list[SequencedEvent]) -> bytes:
        return b"".join([self.encode_event(seq, event) for seq, event in events])

    def encode_event(self, seq: int, event: RunEvent) -> bytes:
        """The frames of one event. Only the last has the event's number: a client that was cut
        off between two frames gets both again."""
        if isinstance(event, TextDelta):
            return b"id: %d\n%s%s}\n\n" % (seq, self._text_prefix(event), encode_json(event.text))
        objects = self._to_objects(event)
        last = len(objects) - 1
        return b"".join(
            [
                b"id: %d\ndata: %s\n\n" % (seq if index == last else seq - 1, encode_json(each))
                for index, each in enumerate(objects)
            ]
        )

    def _text_prefix(self, event: TextDelta) -> bytes:
        """A text frame up to its text, built once for each message: this is the hot path."""
        if event.message_id != self._current_message:
            self._current_message = event.message_id
            self._current_prefix = (
                b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"%s","delta":'
                % event.message_id.encode()
            )
        return self._current_prefix

    def _to_objects(self, event: RunEvent) -> list[JsonObject]:
        match event:
            case RunStarted() | RunSucceeded() | RunFailed() | RunCancelled() | RunRestarted():
                return self._encode_lifecycle(event)
            case StepStarted(name):
                return [{"type": "STEP_STARTED", "stepName": name}]
            case StepFinished(name):
                return [{"type": "STEP_FINISHED", "stepName": name}]
            case MessageFinished(message_id, output):
                hints = (output or {}).get("ui_hints")
                return [self._encode_message(event), *encode_card(message_id, hints)]
            case MessageStarted() | TextDelta():
                return [self._encode_message(event)]
            case ReasoningStarted() | ReasoningDelta() | ReasoningFinished():
                return _encode_reasoning(event)
            case ToolReturned(message_id=message_id, hints=hints):
                return [_encode_tool(event), *encode_card(message_id, hints)]
            case ToolCallStarted() | ToolCallArguments() | ToolCallFinished():
                return [_encode_tool(event)]
            case Produced(name, value):
                if name in SEED_EVENT_FIELDS and not self._strict:
                    return [{"type": name, SEED_EVENT_FIELDS[name]: value}]
                return [_custom_event(name, value)]
            case Progressed(label, done, total):
                return [_custom_event("PROGRESS", {"label": label, "done": done, "total": total})]
            case Warned(code, message):
                return [_custom_event("WARNING", {"code": code, "message": message})]
            case UsageReported():
                return []
            case _:
                assert_never(event)

    def _encode_lifecycle(
        self, event: RunStarted | RunRestarted | RunSucceeded | RunFailed | RunCancelled
    ) -> list[JsonObject]:
        match event:
            case RunStarted(at_ms):
                return [self.encode_start(at_ms)]
            case RunRestarted():
                return _encode_restart(event)
            case RunSucceeded(at_ms, result):
                finished = {"type": "RUN_FINISHED", **self._ids, "timestamp": at_ms}
                return [finished | {"result": result, "outcome": {"type": "success"}}]
            case RunFailed(at_ms, reason):
                code, message = RUN_ERRORS[reason]
            case RunCancelled(at_ms):
                code, message = CANCELLED
            case _:
                assert_never(event)
        error: JsonObject = {"type": "RUN_ERROR", "message": message, "code": code}
        return [error | {"timestamp": at_ms} | ({} if self._strict else self._ids)]

    def encode_start(self, at_ms: int) -> JsonObject:
        """`RUN_STARTED`, the first event of every stream."""
        version = {"protocolVersion": PROTOCOL_VERSION} if self._strict else {}
        return {"type": "RUN_STARTED", **self._ids, "timestamp": at_ms, **version}

    def _encode_message(self, event: MessageStarted | TextDelta | MessageFinished) -> JsonObject:
        match event:
            case MessageStarted(message_id):
                return {
                    "type": "TEXT_MESSAGE_START",
                    "messageId": message_id,
                    "role": "assistant",
                }
            case TextDelta(message_id, text):
                return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": text}
            case MessageFinished(message_id, output):
                end: JsonObject = {"type": "TEXT_MESSAGE_END", "messageId": message_id}
                if output is None:
                    return end
                return end | ({"metadata": {"yarrow": output}} if self._strict else output)
            case _:
                assert_never(event)


def _encode_restart(event: RunRestarted) -> list[JsonObject]:
    """Close what the lost attempt left open, and name the messages that clients discard."""
    void = {"attempt": event.attempt, "discardedMessageIds": list(event.void_messages)}
    return [
        *(_encode_tool(ToolCallFinished(call_id)) for call_id in event.open_calls),
        *(
            _encode_reasoning(ReasoningFinished(event.open_reasoning))
            if event.open_reasoning
            else ()
        ),
        *({"type": "TEXT_MESSAGE_END", "messageId": id_} for id_ in event.open_messages),
        *({"type": "STEP_FINISHED", "stepName": name} for name in event.open_steps),
        _custom_event("RUN_RESTARTED", void) | {"timestamp": event.at_ms},
    ]


def encode_card(message_id: str, hints: JsonValue) -> list[JsonObject]:
    """The card of a message, the same as in history; nothing if there is none."""
    card = compile_stored_card(hints)
    if card is None:
        return []
    return [_custom_event("UI_CARD", {"messageId": message_id, "uiSchema": card})]


def _custom_event(name: str, value: object) -> JsonObject:
    return {"type": "CUSTOM", "name": name, "value": value}


def _encode_reasoning(
    event: ReasoningStarted | ReasoningDelta | ReasoningFinished,
) -> list[JsonObject]:
    ids = {"messageId": event.message_id}
    match event:
        case ReasoningStarted():
            return [
                {"type": "REASONING_START", **ids},
                {"type": "REASONING_MESSAGE_START", **ids, "role": "reasoning"},
            ]
        case ReasoningDelta(text=text):
            return [{"type": "REASONING_MESSAGE_CONTENT", **ids, "delta": text}]
        case ReasoningFinished():
            return [{"type": "REASONING_MESSAGE_END", **ids}, {"type": "REASONING_END", **ids}]
        case _:
            assert_never(event)


def _encode_tool(
    event: ToolCallStarted | ToolCallArguments | ToolCallFinished | ToolReturned,
) -> JsonObject:
    ids = {"toolCallId": event.call_id}
    match event:
        case ToolCallStarted(name=name, message_id=parent):
            return {
                "type": "TOOL_CALL_START",
                **ids,
                "toolCallName": name,
                "parentMessageId": parent,
            }
        case ToolCallArguments(text=text):
            return {"type": "TOOL_CALL_ARGS", **ids, "delta": text}
        case ToolCallFinished():
            return {"type": "TOOL_CALL_END", **ids}
        case ToolReturned(message_id=message_id, content=content):
            return {
                "type": "TOOL_CALL_RESULT",
                **ids,
                "messageId": message_id,
                "content": content,
                "role": "tool",
            }
        case _:
            assert_never(event)
