"""SQL of `run_events`: append a batch, read what follows a sequence number."""

from collections.abc import Iterable, Sequence

from yarrow.db import Tx
from yarrow.ids import RunId
from yarrow.runs.events import decode_event
from yarrow.runs.journal.log import EncodedEvent, RunLog, SequencedEvent
from yarrow.runs.notify import EVENTS_CHANNEL

IDS_PER_NOTIFY = 200
"""The payload of one NOTIFY must stay under 8,000 bytes."""

# Fenced by attempt: a worker that lost the run to another one appends nothing. The commit is
# asynchronous; `RunLog.mark_unflushed` covers the loss.
_APPEND = f"""
WITH added AS (
    INSERT INTO run_events (run_id, seq, event)
    SELECT e.run_id, e.seq, e.event
    FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::jsonb[]) AS e (run_id, attempt, seq, event)
    JOIN runs r ON r.id = e.run_id AND r.attempt = e.attempt AND r.status = 'running'
    ON CONFLICT DO NOTHING
)
SELECT pg_notify('{EVENTS_CHANNEL}', payload), set_config('synchronous_commit', 'off', true)
FROM unnest($5::text[]) AS payload
"""  # noqa: S608

_READ_AFTER = "SELECT seq, event FROM run_events WHERE run_id = $1 AND seq > $2 ORDER BY seq"


async def append(tx: Tx, batch: Sequence[tuple[RunLog, Sequence[EncodedEvent]]]) -> None:
    """Append events of several runs and notify other processes, in one statement."""
    rows = [(run_log, event) for run_log, events in batch for event in events]
    await tx.execute(
        _APPEND,
        [run_log.run_id for run_log, _ in rows],
        [run_log.attempt for run_log, _ in rows],
        [event.seq for _, event in rows],
        [event.json for _, event in rows],
        list(_notify_payloads(run_log.run_id for run_log, _ in batch)),
    )


async def read_after(tx: Tx, run_id: RunId, seq: int) -> list[SequencedEvent]:
    """Read the stored events of a run behind a sequence number."""
    rows = await tx.fetch(_READ_AFTER, run_id, seq)
    return [SequencedEvent(row["seq"], decode_event(row["event"])) for row in rows]


async def has_run_ended(tx: Tx, run_id: RunId) -> bool:
    """Whether the run is settled, or was deleted with its session."""
    ended = await tx.fetchval("SELECT ended_at IS NOT NULL FROM runs WHERE id = $1", run_id)
    return ended is None or bool(ended)


def _notify_payloads(run_ids: Iterable[RunId]) -> Iterable[str]:
    ids = [str(run_id) for run_id in run_ids]
    for start in range(0, len(ids), IDS_PER_NOTIFY):
        yield " ".join(ids[start : start + IDS_PER_NOTIFY])
