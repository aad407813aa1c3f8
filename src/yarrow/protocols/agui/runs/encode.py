"""From RunEvents to AG-UI frames, in one of two formats.

The seed format has the seed's literal event names and puts the structured answer on
`TEXT_MESSAGE_END` itself. The strict format is what stock AG-UI clients parse: unknown names
become `CUSTOM`, and the structured answer is in `metadata` and in `RUN_FINISHED.result`.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import assert_never

from yarrow.journal import NumberedEvent
from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    ModelReplied,
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
    RunUsage,
    StepFailed,
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
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.product_events import AgentProduct, ProductEvent
from yarrow.product_events.divination import DIVINATION_DERIVED
from yarrow.protocols.agui.errors import CANCELLED, RUN_ERRORS
from yarrow.protocols.encode_products import encode_product
from yarrow.runs.model import AcceptedRun, RunRef
from yarrow.uischema import compile_stored_card

PROTOCOL_VERSION = "1.0"


class StreamFormat(StrEnum):
    SEED = "seed"
    AGUI = "agui"


def encode_accepted(run: AcceptedRun) -> dict[str, str]:
    return {
        "taskId": str(run.ref.id),
        "threadId": str(run.ref.session_id),
        "runId": run.ref.key,
        "created": run.created_at.isoformat(),
    }


class EventEncoder:
    """Encodes the events of one run for one client.

    `resumed`: the client has had `RUN_STARTED` over an earlier connection.
    """

    def __init__(self, run: RunRef, stream_format: StreamFormat, *, resumed: bool = False) -> None:
        self._ids: JsonObject = {"threadId": str(run.session_id), "runId": run.key}
        self._strict = stream_format is StreamFormat.AGUI
        self._has_started = resumed
        self._open = _OpenParts()
        self._current_message = ""
        self._current_prefix = b""

    def encode_batch(self, events: list[NumberedEvent]) -> bytes:
        return b"".join([self.encode_event(number, event) for number, event, _ in events])

    def encode_event(self, number: int, event: RunEvent) -> bytes:
        """The frames of one event. Only the last has the event's number: a client that was cut
        off between two frames gets both again."""
        if isinstance(event, TextDelta):
            return b"id: %d\n%s%s}\n\n" % (
                number,
                self._build_text_prefix(event),
                encode_json(event.text),
            )
        objects = self._encode_objects(number, event)
        self._open.apply(event)
        last = len(objects) - 1
        return b"".join(
            [
                b"id: %d\ndata: %s\n\n"
                % (number if index == last else number - 1, encode_json(each))
                for index, each in enumerate(objects)
            ]
        )

    def _build_text_prefix(self, event: TextDelta) -> bytes:
        """A text frame up to its text, built once for each message: this is the hot path."""
        if event.message_id != self._current_message:
            self._current_message = event.message_id
            self._current_prefix = (
                b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"%s","delta":'
                % event.message_id.encode()
            )
        return self._current_prefix

    def _encode_objects(self, number: int, event: RunEvent) -> list[JsonObject]:
        match event:
            case RunRestarted():
                return self._encode_restart(number, event)
            case RunStarted() | RunSucceeded() | RunFailed() | RunCancelled():
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
            case Progressed(label, done, total):
                return [
                    _build_custom_event("PROGRESS", {"label": label, "done": done, "total": total})
                ]
            case Warned(code, message):
                return [_build_custom_event("WARNING", {"code": code, "message": message})]
            case UsageReported() | ModelReplied() | StepFailed():
                return []
            case AgentProduct():
                return [self._encode_product(event)]
            case _:
                assert_never(event)

    def _encode_product(self, event: ProductEvent) -> JsonObject:
        """A CUSTOM event; the seed format has an event of its own for a board."""
        name, value = encode_product(event)
        if name == DIVINATION_DERIVED and not self._strict:
            return {"type": name, "divination": value}
        return _build_custom_event(name, value)

    def _encode_lifecycle(
        self, event: RunStarted | RunSucceeded | RunFailed | RunCancelled
    ) -> list[JsonObject]:
        match event:
            case RunStarted(at_ms):
                return [self.encode_start(at_ms)]
            case RunSucceeded(at_ms, result, usage):
                finished: JsonObject = {"type": "RUN_FINISHED", **self._ids, "timestamp": at_ms}
                outcome: JsonObject = {"result": result, "outcome": {"type": "success"}}
                return [finished | outcome | _encode_total(usage)]
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
        self._has_started = True
        version = {"protocolVersion": PROTOCOL_VERSION} if self._strict else {}
        return {"type": "RUN_STARTED", **self._ids, "timestamp": at_ms, **version}

    def _encode_restart(self, number: int, event: RunRestarted) -> list[JsonObject]:
        """Close what the lost attempt left open, and void all frames up to a number.

        Frames are sent before they are stored, so the journal may not know all that this client
        has had of the lost attempt: the number covers those, and what this connection opened is
        closed too. A client that has had nothing of the run sees an ordinary start.
        """
        if not self._has_started:
            return [self.encode_start(event.at_ms)]
        void: JsonObject = {
            "attempt": event.attempt,
            "discardedUpToId": number - 1,
            "discardedMessageIds": list(self._open.list_void(event)),
            "repeatedUpToId": number + event.repeated_numbers,
        }
        restart = _build_custom_event("RUN_RESTARTED", void) | {"timestamp": event.at_ms}
        return [*self._open.encode_closings(event), restart]

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


def encode_card(message_id: str, hints: JsonValue) -> list[JsonObject]:
    """The card of a message, the same as in history; nothing if there is none."""
    if hints is None or (card := compile_stored_card(hints)) is None:
        return []
    return [_build_custom_event("UI_CARD", {"messageId": message_id, "uiSchema": card})]


def _encode_total(usage: RunUsage | None) -> JsonObject:
    """Tokens where AG-UI has them; cost and points, which it has no field for, in `metadata`.

    Without tokens and cost if the model did not say what it used: 0 would be wrong.
    """
    if usage is None:
        return {}
    if not usage.model:
        return {"metadata": {"yarrow": {"points": usage.points}}}
    tokens: JsonObject = {
        "model": usage.model,
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
    }
    return {
        "usage": [tokens],
        "metadata": {"yarrow": {"cost": usage.cost, "points": usage.points}},
    }


def _build_custom_event(name: str, value: JsonValue) -> JsonObject:
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


class _OpenParts:
    """What one stream has opened and not closed, and the messages it has carried."""

    def __init__(self) -> None:
        self._messages: dict[str, None] = {}
        self._open_messages: dict[str, None] = {}
        self._open_calls: dict[str, None] = {}
        self._open_steps: dict[str, None] = {}
        self._open_reasoning = ""

    def apply(self, event: RunEvent) -> None:
        match event:
            case MessageStarted(message_id):
                self._messages[message_id] = self._open_messages[message_id] = None
            case MessageFinished(message_id):
                self._open_messages.pop(message_id, None)
            case ToolCallStarted(call_id, _, message_id):
                self._messages[message_id] = self._open_calls[call_id] = None
            case ToolCallFinished(call_id):
                self._open_calls.pop(call_id, None)
            case ToolReturned(message_id=message_id):
                self._messages[message_id] = None
            case ReasoningStarted(message_id):
                self._open_reasoning = message_id
            case ReasoningFinished():
                self._open_reasoning = ""
            case StepStarted(name):
                self._open_steps[name] = None
            case StepFinished(name):
                self._open_steps.pop(name, None)
            case RunRestarted():
                self.__init__()  # type: ignore[misc]

    def list_void(self, restart: RunRestarted) -> Iterable[str]:
        """The ids of all messages of lost attempts, stored or only seen here."""
        return dict.fromkeys((*restart.void_messages, *self._messages))

    def encode_closings(self, restart: RunRestarted) -> Iterator[JsonObject]:
        for call_id in dict.fromkeys((*restart.open_calls, *self._open_calls)):
            yield _encode_tool(ToolCallFinished(call_id))
        if reasoning := self._open_reasoning or restart.open_reasoning:
            yield from _encode_reasoning(ReasoningFinished(reasoning))
        for message_id in dict.fromkeys((*restart.open_messages, *self._open_messages)):
            yield {"type": "TEXT_MESSAGE_END", "messageId": message_id}
        for name in dict.fromkeys((*restart.open_steps, *self._open_steps)):
            yield {"type": "STEP_FINISHED", "stepName": name}
