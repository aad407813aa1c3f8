"""Rebuild the events of a run whose chunks were dropped: start, its stored messages, end.

The numbers are the last ones of the attempt, so that a client with any earlier number gets all of
it; the restart at its beginning voids what that client has.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from yarrow.db import Row
from yarrow.journal.events import (
    FailureReason,
    MessageFinished,
    MessageStarted,
    RunCancelled,
    RunEvent,
    RunFailed,
    RunRestarted,
    RunSucceeded,
    TextDelta,
)
from yarrow.journal.log import EVENTS_PER_ATTEMPT, NumberedEvent, number_events
from yarrow.journal.snapshot import build_run_result, fold_events
from yarrow.sessions.store import decode_details


def rebuild_events(rows: Sequence[Row]) -> list[NumberedEvent]:
    """Build the events from the run and its messages as `store.read_without_chunks` gives them."""
    if not rows:
        return []
    run = rows[0]
    events: list[RunEvent] = [RunRestarted(run["attempt"], _to_ms(run["began_at"]))]
    events += [event for row in rows if row["id"] for event in _rebuild_message(row)]
    events.append(_rebuild_last_event(run, events))
    first_number = run["attempt"] * EVENTS_PER_ATTEMPT - len(events) + 1
    return number_events(events, first_number)


def _rebuild_message(row: Row) -> Iterator[RunEvent]:
    message_id = str(row["id"])
    yield MessageStarted(message_id)
    if row["content"]:
        yield TextDelta(message_id, row["content"])
    yield MessageFinished(message_id, decode_details(row["details"]).output)


def _rebuild_last_event(run: Row, events: list[RunEvent]) -> RunEvent:
    at_ms = _to_ms(run["ended_at"])
    match run["status"]:
        case "succeeded":
            return RunSucceeded(at_ms, build_run_result(fold_events(events)))
        case "failed":
            return RunFailed(at_ms, FailureReason(run["failure"]))
        case _:
            return RunCancelled(at_ms)


def _to_ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
