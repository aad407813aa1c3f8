"""The state of a turn as its events tell it: what `run` frames and the result show."""

from decimal import Decimal
from enum import StrEnum
from typing import assert_never

from msgspec import Struct, field

from yarrow.agents.storyteller.agent import TurnPhase
from yarrow.http.problem import WireError
from yarrow.journal.events import (
    FailureReason,
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
from yarrow.kit.json import JsonObject
from yarrow.product_events import AgentProduct
from yarrow.product_events.story import (
    MemoryNoted,
    PromptSent,
    ReplyDraft,
    ReplyRejected,
    StoryReply,
    VerifierReport,
)
from yarrow.protocols.encode_products import encode_verdict
from yarrow.protocols.tavern.errors import CANCELLED_FAULT, COMMIT_FAILED, RUN_FAULTS
from yarrow.stories.place_turns import StartedTurn
from yarrow.stories.turn_input import TurnKind

RECORDED = "input_recorded"
COMMITTED = "transaction_committed"
SCHEDULED = "post_commit_scheduled"

PHASES = {
    TurnPhase.RESOLVED: "semantic_resolved",
    TurnPhase.CHECKED: "prechecked",
    TurnPhase.ASSEMBLED: "prompt_assembled",
    TurnPhase.GENERATING: "page_generating",
    TurnPhase.GENERATED: "candidate_generated",
    TurnPhase.VERIFIED: "verifier_checked",
    TurnPhase.PREPARED: "transaction_prepared",
}
_LABELS = frozenset(phase.value for phase in TurnPhase)
GENERATING = PHASES[TurnPhase.GENERATING]
PREPARED = PHASES[TurnPhase.PREPARED]

PUBLIC_PHASES = {
    RECORDED: "preparing",
    "semantic_resolved": "preparing",
    "prechecked": "preparing",
    "prompt_assembled": "preparing",
    GENERATING: "generating",
    "candidate_generated": "verifying",
    "verifier_checked": "verifying",
    PREPARED: "committing",
    COMMITTED: "committing",
    SCHEDULED: "post_processing",
}
RUN_TYPES = {
    TurnKind.RESPOND: "respond",
    TurnKind.REGENERATE: "regenerate_page",
    TurnKind.RETRY: "retry_turn",
    TurnKind.EDIT: "edit_and_regenerate",
}


class GenerationStatus(StrEnum):
    """The state of a turn's run."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TurnProgress(Struct):
    """A turn after some of its events. `text` is a beginning of the reply until it is complete."""

    turn: StartedTurn
    run_id: str
    phase: str = RECORDED
    attempt: int = 1
    started_ms: int = 0
    status: GenerationStatus = GenerationStatus.RUNNING
    is_drafted: bool = False
    summaries: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    usage: RunUsage | None = None
    """Of the whole run, once it has succeeded."""
    prompt: PromptSent | None = None
    verdict: VerifierReport | None = None
    memory_mode: str | None = None
    """`sync` or `async`; None if memory is off."""
    fault: WireError | None = None
    warnings: list[Warned] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _generating_ms: int | None = field(default=None)
    _updated_ms: int = 0
    """The last time that the journal has, or that an event tells: live and replayed the same."""

    @property
    def has_ended(self) -> bool:
        return self.status is not GenerationStatus.RUNNING

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def apply(self, event: RunEvent, at_ms: int | None = None) -> str:
        """Apply an event and when it was appended; returns the text that it adds to the reply."""
        self._note_time(at_ms)
        match event:
            case TextDelta(text=text):
                return self._add_text(text)
            case ReplyDraft(text):
                self.is_drafted = True
                self._pieces.append(text)
                return text
            case RunStarted(began_ms):
                self._begin_attempt(began_ms)
            case RunRestarted(attempt, began_ms):
                self._restart_run(attempt, began_ms)
            case Progressed(label, at_ms=began_ms):
                self._advance_phase(label, began_ms)
            case UsageReported(_, input_tokens, output_tokens):
                self.input_tokens += input_tokens
                self.output_tokens += output_tokens
            case PromptSent() | StoryReply() | ReplyRejected() | VerifierReport() | MemoryNoted():
                self._apply_product(event)
            case RunSucceeded(ended_ms, usage=usage):
                self.status, self.usage = GenerationStatus.COMPLETED, usage
                self._note_time(ended_ms)
            case RunFailed(ended_ms, reason):
                self._fail_run(reason)
                self._note_time(ended_ms)
            case RunCancelled(ended_ms):
                self.status, self.fault = GenerationStatus.CANCELLED, CANCELLED_FAULT
                self._note_time(ended_ms)
            case Warned():
                self.warnings.append(event)
            case AgentProduct() | MessageStarted() | MessageFinished():
                pass
            case ReasoningStarted() | ReasoningDelta() | ReasoningFinished():
                pass
            case StepStarted() | StepFinished() | ToolCallStarted() | ToolCallArguments():
                pass
            case ToolCallFinished() | ToolReturned() | ModelReplied() | StepFailed():
                pass
            case _:
                assert_never(event)
        return ""

    def _apply_product(
        self, event: PromptSent | StoryReply | ReplyRejected | VerifierReport | MemoryNoted
    ) -> None:
        match event:
            case PromptSent():
                self.prompt = event
            case StoryReply(text, summaries):
                self._pieces, self.summaries = [text], summaries
            case ReplyRejected():
                self.attempt += 1
                self._pieces, self.verdict = [], None
            case VerifierReport():
                self.verdict = event
            case MemoryNoted(mode):
                self.memory_mode = mode
            case _:
                assert_never(event)

    def _add_text(self, text: str) -> str:
        """The whole text after drafts is no piece of the reply: clients have it already."""
        if self.is_drafted:
            return ""
        self._pieces.append(text)
        return text

    def _advance_phase(self, label: str, at_ms: int | None) -> None:
        self._note_time(at_ms)
        if label not in _LABELS:
            return
        self.phase = PHASES[TurnPhase(label)]
        if self.phase == GENERATING:
            # Older runs have no time of it.
            self._generating_ms = self._updated_ms if at_ms is None else at_ms

    def _note_time(self, at_ms: int | None) -> None:
        """Clocks of several processes may differ: the time of a run never goes back."""
        if at_ms is not None and at_ms > self._updated_ms:
            self._updated_ms = at_ms

    def _begin_attempt(self, at_ms: int) -> None:
        self.started_ms = at_ms
        self._note_time(at_ms)

    def _restart_run(self, attempt: int, at_ms: int) -> None:
        self._begin_attempt(at_ms)
        self.attempt, self.phase = attempt, RECORDED
        self._pieces, self.summaries, self.is_drafted = [], (), False
        self.input_tokens = self.output_tokens = 0
        self.prompt, self.verdict, self._generating_ms = None, None, None
        self.memory_mode, self.warnings = None, []

    def _fail_run(self, reason: FailureReason) -> None:
        self.status, self.fault = GenerationStatus.FAILED, RUN_FAULTS[reason]
        if reason is FailureReason.INTERNAL and self.phase == PREPARED:
            self.fault = COMMIT_FAILED

    def encode_run(self, number: int, phase: str | None = None) -> JsonObject:
        """A whole snapshot; `number` is its rising `phase_seq`."""
        phase, updated_ms = phase or self.phase, self._updated_ms or self.turn.accepted_ms
        return {
            "floor_id": str(self.turn.turn_id),
            "run_id": self.run_id,
            "run_type": RUN_TYPES[self.turn.input.kind],
            "status": self.status.value,
            "phase": phase,
            "public_phase": PUBLIC_PHASES[phase],
            "phase_seq": number,
            "attempt_no": self.attempt,
            "started_at": self.started_ms or self.turn.accepted_ms,
            "updated_at": updated_ms,
            "completed_at": updated_ms if self.has_ended else None,
            "pending_output": self._encode_output(),
            "verifier": self._encode_verifier(),
            "error": self._encode_error(),
            **self.encode_charge(),
        }

    def encode_charge(self) -> JsonObject:
        """`charge` of a run that succeeded, if it cost anything."""
        if self.usage is None or not (self.usage.points or Decimal(self.usage.cost)):
            return {}
        cost = {"cost": self.usage.cost} if self.usage.model else {}
        return {"charge": {**cost, "points": self.usage.points}}

    def _encode_verifier(self) -> JsonObject | None:
        if not self.turn.input.modules.has_verifier:
            return None
        if self.verdict is None:
            return {"status": "pending", "suggestion": "", "issues": []}
        return encode_verdict(self.verdict)

    def _encode_output(self) -> JsonObject | None:
        if self._generating_ms is None:
            return None
        return {
            "temp_id": self.run_id,
            "attempt_no": self.attempt,
            "state": self._describe_output_state(),
            "text": self.text,
            "started_at": self._generating_ms,
            "updated_at": self._updated_ms,
            "error": self._encode_error(),
        }

    def _describe_output_state(self) -> str:
        if self.fault is not None:
            return "failed"
        if self.phase == GENERATING:
            return "streaming" if self._pieces else "draft"
        return "generated"

    def _encode_error(self) -> JsonObject | None:
        fault = self.fault
        return None if fault is None else {"code": fault.code, "message": fault.title}
