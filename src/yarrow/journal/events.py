"""RunEvent: the closed union of facts about a run.

Agents yield them, the journal numbers and keeps them, every protocol's `encode.py` matches all
of them; msgspec turns them into tagged JSON and back.
"""

from enum import StrEnum
from typing import TypeAlias

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonObject
from yarrow.product_events import ProductEvent


class _Event(Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """A frozen value with its class as the tag."""


class RunStarted(_Event, frozen=True, tag="run_started"):
    """A worker began the first attempt."""

    at_ms: int


class RunRestarted(_Event, frozen=True, tag="run_restarted"):
    """A worker began again after another one was lost: all earlier events are void.

    It names what the stored ones left open, so that a stream can close it without having seen it;
    events that were sent but never stored are void as well. The next `repeated` events are those
    of steps that earlier attempts completed; `repeated_numbers` of them have a number.
    """

    attempt: int
    at_ms: int
    void_messages: tuple[str, ...] = ()
    open_messages: tuple[str, ...] = ()
    open_reasoning: str = ""
    open_calls: tuple[str, ...] = ()
    open_steps: tuple[str, ...] = ()
    repeated: int = 0
    repeated_numbers: int = 0


class StepStarted(_Event, frozen=True, tag="step_started"):
    """A named phase of the agent's work began."""

    name: str


class StepFinished(_Event, frozen=True, tag="step_finished"):
    """A named phase of the agent's work ended."""

    name: str


class MessageStarted(_Event, frozen=True, tag="message_started"):
    """The agent begins to speak."""

    message_id: str


class TextDelta(_Event, frozen=True, tag="text"):
    """The next piece of the message's text; never empty."""

    message_id: str
    text: str


class MessageFinished(_Event, frozen=True, tag="message_finished"):
    """The message is complete; `output` is its structured answer, if it has one.

    `reasoning` is for the model alone: some expect it back with their text. `private` is
    for later runs of the agent: no encoder sends it.
    """

    message_id: str
    output: JsonObject | None = None
    reasoning: str | None = None
    private: JsonObject = {}


class ReasoningStarted(_Event, frozen=True, tag="reasoning_started"):
    """The model begins a text of reasoning."""

    message_id: str


class ReasoningDelta(_Event, frozen=True, tag="reasoning"):
    """The next piece of the model's reasoning; never empty."""

    message_id: str
    text: str


class ReasoningFinished(_Event, frozen=True, tag="reasoning_finished"):
    """The text of reasoning is complete."""

    message_id: str


class ToolCallStarted(_Event, frozen=True, tag="tool_call_started"):
    """The agent asks for a tool, its own or the client's.

    `said` and `reasoning` are the text and the reasoning of the same reply, for the model alone.
    """

    call_id: str
    name: str
    message_id: str
    said: str = ""
    reasoning: str | None = None


class ToolCallArguments(_Event, frozen=True, tag="tool_call_arguments"):
    """The next piece of the arguments' JSON text; never empty."""

    call_id: str
    text: str


class ToolCallFinished(_Event, frozen=True, tag="tool_call_finished"):
    """The arguments are complete."""

    call_id: str


class ToolReturned(_Event, frozen=True, tag="tool_returned"):
    """A tool of ours answered; `hints` are those of its card, if it has one."""

    call_id: str
    message_id: str
    content: str
    failed: bool = False
    hints: JsonObject | None = None
    answer_hints: JsonObject | None = None
    """Hints of the card that the answer of the run is to carry."""


class RecordedCall(Struct, frozen=True):
    """A tool call of a recorded reply; its arguments are JSON text."""

    id: str
    name: str
    arguments: str


class ModelReplied(_Event, frozen=True, tag="model_replied"):
    """A model replied and the agent continues; no client sees it.

    An attempt that takes the run over reads it instead of asking the model again.
    """

    number: int
    """Counts the requests of the run."""
    message_id: str
    text: str = ""
    reasoning: str | None = None
    calls: tuple[RecordedCall, ...] = ()


class StepFailed(_Event, frozen=True, tag="step_failed"):
    """A step failed and the model may repair it; no client sees it. Kept like `ModelReplied`."""

    error: str


class Progressed(_Event, frozen=True, tag="progress"):
    """Progress of a long step."""

    label: str
    done: int = 0
    total: int = 0
    at_ms: int | None = None


class Warned(_Event, frozen=True, tag="warning"):
    """Something went wrong that does not end the run."""

    code: str
    message: str


class UsageReported(_Event, frozen=True, tag="usage"):
    """What one call of a model took."""

    model: str
    input_tokens: int
    output_tokens: int


class RunUsage(Struct, frozen=True):
    """What a whole run took: tokens of all its model calls, their cost, and points charged."""

    model: str
    input_tokens: int
    output_tokens: int
    cost: str
    """A decimal number, in the currency of the configured token prices."""
    points: int


class RunSucceeded(_Event, frozen=True, tag="run_succeeded"):
    """The run ended well; `result` is the structured answer."""

    at_ms: int
    result: JsonObject
    usage: RunUsage | None = None


class FailureReason(StrEnum):
    """Why a run failed, in our words. Protocols have their own codes for these."""

    MODEL_MISSING = "model_missing"
    MODEL_UNREACHABLE = "model_unreachable"
    MODEL_FAILED = "model_failed"
    MODEL_TIMEOUT = "model_timeout"
    MODEL_RATE_LIMITED = "model_rate_limited"
    MODEL_REFUSED = "model_refused"
    MODEL_DENIED = "model_denied"
    MODEL_FORBIDDEN = "model_forbidden"
    MODEL_UNKNOWN = "model_unknown"
    PROMPT_TOO_LONG = "prompt_too_long"
    ANSWER_FILTERED = "answer_filtered"
    MODEL_BROKEN = "model_broken"
    ANSWER_UNUSABLE = "answer_unusable"
    ANSWER_EMPTY = "answer_empty"
    DEADLINE = "deadline"
    REPLAY_BLOCKED = "replay_blocked"
    """The answer was rejected, and its effects cannot be repeated."""
    INPUT_ERASED = "input_erased"
    """Nothing is left of the message after the account's own rules for it."""
    OTHER_MATTER = "other_matter"
    """A follow-up is about another matter than the one that its board was cast for."""
    TARGET_CHANGED = "target_changed"
    """What the run would replace was changed before it started."""
    COMMIT_CONFLICT = "commit_conflict"
    """What the run would store contradicts what was stored meanwhile."""
    STATE_NOT_STAGED = "state_not_staged"
    """Session state that the run was to write could not be written: a bug."""
    COMMIT_BUSY = "commit_busy"
    """The database was away for too long when the answer was to be stored."""
    WORKER_LOST = "worker_lost"
    INTERNAL = "internal"


class RunFailed(_Event, frozen=True, tag="run_failed"):
    """The run ended badly and cost nothing."""

    at_ms: int
    reason: FailureReason
    iteration: int | None = None
    """In which of its steps an agent gave up on the model's answers, if it counts them."""


class RunCancelled(_Event, frozen=True, tag="run_cancelled"):
    """The run was stopped by its account and cost nothing."""

    at_ms: int


EngineEvent: TypeAlias = (
    RunStarted
    | RunRestarted
    | StepStarted
    | StepFinished
    | MessageStarted
    | TextDelta
    | MessageFinished
    | ReasoningStarted
    | ReasoningDelta
    | ReasoningFinished
    | ToolCallStarted
    | ToolCallArguments
    | ToolCallFinished
    | ToolReturned
    | ModelReplied
    | StepFailed
    | Progressed
    | Warned
    | UsageReported
    | RunSucceeded
    | RunFailed
    | RunCancelled
)

RunEvent: TypeAlias = EngineEvent | ProductEvent

TerminalEvent: TypeAlias = RunSucceeded | RunFailed | RunCancelled

TERMINAL = (RunSucceeded, RunFailed, RunCancelled)

INTERNAL = (ModelReplied, StepFailed, UsageReported)
"""Events that no protocol sends: they are stored like the others and get no number. The log of a
run asks `type(event) in INTERNAL` for each event: that an object is no instance of a struct takes
`isinstance` ten times as long as that it is."""

encode_event = msgspec.json.Encoder().encode
"""An event as tagged JSON."""
