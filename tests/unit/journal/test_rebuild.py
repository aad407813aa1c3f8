"""What is replayed of a run whose chunks were dropped."""

from datetime import UTC, datetime
from uuid import UUID

import msgspec
import pytest
from tests.loose_json import JsonObject

from yarrow.journal.events import (
    FailureReason,
    MessageFinished,
    MessageStarted,
    RunCancelled,
    RunFailed,
    RunRestarted,
    RunSucceeded,
    TextDelta,
)
from yarrow.journal.log import EVENTS_PER_ATTEMPT
from yarrow.journal.rebuild import rebuild_events
from yarrow.sessions.model import MessageDetails

A = str(UUID(int=1))
BEGAN, ENDED = (datetime(2026, 11, 16, 8, 0, second, tzinfo=UTC) for second in (0, 7))
RESTARTED = RunRestarted(2, int(BEGAN.timestamp()) * 1000)
END_MS = int(ENDED.timestamp()) * 1000


def row(status: str, **changes: object) -> JsonObject:
    run = {"attempt": 2, "began_at": BEGAN, "ended_at": ENDED, "status": status, "failure": None}
    message = {"id": None, "content": None, "details": None}
    return {**run, **message, **changes}


def test_a_run_that_does_not_exist_has_no_events() -> None:
    assert rebuild_events([]) == []


def test_an_answer_is_replayed_with_the_last_numbers_of_its_attempt() -> None:
    details = msgspec.json.encode(MessageDetails(output={"answer": "hi"}))
    answer = row("succeeded", id=UUID(A), content="hi", details=details)

    replayed = rebuild_events([answer])

    assert [each.event for each in replayed] == [
        RESTARTED,
        MessageStarted(A),
        TextDelta(A, "hi"),
        MessageFinished(A, {"answer": "hi"}),
        RunSucceeded(END_MS, {"answer": "hi"}),
    ]
    assert replayed[-1].number == 2 * EVENTS_PER_ATTEMPT


def test_an_empty_answer_has_no_text() -> None:
    answer = row("succeeded", id=UUID(A), content="", details=b"{}")

    replayed = rebuild_events([answer])

    assert [type(each.event) for each in replayed][1:3] == [MessageStarted, MessageFinished]


@pytest.mark.parametrize(
    ("ended", "last"),
    [
        (row("failed", failure="deadline"), RunFailed(END_MS, FailureReason.DEADLINE)),
        (row("cancelled"), RunCancelled(END_MS)),
    ],
    ids=["failed", "cancelled"],
)
def test_a_run_without_an_answer_replays_its_end(
    ended: JsonObject, last: RunFailed | RunCancelled
) -> None:
    replayed = rebuild_events([ended])

    assert [each.event for each in replayed] == [RESTARTED, last]
