"""What an earlier attempt of a run completed, so that the next one does not pay for it again.

A record is an event that holds the whole result of a step: a reply of a model, the result of a
tool, a product of the agent. An attempt that takes a run over executes its agent from the start;
where there is a record, the agent takes the result from it instead of asking a model or running a
tool.
"""

from collections import deque
from collections.abc import Sequence

from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    ModelReplied,
    ReasoningFinished,
    ReasoningStarted,
    RunEvent,
    RunRestarted,
    RunStarted,
    StepFailed,
    ToolCallFinished,
    ToolCallStarted,
    ToolReturned,
)
from yarrow.product_events import StepProduct

_RECORDS = (ModelReplied, ToolReturned, StepProduct, StepFailed)


class StepsDiverged(Exception):
    """The agent does not repeat the recorded steps; the run has to start from nothing."""


class CompletedSteps:
    """The records of earlier attempts. The agent consumes them in their order."""

    def __init__(self, events: Sequence[RunEvent] = ()) -> None:
        self.events = _cut_after_last_record(_find_last_complete_attempt(events))
        """All events up to the last record, without the start of the attempt."""
        records = [event for event in self.events if isinstance(event, _RECORDS)]
        self._unconfirmed = deque(records)
        self._replies = deque(event for event in records if isinstance(event, ModelReplied))
        self._outcomes = deque(e for e in records if isinstance(e, StepProduct | StepFailed))
        self._results = {e.call_id: e for e in records if isinstance(e, ToolReturned)}

    @property
    def is_replaying(self) -> bool:
        """Whether the agent has yet to yield a record."""
        return bool(self._unconfirmed)

    def confirm(self, event: RunEvent) -> None:
        """Compare an event of the agent with the next record; raises `StepsDiverged`."""
        if isinstance(event, _RECORDS) and event != self._unconfirmed.popleft():
            raise StepsDiverged

    def take_reply(self, number: int) -> ModelReplied | None:
        """The recorded reply to the run's request of this number."""
        if self._replies and self._replies[0].number == number:
            return self._replies.popleft()
        self._require_end()
        return None

    def take_result(self, call_id: str) -> ToolReturned | None:
        """The recorded result of a tool call. Tools without one may run again during a replay:
        they are those that only read, and whose results no event has."""
        return self._results.pop(call_id, None)

    def take_outcome(self) -> StepProduct | StepFailed | None:
        """The recorded outcome of the next step that makes a product."""
        if self._outcomes:
            return self._outcomes.popleft()
        self._require_end()
        return None

    def _require_end(self) -> None:
        """Nothing may be done anew before all records were repeated: its events would be lost."""
        if self.is_replaying:
            raise StepsDiverged


def _find_last_complete_attempt(events: Sequence[RunEvent]) -> Sequence[RunEvent]:
    """The events of the last attempt that stored all that it repeats of the one before."""
    logs: list[list[RunEvent]] = []
    for event in events:
        if isinstance(event, RunStarted | RunRestarted):
            logs.append([])
        if logs:
            logs[-1].append(event)
    for log in reversed(logs):
        first = log[0]
        if not isinstance(first, RunRestarted) or len(log) > first.repeated:
            return log[1:]
    return ()


def _cut_after_last_record(events: Sequence[RunEvent]) -> Sequence[RunEvent]:
    """The events up to the last record behind which no message, reasoning or call is open.

    Nothing if no model replied: the rest is cheaper to do again.
    """
    end, has_reply, open_parts = 0, False, set[str]()
    for place, event in enumerate(events, 1):
        match event:
            case MessageStarted(message_id) | ReasoningStarted(message_id):
                open_parts.add(message_id)
            case MessageFinished(message_id) | ReasoningFinished(message_id):
                open_parts.discard(message_id)
            case ToolCallStarted(call_id):
                open_parts.add(call_id)
            case ToolCallFinished(call_id):
                open_parts.discard(call_id)
            case _ if isinstance(event, _RECORDS) and not open_parts:
                end, has_reply = place, has_reply or isinstance(event, ModelReplied)
            case _:
                pass
    return events[:end] if has_reply else ()


NO_STEPS = CompletedSteps()
"""For the first attempt of a run."""
