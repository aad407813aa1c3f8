"""More rules that hold after faults: exact event numbers, tables of charts, accepted cancels.

Apart from `invariants`, which tests use on a database that they also change by hand.
"""

from collections.abc import Mapping

from benchmarks.invariants import EVENTS, EVIDENCE_ROWS, Violation

from yarrow.db import Tx
from yarrow.journal.log import EVENTS_PER_ATTEMPT

_ATTEMPT = f"(e.seq - 1) / {EVENTS_PER_ATTEMPT} + 1"

RULES: Mapping[str, str] = {
    "a number of a run has one event": f"""
        SELECT e.run_id, e.seq, count(*) AS events FROM {EVENTS} e
        GROUP BY e.run_id, e.seq HAVING count(*) > 1
    """,
    "the events of an attempt are numbered from its first number, without a gap": f"""
        SELECT e.run_id, {_ATTEMPT} AS attempt, min(e.seq) AS first, max(e.seq) AS last,
               count(*) AS events
        FROM {EVENTS} e GROUP BY 1, 2
        HAVING max(e.seq) - ({_ATTEMPT} - 1) * {EVENTS_PER_ATTEMPT} <> count(*)
    """,
    "an attempt begins with its start and has no other": f"""
        SELECT e.run_id, e.seq, e.event ->> 'kind' AS kind FROM {EVENTS} e
        WHERE (e.seq % {EVENTS_PER_ATTEMPT} = 1)
            <> (e.event ->> 'kind' IN ('run_started', 'run_restarted'))
    """,
    "an ended run has all events that its last restart says it repeats": f"""
        SELECT e.run_id, e.seq, e.event ->> 'repeated' AS repeated FROM {EVENTS} e
        JOIN runs r ON r.id = e.run_id AND r.ended_at IS NOT NULL AND r.attempt = {_ATTEMPT}
        WHERE e.event ->> 'kind' = 'run_restarted'
            AND e.seq + coalesce((e.event ->> 'repeated')::int, 0) >= (
                SELECT max(c.last_seq) FROM run_events c WHERE c.run_id = r.id)
    """,
    "a run whose cancel was accepted does not succeed": """
        SELECT id, status, cancel_requested_at FROM runs
        WHERE cancel_requested_at IS NOT NULL AND status = 'succeeded'
    """,
    "the table of an ended run is that of a chart in its stream": f"""
        SELECT d.id, d.name, d.run_id, d.run_step FROM datasets d
        JOIN runs r ON r.id = d.run_id AND r.ended_at IS NOT NULL
        WHERE d.live AND d.source_type = 'derived' AND NOT EXISTS (
            SELECT 1 FROM {EVENTS} e WHERE e.run_id = r.id AND e.event ->> 'kind' = 'chart_result'
            AND e.event #>> '{{chart,table_name}}' = d.name AND {_ATTEMPT} = r.attempt)
    """,
    "a chart in the stream of an ended run has one table": f"""
        SELECT r.id, r.status, e.event #>> '{{chart,table_name}}' AS name FROM runs r
        JOIN {EVENTS} e ON e.run_id = r.id AND e.event ->> 'kind' = 'chart_result'
            AND {_ATTEMPT} = r.attempt
        WHERE r.ended_at IS NOT NULL AND 1 <> (
            SELECT count(*) FROM datasets d WHERE d.run_id = r.id AND d.live
            AND d.name = e.event #>> '{{chart,table_name}}')
    """,
}


async def fault_violations(tx: Tx) -> list[Violation]:
    """The rules that do not hold now."""
    found = []
    for rule, query in RULES.items():
        rows = await tx.fetch(f"{query} LIMIT {EVIDENCE_ROWS}")
        if rows:
            found.append(Violation(rule, tuple(str(dict(row)) for row in rows)))
    return found
