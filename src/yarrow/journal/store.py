"""SQL of `run_events`: append chunks, read what follows a sequence number."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from yarrow.db import Row, Tx
from yarrow.ids import RunId
from yarrow.journal.events import RunEvent, RunRestarted
from yarrow.journal.log import EventChunk, EventTime, NumberedEvent, RunLog, number_events

EVENTS_CHANNEL = "yarrow_events"
"""Payload: ids of runs with new events, separated by spaces."""

IDS_PER_NOTIFY = 200
"""The payload of one NOTIFY must stay under 8,000 bytes."""

# Fenced by attempt: a worker that lost the run to another one appends nothing. The commit is
# asynchronous; `RunLog.mark_unflushed` covers the loss. Chunks may overlap then: a chunk with the
# same end replaces a shorter one, and readers skip what they have.
_APPEND = f"""
WITH added AS (
    INSERT INTO run_events AS stored (run_id, first_seq, last_seq, internal_before, events, times)
    SELECT c.run_id, c.first_seq, c.last_seq, c.internal_before, c.events, c.times
    FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $8::int[], $5::jsonb[],
                $7::jsonb[])
        AS c (run_id, attempt, first_seq, last_seq, internal_before, events, times)
    JOIN runs r ON r.id = c.run_id AND r.attempt = c.attempt AND r.status = 'running'
    ON CONFLICT (run_id, last_seq) DO UPDATE
        SET first_seq = excluded.first_seq, internal_before = excluded.internal_before,
            events = excluded.events, times = excluded.times
        WHERE excluded.first_seq < stored.first_seq
)
SELECT set_config('synchronous_commit', 'off', true),
    (SELECT count(pg_notify('{EVENTS_CHANNEL}', payload)) FROM unnest($6::text[]) AS payload)
"""  # noqa: S608

_READ_AFTER = """
SELECT first_seq, internal_before, events::text AS events, times FROM run_events
WHERE run_id = $1 AND last_seq > $2 ORDER BY last_seq
"""

_READ_SOME_AFTER = """
SELECT first_seq, internal_before, events::text AS events, times FROM (
    SELECT *, sum(last_seq - first_seq + 1) OVER (ORDER BY last_seq ROWS UNBOUNDED PRECEDING)
        - (last_seq - first_seq + 1) AS events_before
    FROM (
        SELECT first_seq, last_seq, internal_before, events, times FROM run_events
        WHERE run_id = $1 AND last_seq > $2 ORDER BY last_seq LIMIT $3
    ) few
) c WHERE events_before < $3 ORDER BY last_seq
"""

_READ_DROPPED = """
SELECT r.attempt, r.status, r.failure, coalesce(r.started_at, r.created_at) AS began_at, r.ended_at,
       m.id, m.content, m.metadata::text AS details
FROM runs r LEFT JOIN messages m ON m.turn_id = r.turn_id AND m.role = 'assistant'
    AND m.metadata ->> 'run_id' = r.key AND m.deleted_at IS NULL
WHERE r.id = $1 AND r.ended_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM run_events e WHERE e.run_id = r.id)
ORDER BY m.seq
"""

_decoder = msgspec.json.Decoder(list[RunEvent])


async def append_chunks(
    tx: Tx, batch: Sequence[tuple[RunLog, EventChunk]], *, notifies: bool
) -> None:
    """Append chunks of several runs and notify other processes, in one statement."""
    ids = [run_log.run_id for run_log, _ in batch]
    await tx.execute(
        _APPEND,
        ids,
        [run_log.attempt for run_log, _ in batch],
        [chunk.first_seq for _, chunk in batch],
        [chunk.last_seq for _, chunk in batch],
        [chunk.events for _, chunk in batch],
        list(_notify_payloads(ids)) if notifies else [],
        [chunk.times or None for _, chunk in batch],
        [chunk.internal_before for _, chunk in batch],
    )


class StoredEvents(NamedTuple):
    """Events of a run behind a sequence number, and the sequence number of the last of them."""

    events: list[NumberedEvent]
    last_seq: int


async def read_later_events(
    tx: Tx, run_id: RunId, seq: int, *, enough: int | None = None
) -> StoredEvents:
    """Read the stored events of a run behind a sequence number.

    With `enough`, only the chunks that have so many of them.
    """
    read: list[NumberedEvent] = []
    if enough is None:
        rows = await tx.fetch(_READ_AFTER, run_id, seq)
    else:
        rows = await tx.fetch(_READ_SOME_AFTER, run_id, seq, enough)
    for row in rows:
        events = _number_chunk(row)
        # Chunks may overlap: skip what an earlier one had.
        read += events[max(0, seq + 1 - row["first_seq"]) :]
        seq = max(seq, row["first_seq"] + len(events) - 1)
    return StoredEvents(read, seq)


def _number_chunk(row: Row) -> list[NumberedEvent]:
    events, first_seq = _decoder.decode(row["events"]), row["first_seq"]
    if row["internal_before"] is None:
        # Written before migration 0026, when internal events had numbers.
        return [
            NumberedEvent(number, _count_repeated_numbers(event))
            for number, event in enumerate(events, first_seq)
        ]
    times = [EventTime(*pair) for pair in row["times"] or ()]
    return number_events(events, first_seq - row["internal_before"], times)


def _count_repeated_numbers(event: RunEvent) -> RunEvent:
    if not isinstance(event, RunRestarted):
        return event
    return replace(event, repeated_numbers=event.repeated)


_WITH_NEWS = """
SELECT c.run_id FROM unnest($1::uuid[], $2::bigint[]) AS c (run_id, after)
LEFT JOIN LATERAL (SELECT id, ended_at FROM runs WHERE id = c.run_id LIMIT 1) r ON TRUE
WHERE r.id IS NULL OR r.ended_at IS NOT NULL OR EXISTS (
    SELECT 1 FROM run_events e WHERE e.run_id = c.run_id AND e.last_seq > c.after)
"""


async def list_runs_with_new_events(tx: Tx, cursors: Mapping[RunId, int]) -> list[RunId]:
    """Find the runs that have ended, or have events behind the number given for them."""
    rows = await tx.fetch(_WITH_NEWS, list(cursors), list(cursors.values()))
    return [RunId(row["run_id"]) for row in rows]


async def read_without_chunks(tx: Tx, run_id: RunId) -> list[Row]:
    """Read an ended run without chunks, a row for each stored message; none if it has chunks."""
    return await tx.fetch(_READ_DROPPED, run_id)


async def has_run_ended(tx: Tx, run_id: RunId) -> bool:
    """Whether the run is settled, or was deleted with its session."""
    ended = await tx.fetchval("SELECT ended_at IS NOT NULL FROM runs WHERE id = $1", run_id)
    return ended is None or bool(ended)


def _notify_payloads(run_ids: Sequence[RunId]) -> Iterable[str]:
    for start in range(0, len(run_ids), IDS_PER_NOTIFY):
        yield " ".join(map(str, run_ids[start : start + IDS_PER_NOTIFY]))
