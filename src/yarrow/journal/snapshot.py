"""Snapshot = fold(events): the state of a run, and the messages that settling makes of it."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import assert_never
from uuid import UUID

from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.errors import InvalidInput
from yarrow.ids import MessageId
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
from yarrow.kit.json import JsonObject
from yarrow.product_events import (
    AgentProduct,
    StoredProduct,
    StoredProductEvent,
    UntypedProduct,
)
from yarrow.sessions.model import MessageDetails, MessageToolCall, NewMessage, Role, Visibility


class ToolStatus(StrEnum):
    """The state of a tool call; a client's tool stays requested."""

    REQUESTED = "requested"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class AgentMessage(Struct):
    """A message of the agent, complete or partial."""

    id: str
    pieces: list[str] = field(default_factory=list)
    output: JsonObject | None = None
    reasoning: str | None = None
    private: JsonObject = field(default_factory=dict)
    finished: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class AgentToolCall(Struct):
    """A tool call, complete or partial; `result` stays None for a client's tool."""

    id: str
    name: str
    message_id: str
    call_text: str = ""
    reasoning: str | None = None
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


class Snapshot(Struct):
    """The state of a run after some of its events."""

    began_ms: int = 0
    open_steps: list[str] = field(default_factory=list)
    messages: dict[str, AgentMessage] = field(default_factory=dict)
    tools: dict[str, AgentToolCall] = field(default_factory=dict)
    message_order: dict[str, None] = field(default_factory=dict)
    """Ids of the agent's messages, with text or only with tool calls, in order."""
    open_reasoning: str = ""
    products: dict[str, StoredProductEvent] = field(default_factory=dict)
    """The last product of each name that is stored with the answer."""
    warnings: list[Warned] = field(default_factory=list)
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


def fold_events(events: list[RunEvent]) -> Snapshot:
    """Compute the snapshot of a list of events."""
    snapshot = Snapshot()
    messages = snapshot.messages
    for event in events:
        if isinstance(event, TextDelta):  # nearly always
            messages[event.message_id].pieces.append(event.text)
        else:
            apply_event(snapshot, event)
            messages = snapshot.messages
    return snapshot


def _reset_snapshot(snapshot: Snapshot, *, began_ms: int) -> None:
    empty = Snapshot(began_ms=began_ms)
    for name in snapshot.__struct_fields__:
        setattr(snapshot, name, getattr(empty, name))


def apply_event(snapshot: Snapshot, event: RunEvent) -> None:
    """Apply one event. Most are pieces of text, so those are matched first."""
    match event:
        case TextDelta() | MessageStarted() | MessageFinished():
            _apply_message(snapshot, event)
        case RunStarted(at_ms):
            snapshot.began_ms = at_ms
        case RunRestarted(at_ms=at_ms):
            _reset_snapshot(snapshot, began_ms=at_ms)
        case StepStarted(name):
            snapshot.open_steps.append(name)
        case StepFinished(name):
            snapshot.open_steps.remove(name)
        case RunSucceeded(result=result):
            snapshot.result = result
        case ReasoningStarted(message_id):
            snapshot.open_reasoning = message_id
        case ReasoningFinished():
            snapshot.open_reasoning = ""
        case UsageReported(model, input_tokens, output_tokens):
            snapshot.model = model
            snapshot.input_tokens += input_tokens
            snapshot.output_tokens += output_tokens
        case Warned():
            snapshot.warnings.append(event)
        case ReasoningDelta() | Progressed() | ModelReplied():
            pass
        case ToolCallStarted() | ToolCallArguments() | ToolCallFinished() | ToolReturned():
            _apply_tool(snapshot, event)
        case UntypedProduct(kept=False):
            pass
        case StoredProduct():
            name, _ = event.to_stored()
            snapshot.products[name] = event
        case AgentProduct() | StepFailed() | RunFailed() | RunCancelled():
            pass
        case _:
            assert_never(event)


def _apply_message(snapshot: Snapshot, event: MessageStarted | TextDelta | MessageFinished) -> None:
    match event:
        case TextDelta(message_id, text):
            snapshot.messages[message_id].pieces.append(text)
        case MessageStarted(message_id):
            snapshot.messages[message_id] = AgentMessage(message_id)
            snapshot.message_order.setdefault(message_id)
        case MessageFinished(message_id, output, reasoning, private):
            message = snapshot.messages[message_id]
            message.finished, message.output, message.reasoning = True, output, reasoning
            message.private = private
        case _:
            assert_never(event)


def _apply_tool(
    snapshot: Snapshot,
    event: ToolCallStarted | ToolCallArguments | ToolCallFinished | ToolReturned,
) -> None:
    match event:
        case ToolCallStarted(call_id, name, message_id, call_text, reasoning):
            snapshot.tools[call_id] = AgentToolCall(call_id, name, message_id, call_text, reasoning)
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


