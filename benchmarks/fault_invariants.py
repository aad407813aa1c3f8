"""More rules that hold after faults: exact event numbers, tables, cancels, and files.

Apart from `invariants`, which tests use on a database that they also change by hand.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

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


async def file_violations(tx: Tx, data_dir: Path) -> list[Violation]:
    """Rows of uploads and tables without their files, and files of uploads without a row.

    The file of a table is written before its row: one that has none is left to the sweep.
    """
    pictures, tables = data_dir / "attachments", data_dir / "datasets"
    rows = await tx.fetch("SELECT path, bytes FROM attachments")
    missing = [
        row["path"]
        for row in rows
        if row["bytes"] is not None and _read_size(pictures / row["path"]) != row["bytes"]
    ]
    known = {row["path"] for row in rows}
    strays = [
        str(file.relative_to(pictures))
        for file in pictures.rglob("*")
        if file.is_file() and str(file.relative_to(pictures)).partition("#")[0] not in known
    ]
    ids = await tx.fetch("SELECT id FROM datasets WHERE live")
    lost = [str(row["id"]) for row in ids if _read_size(tables / f"{row['id']}.parquet") is None]
    return [
        *_list_violation("a stored upload has its file", missing),
        *_list_violation("a file of an upload has a row", strays),
        *_list_violation("a table has its file", lost),
    ]


def _read_size(file: Path) -> int | None:
    return file.stat().st_size if file.is_file() else None


def _list_violation(rule: str, evidence: Sequence[str]) -> list[Violation]:
    return [Violation(rule, tuple(evidence[:EVIDENCE_ROWS]))] if evidence else []
