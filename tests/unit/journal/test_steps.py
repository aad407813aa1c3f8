"""Which events of a lost attempt are steps that the next one need not repeat."""

import pytest

from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    ModelReplied,
    Progressed,
    RunEvent,
    RunRestarted,
    RunStarted,
    StepFailed,
    TextDelta,
    ToolReturned,
)
from yarrow.journal.steps import CompletedSteps, StepsDiverged

START = RunStarted(1)
FIRST = ModelReplied(1, "m1", "first")
SECOND = ModelReplied(2, "m2", "second")
RESULT = ToolReturned("call", "m3", "42")
NOTE = Progressed("note")


@pytest.mark.parametrize(
    ("events", "completed"),
    [
        ([], []),
        ([START, NOTE], []),
        ([START, NOTE, FIRST, NOTE], [NOTE, FIRST]),
        ([START, RESULT], []),
        ([START, FIRST, RESULT, MessageStarted("m4"), TextDelta("m4", "half")], [FIRST, RESULT]),
        ([START, FIRST, MessageStarted("m4"), SECOND], [FIRST]),
        ([START, FIRST, MessageStarted("m"), MessageFinished("m"), SECOND], None),
        ([START, FIRST, RunRestarted(2, 1, repeated=1), FIRST, SECOND], [FIRST, SECOND]),
        ([START, FIRST, SECOND, RunRestarted(2, 1, repeated=2), FIRST], [FIRST, SECOND]),
        ([START, FIRST, RunRestarted(2, 1), NOTE], []),
    ],
)
def test_events_up_to_the_last_record_are_repeated(
    events: list[RunEvent], completed: list[RunEvent] | None
) -> None:
    steps = CompletedSteps(events)

    assert list(steps.events) == (events[1:] if completed is None else completed)


def test_replay_ends_with_the_last_record() -> None:
    steps = CompletedSteps([START, FIRST, NOTE, RESULT])

    states = []
    for event in (NOTE, FIRST, NOTE, RESULT):
        steps.confirm(event)
        states.append(steps.is_replaying)

    assert states == [True, True, True, False]


def test_record_of_another_order_diverges() -> None:
    steps = CompletedSteps([START, FIRST, SECOND])

    with pytest.raises(StepsDiverged):
        steps.confirm(SECOND)


def test_reply_of_another_request_diverges() -> None:
    """The first request failed in the lost attempt, and the agent did without it."""
    steps = CompletedSteps([START, SECOND])

    with pytest.raises(StepsDiverged):
        steps.take_reply(1)


def test_nothing_is_asked_anew_before_all_records_were_repeated() -> None:
    steps = CompletedSteps([START, FIRST, StepFailed("error")])

    assert steps.take_reply(1) == FIRST
    with pytest.raises(StepsDiverged):
        steps.take_reply(2)