class TokenPrice(Struct, frozen=True):
    """The price of a million tokens, for the cost columns; points are independent of it."""

    input: Decimal
    output: Decimal

    def cost(self, input_tokens: int, output_tokens: int) -> Decimal:
        total = self.input * input_tokens + self.output * output_tokens
        return (total / 1_000_000).quantize(Decimal("0.000001"))


def build_run_result(snapshot: Snapshot) -> JsonObject:
    """The structured output of the last message, else its text."""
    spoken = list(snapshot.messages.values())
    if spoken and spoken[-1].output is not None:
        return spoken[-1].output
    return {"status": "success", "answer": spoken[-1].text if spoken else "", "error": ""}


def build_messages(
    snapshot: Snapshot,
    *,
    run_key: str,
    price: TokenPrice,
    now_ms: int,
    new_id: Callable[[], UUID],
    visibility: Visibility = Visibility.BOTH,
) -> tuple[list[NewMessage], NewMessage]:
    """The messages to store, in order, and which of them is the answer; it carries the usage."""
    messages: list[NewMessage] = []
    for message_id in snapshot.message_order:
        calls = [call for call in snapshot.tools.values() if call.message_id == message_id]
        spoken = snapshot.messages.get(message_id) or AgentMessage(message_id)
        messages.extend(_build_turn_messages(spoken, calls, run_key))
    at = _find_answer(messages)
    if at is None:
        at = len(messages)
        messages.append(NewMessage(MessageId(new_id()), Role.ASSISTANT, ""))
    messages[at] = replace(
        messages[at],
        model_code=snapshot.model,
        input_tokens=snapshot.input_tokens,
        output_tokens=snapshot.output_tokens,
        cost=price.cost(snapshot.input_tokens, snapshot.output_tokens),
        latency_ms=max(0, now_ms - snapshot.began_ms),
        details=_add_answer_details(messages[at].details, snapshot, run_key),
    )
    require_valid_usage(messages[at])
    if visibility is not Visibility.BOTH:
        messages = [replace(message, visibility=visibility) for message in messages]
    return messages, messages[at]


def require_valid_usage(message: NewMessage) -> None:
    """Raise if tokens, cost or latency of a message are negative."""
    tokens = min(message.input_tokens, message.output_tokens)
    if tokens < 0 or message.cost < 0 or (message.latency_ms or 0) < 0:
        raise InvalidInput("tokens, cost and latency of a message must not be negative")


def _find_answer(messages: Sequence[NewMessage]) -> int | None:
    """The place of the run's last words: the last message, or one that calls tools of the client,
    behind which are the results of our own that it called as well."""
    for at in reversed(range(len(messages))):
        if messages[at].role is Role.ASSISTANT:
            is_last = at == len(messages) - 1
            return at if is_last or messages[at].details.tool_calls else None
    return None


def _add_answer_details(
    details: MessageDetails, snapshot: Snapshot, run_key: str
) -> MessageDetails:
    """Add the structured answer, the products that it does not contain itself, and warnings."""
    output = build_run_result(snapshot)
    stored = [product.to_stored() for product in snapshot.products.values()]
    products = {name: value for name, value in stored if value not in output.values()}
    warnings = tuple((each.code, each.message) for each in snapshot.warnings)
    return replace(details, run_key=run_key, output=output, products=products, warnings=warnings)


def _build_turn_messages(
    spoken: AgentMessage, calls: list[AgentToolCall], run_key: str
) -> list[NewMessage]:
    """One assistant message, if it is not empty, and the results of our tools' calls."""
    open_calls = [call for call in calls if call.result is None]
    messages: list[NewMessage] = []
    if spoken.text or spoken.output or open_calls:
        details = MessageDetails(
            run_key=run_key,
            output=spoken.output,
            private=spoken.private,
            reasoning=spoken.reasoning,
            tool_calls=tuple(map(_build_stored_call, open_calls)),
        )
        messages.append(
            NewMessage(MessageId(UUID(spoken.id)), Role.ASSISTANT, spoken.text, details=details)
        )
    messages += [
        _build_tool_message(call, call.result, run_key) for call in calls if call.result is not None
    ]
    return messages


def _build_tool_message(call: AgentToolCall, result: str, run_key: str) -> NewMessage:
    return NewMessage(
        MessageId(UUID(call.result_message_id)),
        Role.TOOL,
        result,
        tool_name=call.name,
        details=MessageDetails(
            run_key=run_key,
            tool_call=_build_stored_call(call),
            answer_id=call.message_id,
            call_text=call.call_text,
            reasoning=call.reasoning,
            output=None if call.hints is None else {"ui_hints": call.hints},
        ),
    )


def _build_stored_call(call: AgentToolCall) -> MessageToolCall:
    return MessageToolCall(call.id, call.name, call.arguments)
