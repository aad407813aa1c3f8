"""Snapshot = fold(events): what a run has said so far, derived and never kept beside them."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from yarrow.kit.json import JsonObject
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


class Phase(StrEnum):
    """Where a run stands, seen from its events."""

    WAITING = "waiting"
    GOING = "going"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ToolStatus(StrEnum):
    """What became of a tool call; a client's tool stays requested."""

    REQUESTED = "requested"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(slots=True)
class SpokenMessage:
    """A message of the agent as far as it is known."""

    id: str
    pieces: list[str] = field(default_factory=list)
    output: JsonObject | None = None
    reasoning: str = ""
    finished: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(slots=True)
class CalledTool:
    """A tool call as far as it is known; `result` stays None for a client's tool."""

    id: str
    name: str
    message_id: str
    said: str = ""
    reasoning: str = ""
    pieces: list[str] = field(default_factory=list)
    finished: bool = False
    result: str | None = None
    result_message_id: str = ""
    failed: bool = False
    hints: JsonObject | None = None

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    @property
    def status(self) -> ToolStatus:
        if self.result is None:
            return ToolStatus.REQUESTED
        return ToolStatus.FAILED if self.failed else ToolStatus.SUCCEEDED


@dataclass(slots=True)
class Snapshot:
    """All that the events so far amount to."""

    phase: Phase = Phase.WAITING
    began_ms: int = 0
    open_steps: list[str] = field(default_factory=list)
    messages: dict[str, SpokenMessage] = field(default_factory=dict)
    tools: dict[str, CalledTool] = field(default_factory=dict)
    speaking_order: dict[str, None] = field(default_factory=dict)
    """Ids of the agent's messages, spoken or only calling tools, in order of appearance."""
    open_reasoning: str = ""
    produced: dict[str, object] = field(default_factory=dict)
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    result: JsonObject | None = None

    @property
    def open_messages(self) -> tuple[str, ...]:
        return tuple(m.id for m in self.messages.values() if not m.finished)

    @property
    def said(self) -> tuple[str, ...]:
        """The ids of all messages so far, the tools' answers included."""
        answers = (call.result_message_id for call in self.tools.values())
        return (*self.speaking_order, *filter(None, answers))

    @property
    def open_calls(self) -> tuple[str, ...]:
        return tuple(call.id for call in self.tools.values() if not call.finished)


def fold(events: list[RunEvent]) -> Snapshot:
    """The snapshot that a list of events amounts to."""
    snapshot = Snapshot()
    for event in events:
        apply(snapshot, event)
    return snapshot


def apply(snapshot: Snapshot, event: RunEvent) -> None:
    """Let one more event count; most are pieces of text, so those are asked for first."""
    match event:
        case TextDelta() | MessageStarted() | MessageFinished():
            _speak(snapshot, event)
        case RunStarted(at_ms):
            snapshot.phase, snapshot.began_ms = Phase.GOING, at_ms
        case RunRestarted(at_ms=at_ms):
            snapshot.__init__(phase=Phase.GOING, began_ms=at_ms)  # type: ignore[misc]
        case StepStarted(name):
            snapshot.open_steps.append(name)
        case StepFinished(name):
            snapshot.open_steps.remove(name)
        case RunSucceeded(result=result):
            snapshot.phase, snapshot.result = Phase.SUCCEEDED, result
        case RunFailed():
            snapshot.phase = Phase.FAILED
        case RunCancelled():
            snapshot.phase = Phase.CANCELLED
        case Produced(name, value, kept):
            if kept:
                snapshot.produced[name] = value
        case ReasoningStarted(message_id):
            snapshot.open_reasoning = message_id
        case ReasoningFinished():
            snapshot.open_reasoning = ""
        case UsageReported(model, input_tokens, output_tokens):
            snapshot.model = model
            snapshot.input_tokens += input_tokens
            snapshot.output_tokens += output_tokens
        case ReasoningDelta() | Progressed() | Warned():
            pass
        case ToolCallStarted() | ToolCallArguments() | ToolCallFinished() | ToolReturned():
            _call(snapshot, event)
        case _:
            assert_never(event)


def _speak(snapshot: Snapshot, event: MessageStarted | TextDelta | MessageFinished) -> None:
    match event:
        case TextDelta(message_id, text):
            snapshot.messages[message_id].pieces.append(text)
        case MessageStarted(message_id):
            snapshot.messages[message_id] = SpokenMessage(message_id)
            snapshot.speaking_order.setdefault(message_id)
        case MessageFinished(message_id, output, reasoning):
            message = snapshot.messages[message_id]
            message.finished, message.output, message.reasoning = True, output, reasoning
        case _:
            assert_never(event)


def _call(
    snapshot: Snapshot,
    event: ToolCallStarted | ToolCallArguments | ToolCallFinished | ToolReturned,
) -> None:
    match event:
        case ToolCallStarted(call_id, name, message_id, said, reasoning):
            snapshot.tools[call_id] = CalledTool(call_id, name, message_id, said, reasoning)
            snapshot.speaking_order.setdefault(message_id)
        case ToolCallArguments(call_id, text):
            snapshot.tools[call_id].pieces.append(text)
        case ToolCallFinished(call_id):
            snapshot.tools[call_id].finished = True
        case ToolReturned(call_id, message_id, content, failed, hints):
            tool = snapshot.tools[call_id]
            tool.result, tool.result_message_id, tool.failed = content, message_id, failed
            tool.hints = hints
        case _:
            assert_never(event)
