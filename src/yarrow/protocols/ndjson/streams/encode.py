"""Run events as lines of JSON."""

from collections.abc import Sequence
from enum import StrEnum
from typing import assert_never

import msgspec

from yarrow.kit.json import JsonObject, decode_json, encode_json
from yarrow.protocols.ndjson.errors import CANCELLED, error_body, failure_line
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

BUILDING_CONTEXT = "building_context"
PAUSES = frozenset({"clarify", "explain", "delegate"})
ENDINGS = PAUSES | {"completion", "done"}
TOOL_FIELDS = ("purpose", "code", "table_names", "query")


class CallWord(StrEnum):
    """What an endpoint calls the event of a tool call."""

    TOOL_START = "tool_start"
    TOOL_CALL = "tool_call"


class _TextLine(msgspec.Struct, tag_field="type", tag="text_delta"):
    content: str


class LineEncoder:
    """The lines of one stream. `trajectory` goes into every event that pauses the run.

    The last line is held back until the run is settled: whoever answers a pause at once must not
    meet a run that is still going, and whoever leaves after the end must not stop it.
    """

    def __init__(self, call_word: CallWord, trajectory: list[JsonObject]) -> None:
        self._call_word, self._trajectory = call_word, trajectory
        self._calls: dict[str, tuple[str, list[str]]] = {}
        self._ending = b""

    def batch(self, events: Sequence[SequencedEvent]) -> bytes:
        """The lines of some events, each with its end."""
        return b"".join([self._line(numbered.event) for numbered in events])

    def _line(self, event: RunEvent) -> bytes:
        if isinstance(event, TextDelta):  # one for each token, so it comes first
            return encode_json(_TextLine(event.text)) + b"\n"
        if isinstance(event, RunSucceeded):
            return self._ending
        if isinstance(event, Produced) and event.name in ENDINGS:
            self._ending = line(self._produced(event))
            return b""
        said = self._said(event)
        return b"" if said is None else line(said)

    def _produced(self, event: Produced) -> JsonObject:
        beside = {"trajectory": self._trajectory} if event.name in PAUSES else {}
        return _typed(event.name, {**event.value, **beside})

    def _said(self, event: RunEvent) -> JsonObject | None:
        match event:
            case TextDelta(_, text):
                return {"type": "text_delta", "content": text}
            case Produced():
                return self._produced(event)
            case Progressed(label):
                return None if label == BUILDING_CONTEXT else progress(label)
            case Warned(code, message):
                return {"type": "warning", "warning": _warning(code, message)}
            case RunRestarted():
                return progress("restarted")
            case RunFailed(_, reason, iteration):
                return failure_line(reason, iteration)
            case RunCancelled():
                return {"type": "error", "error": error_body(*CANCELLED)}
            case ToolCallStarted() | ToolCallArguments() | ToolCallFinished() | ToolReturned():
                return self._tool(event)
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
            ):
                return None
            case _:
                assert_never(event)

    def _tool(
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
                return self._called(name, _object("".join(pieces)))
            case ToolReturned(call_id, _, content, failed):
                said = {"tool": self._calls[call_id][0], "status": "error" if failed else "ok"}
                return _typed("tool_result", {**said, **_object(content), **said})
            case _:
                assert_never(event)

    def _called(self, name: str, arguments: JsonObject) -> JsonObject:
        said: JsonObject = {"type": self._call_word, "tool": name}
        match self._call_word:
            case CallWord.TOOL_START:
                return {**said, **{field: arguments.get(field) for field in TOOL_FIELDS}}
            case CallWord.TOOL_CALL:
                code = {"code": arguments["code"]} if "code" in arguments else {}
                return {**said, **code, "args": arguments}
            case _:
                assert_never(self._call_word)


def _typed(name: str, value: JsonObject) -> JsonObject:
    """A line's type comes first, and nothing inside replaces it."""
    return {"type": name, **{key: item for key, item in value.items() if key != "type"}}


def line(value: JsonObject) -> bytes:
    """One JSON object and the end of its line."""
    return encode_json(value) + b"\n"


def progress(phase: str, **beside: str) -> JsonObject:
    return {"type": "progress", "phase": phase, **beside}


def _warning(code: str, message: str) -> JsonObject:
    return {"message": message, **({"message_code": code} if code else {})}


def _object(text: str) -> JsonObject:
    try:
        value = decode_json(text or "{}")
    except msgspec.DecodeError:
        return {}
    return value if isinstance(value, dict) else {}
