"""Snapshot = fold(events): the state of a run, derived from its events and never stored."""

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


class ToolStatus(StrEnum):
    """The state of a tool call; a client's tool stays requested."""

    REQUESTED = "requested"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(slots=True)
class SpokenMessage:
    """A message of the agent, complete or partial."""

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
    """A tool call, complete or partial; `result` stays None for a client's tool."""

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
    """The state of a run after some of its events."""

    began_ms: int = 0
    open_steps: list[str] = field(default_factory=list)
    messages: dict[str, SpokenMessage] = field(default_factory=dict)
    tools: dict[str, CalledTool] = field(default_factory=dict)
    message_order: dict[str, None] = field(default_factory=dict)
    """Ids of the agent's messages, with text or only with tool calls, in order."""
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
    def message_ids(self) -> tuple[str, ...]:
        """The ids of all messages so far, tool results included."""
        answers = (call.result_message_id for call in self.tools.values())
        return (*self.message_order, *filter(None, answers))

    @property
    def open_calls(self) -> tuple[str, ...]:
        return tuple(call.id for call in self.tools.values() if not call.finished)


def fold(events: list[RunEvent]) -> Snapshot:
    """Compute the snapshot of a list of events."""
    snapshot = Snapshot()
    for event in events:
        apply(snapshot, event)
    return snapshot


def apply(snapshot: Snapshot, event: RunEvent) -> None:
    """Apply one event. Most are pieces of text, so those are matched first."""
    match event:
        case TextDelta() | MessageStarted() | MessageFinished():
            _apply_message(snapshot, event)
        case RunStarted(at_ms):
            snapshot.began_ms = at_ms
        case RunRestarted(at_ms=at_ms):
            snapshot.__init__(began_ms=at_ms)  # type: ignore[misc]
        case StepStarted(name):
            snapshot.open_steps.append(name)
        case StepFinished(name):
            snapshot.open_steps.remove(name)
        case RunSucceeded(result=result):
            snapshot.result = result
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
        case ReasoningDelta() | Progressed() | Warned() | RunFailed() | RunCancelled():
            pass
        case ToolCallStarted() | ToolCallArguments() | ToolCallFinished() | ToolReturned():
            _apply_tool(snapshot, event)
        case _:
            assert_never(event)


def _apply_message(snapshot: Snapshot, event: MessageStarted | TextDelta | MessageFinished) -> None:
    match event:
        case TextDelta(message_id, text):
            snapshot.messages[message_id].pieces.append(text)
        case MessageStarted(message_id):
            snapshot.messages[message_id] = SpokenMessage(message_id)
            snapshot.message_order.setdefault(message_id)
        case MessageFinished(message_id, output, reasoning):
            message = snapshot.messages[message_id]
            message.finished, message.output, message.reasoning = True, output, reasoning
        case _:
            assert_never(event)


def _apply_tool(
    snapshot: Snapshot,
    event: ToolCallStarted | ToolCallArguments | ToolCallFinished | ToolReturned,
) -> None:
    match event:
        case ToolCallStarted(call_id, name, message_id, said, reasoning):
            snapshot.tools[call_id] = CalledTool(call_id, name, message_id, said, reasoning)
            snapshot.message_order.setdefault(message_id)
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
