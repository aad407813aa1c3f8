"""Decide whether the recorded effects of a turn may happen again. Without I/O."""

from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from yarrow.ids import SessionId, TurnId
from yarrow.product_events.story_tools import ExecutionStatus, SideEffect
from yarrow.stories.session_state_rules import ReplaySafety, StateMutation
from yarrow.stories.tools.errors import (
    ReplayRefused,
    ReplayUnconfirmed,
    StateReplayBlocked,
    StateReplayUnconfirmed,
    ToolReplayBlocked,
    ToolReplayUnconfirmed,
)
from yarrow.stories.tools.model import BUILTIN_TYPE

COMPENSABLE = "set_variable"
"""Replacing a turn takes its variables back."""


class CommitOutcome(StrEnum):
    """What became of the effects of a call."""

    PENDING = "pending"
    COMMITTED = "committed"
    DISCARDED = "discarded"
    REPLAY_BLOCKED = "replay_blocked"
    UNCERTAIN = "uncertain"


class Lifecycle(StrEnum):
    """Whether a call has ended."""

    OPENED = "opened"
    FINISHED = "finished"


class CallFacts(Struct, frozen=True):
    """What the replay safety of a call depends on."""

    tool_name: str
    provider_type: str
    side_effect: SideEffect | None
    status: ExecutionStatus
    lifecycle: Lifecycle = Lifecycle.FINISHED


class ToolExecution(Struct, frozen=True):
    """A recorded tool call."""

    id: str
    session_id: str
    turn_id: str
    facts: CallFacts
    provider_id: str
    arguments: str
    result: str | None
    message: str
    outcome: CommitOutcome
    duration_ms: int
    attempt: int
    created_at: datetime

    @property
    def safety(self) -> tuple[ReplaySafety, str]:
        return rate_call(self.facts)


class CallFilter(Struct, frozen=True):
    """Which recorded calls to list; None matches all."""

    session_id: SessionId | None = None
    turn_id: TurnId | None = None
    tool_name: str | None = None
    status: ExecutionStatus | None = None


def rate_call(facts: CallFacts) -> tuple[ReplaySafety, str]:
    """The replay safety of a call, and why. The first rule that applies counts."""
    match facts:
        case CallFacts(status=ExecutionStatus.QUEUED):
            return ReplaySafety.UNCERTAIN, "deferred_execution_queued"
        case CallFacts(lifecycle=Lifecycle.OPENED) | CallFacts(status=ExecutionStatus.RUNNING):
            return ReplaySafety.UNCERTAIN, "unfinished_execution"
        case CallFacts(status=ExecutionStatus.DENIED | ExecutionStatus.BLOCKED):
            return ReplaySafety.SAFE, "no_provider_side_effect"
        case CallFacts(status=ExecutionStatus.UNCERTAIN):
            return ReplaySafety.UNCERTAIN, "uncertain_execution_outcome"
        case CallFacts(side_effect=SideEffect.NONE):
            return ReplaySafety.SAFE, "no_side_effect"
        # Our own tools stage their effects: one that failed has none.
        case CallFacts(status=ExecutionStatus.ERROR, provider_type=provider) if (
            provider == BUILTIN_TYPE
        ):
            return ReplaySafety.SAFE, "no_provider_side_effect"
        case CallFacts(side_effect=SideEffect.SANDBOX, tool_name=name, provider_type=provider):
            if (name, provider) == (COMPENSABLE, BUILTIN_TYPE):
                return ReplaySafety.SAFE, "compensable_sandbox"
            return ReplaySafety.CONFIRM, "non_compensable_sandbox"
        case CallFacts(side_effect=SideEffect.IRREVERSIBLE):
            return ReplaySafety.NEVER, "irreversible_side_effect"
        case _:
            return ReplaySafety.UNCERTAIN, "missing_side_effect_level"


class ConfirmedEffects(Struct, frozen=True):
    """The executions and state mutations that the client allows to happen again."""

    executions: Collection[str] = ()
    mutations: Collection[str] = ()


NOTHING_CONFIRMED = ConfirmedEffects()


def find_refusal(
    executions: Sequence[ToolExecution],
    mutations: Sequence[StateMutation],
    confirmed: ConfirmedEffects,
) -> ReplayRefused | None:
    """Why a turn with these effects may not be answered again; None if it may.

    What cannot be confirmed comes first, state before tools.
    """
    calls = [each for each in executions if each.safety[0] is not ReplaySafety.SAFE]
    writes = [each for each in mutations if each.replay_safety is not ReplaySafety.SAFE]
    if any(each.replay_safety is not ReplaySafety.CONFIRM for each in writes):
        return StateReplayBlocked(calls, writes)
    if any(each.safety[0] is not ReplaySafety.CONFIRM for each in calls):
        return ToolReplayBlocked(calls, writes)
    lacks_calls = any(each.id not in confirmed.executions for each in calls)
    lacks_writes = any(each.id not in confirmed.mutations for each in writes)
    match lacks_calls, lacks_writes:
        case True, True:
            return ReplayUnconfirmed(calls, writes)
        case True, False:
            return ToolReplayUnconfirmed(calls, writes)
        case False, True:
            return StateReplayUnconfirmed(calls, writes)
        case _:
            return None
