"""From RunEvents to lines of JSON."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TypeAlias, assert_never

import msgspec
from msgspec import Struct

from yarrow.journal import NumberedEvent
from yarrow.journal.events import (
    EngineEvent,
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
from yarrow.kit.json import JsonObject, decode_json, encode_json
from yarrow.product_events import AgentProduct, ProductEvent
from yarrow.protocols.encode_products import encode_product
from yarrow.protocols.ndjson.error_responses import build_error, build_failure_line
from yarrow.protocols.ndjson.errors import CANCELLED

BUILDING_CONTEXT = "building_context"
PAUSES = frozenset({"clarify", "explain", "delegate"})
ENDINGS = PAUSES | {"completion", "done"}
TOOL_FIELDS = ("purpose", "code", "table_names", "query")

MakeTrajectory: TypeAlias = Callable[[], list[JsonObject]]


class ToolCallName(StrEnum):
    """The type of the line of a tool call; it differs between the streams."""

    TOOL_START = "tool_start"
    TOOL_CALL = "tool_call"


class TextDeltaLine(Struct, tag_field="type", tag="text_delta"):
    content: str


class LineEncoder:
    """Encodes the events of one stream. An event that pauses the run gets a trajectory.

    The last line is held back until the run is settled: a client that answers a pause at once
    must not find the session busy, and one that disconnects after the last line must not cancel.
    """

    def __init__(self, call_name: ToolCallName, make_trajectory: MakeTrajectory) -> None:
        self._call_name, self._make_trajectory = call_name, make_trajectory
        self._calls: dict[str, tuple[str, list[str]]] = {}
        self._ending: JsonObject | None = None

    def encode_batch(self, events: Sequence[NumberedEvent]) -> bytes:
        return b"".join([self._encode_event(each.event) for each in events])

    def _encode_event(self, event: RunEvent) -> bytes:
        if isinstance(event, TextDelta):  # one for each token: tested first
            return encode_json(TextDeltaLine(event.text)) + b"\n"
        if isinstance(event, RunSucceeded):
            return self._encode_ending(event.usage)
        if isinstance(event, AgentProduct):
            return self._encode_product(event)
        value = self._encode_object(event)
        return b"" if value is None else encode_line(value)

    def _encode_product(self, event: ProductEvent) -> bytes:
        name, fields = encode_product(event)
        extra = {"trajectory": self._make_trajectory()} if name in PAUSES else {}
        line = _put_type_first(name, {**fields, **extra})
        if name not in ENDINGS:
            return encode_line(line)
        self._ending = line
        return b""

    def _encode_ending(self, usage: RunUsage | None) -> bytes:
        """The last line, with what the run took; an unknown number of tokens is left out."""
        if self._ending is None:
            return b""
        if usage is None:
            return encode_line(self._ending)
        took: JsonObject = {"points": usage.points}
        if usage.model:
            tokens = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
            took = {"model": usage.model, **tokens, "cost": usage.cost, **took}
        return encode_line({**self._ending, "usage": took})

    def _encode_object(self, event: EngineEvent) -> JsonObject | None:
        match event:
            case TextDelta(_, text):
                return {"type": "text_delta", "content": text}
            case Progressed(label):
                return None if label == BUILDING_CONTEXT else make_progress(label)
            case Warned(code, message):
                return {"type": "warning", "warning": _encode_warning(code, message)}
            case RunRestarted():
                self._calls, self._ending = {}, None
                return make_progress("restarted")
            case RunFailed(_, reason, iteration):
                return build_failure_line(reason, iteration)
            case RunCancelled():
                return {"type": "error", "error": build_error(*CANCELLED)}
            case ToolCallStarted() | ToolCallArguments() | ToolCallFinished() | ToolReturned():
                return self._encode_tool(event)
            case (
                RunStarted()
                | RunSucceeded()
                | StepStarted()
                | StepFinished()
                | MessageStarted()
                | MessageFinished()
                | ReasoningStarted()
                | ReasoningDelta()
                | ReasoningFinished()
                | UsageReported()
                | ModelReplied()
                | StepFailed()
            ):
                return None
            case _:
                assert_never(event)

    def _encode_tool(
        self, event: ToolCallStarted | ToolCallArguments | ToolCallFinished | ToolReturned
    ) -> JsonObject | None:
        match event:
            case ToolCallStarted(call_id, name):
                self._calls[call_id] = (name, [])
                return None
            case ToolCallArguments(call_id, text):
                self._calls[call_id][1].append(text)
                return None
            case ToolCallFinished(call_id):
                name, pieces = self._calls[call_id]
                return self._encode_call(name, _parse_object("".join(pieces)))
            case ToolReturned(call_id, _, content, failed):
                status = {"tool": self._calls[call_id][0], "status": "error" if failed else "ok"}
                result = {**status, **_parse_object(content), **status}
                return _put_type_first("tool_result", result)
            case _:
                assert_never(event)

    def _encode_call(self, name: str, arguments: JsonObject) -> JsonObject:
        call: JsonObject = {"type": self._call_name, "tool": name}
        match self._call_name:
            case ToolCallName.TOOL_START:
                return {**call, **{field: arguments.get(field) for field in TOOL_FIELDS}}
            case ToolCallName.TOOL_CALL:
                code = {"code": arguments["code"]} if "code" in arguments else {}
                return {**call, **code, "args": arguments}
            case _:
                assert_never(self._call_name)


def _put_type_first(name: str, value: JsonObject) -> JsonObject:
    """The type is the first field, and no field of the value replaces it."""
    return {"type": name, **{key: item for key, item in value.items() if key != "type"}}


def encode_line(value: JsonObject) -> bytes:
    """One JSON object and a newline."""
    return encode_json(value) + b"\n"


def make_progress(phase: str, **ids: str) -> JsonObject:
    return {"type": "progress", "phase": phase, **ids}


def _encode_warning(code: str, message: str) -> JsonObject:
    return {"message": message, **({"message_code": code} if code else {})}


def _parse_object(text: str) -> JsonObject:
    try:
        value = decode_json(text or "{}")
    except msgspec.DecodeError:
        return {}
    return value if isinstance(value, dict) else {}
