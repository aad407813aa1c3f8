"""What must be true of the database whatever was killed, asked in plain SQL.

`broken_rules` holds at every moment, also while runs are going. `unfinished` holds once all
accepted runs had time to end: nothing is stuck, nothing is left behind. Both give back what
they found wrong, with evidence; an empty list is the good answer.
"""

from collections.abc import Mapping

from msgspec import Struct

from yarrow.db import Tx

EVIDENCE_ROWS = 5

EVENTS = """(
    SELECT DISTINCT c.run_id, c.first_seq + e.place - 1 AS seq, e.event
    FROM run_events c, jsonb_array_elements(c.events) WITH ORDINALITY AS e (event, place))"""
"""A row for each stored event; chunks may overlap after a crash of the database."""

ALWAYS: Mapping[str, str] = {
    "the ledger's sum equals the balance": """
        SELECT p.user_id, p.balance, coalesce(sum(l.direction * l.amount), 0) AS ledger
        FROM user_points p LEFT JOIN points_ledger l ON l.user_id = p.user_id
        GROUP BY p.user_id HAVING p.balance <> coalesce(sum(l.direction * l.amount), 0)
    """,
    "the balance is what was earned less what was spent": """
        SELECT user_id, balance, lifetime_earned, lifetime_spent FROM user_points
        WHERE balance <> lifetime_earned - lifetime_spent
    """,
    "each ledger entry continues the one before": """
        SELECT user_id, id, balance_after, before FROM (
            SELECT user_id, id, balance_after, direction * amount AS moved,
                   coalesce(lag(balance_after) OVER account, 0) AS before
            FROM points_ledger WINDOW account AS (PARTITION BY user_id ORDER BY created_at, id)
        ) entries WHERE balance_after <> before + moved
    """,
    "what is held is the price of the runs that are going": """
        SELECT p.user_id, p.frozen_balance, coalesce(sum(r.price), 0) AS going
        FROM user_points p
        LEFT JOIN runs r ON r.account_id = p.user_id AND r.status IN ('queued', 'running')
        GROUP BY p.user_id HAVING p.frozen_balance <> coalesce(sum(r.price), 0)
    """,
    "a succeeded run is charged its price once, any other run nothing": """
        SELECT r.id, r.status, r.price, count(l.id) AS entries, sum(l.amount) AS amount
        FROM runs r LEFT JOIN points_ledger l
            ON l.change_type = 'consume' AND l.biz_id = r.session_id
            AND l.metadata ->> 'run_id' = r.key
        GROUP BY r.id
        HAVING coalesce(sum(l.amount), 0) <> CASE r.status WHEN 'succeeded' THEN r.price ELSE 0 END
            OR count(l.id) > 1
    """,
    "every charge belongs to a run": """
        SELECT l.id, l.event_id FROM points_ledger l
        WHERE l.change_type = 'consume' AND NOT EXISTS (
            SELECT 1 FROM runs r WHERE r.session_id = l.biz_id AND r.key = l.metadata ->> 'run_id')
    """,
    "an ended run's log ends with exactly one terminal event, the one of its status": f"""
        WITH logs AS (
            SELECT r.id, r.status,
                   count(*) FILTER (WHERE e.event ->> 'kind' = ANY (
                       '{{run_succeeded,run_failed,run_cancelled}}')) AS ends,
                   (array_agg(e.event ->> 'kind' ORDER BY e.seq DESC))[1] AS last
            FROM runs r LEFT JOIN {EVENTS} e ON e.run_id = r.id
            WHERE r.ended_at IS NOT NULL GROUP BY r.id
        )
        SELECT * FROM logs WHERE ends <> 1 OR last IS DISTINCT FROM 'run_' || status
    """,
    "a run that is going has no terminal event": f"""
        SELECT r.id, r.status, e.event ->> 'kind' AS kind FROM runs r
        JOIN {EVENTS} e ON e.run_id = r.id
        WHERE r.ended_at IS NULL
          AND e.event ->> 'kind' IN ('run_succeeded', 'run_failed', 'run_cancelled')
    """,
    "a succeeded run's turn is answered, and what was streamed is what is kept": f"""
        WITH said AS (
            SELECT r.id, r.key, r.turn_id,
                   string_agg(e.event ->> 'text', '' ORDER BY e.seq) AS text
            FROM runs r JOIN {EVENTS} e ON e.run_id = r.id AND e.event ->> 'kind' = 'text'
            WHERE r.status = 'succeeded' AND e.seq > coalesce((
                SELECT max(s.seq) FROM {EVENTS} s
                WHERE s.run_id = r.id AND s.event ->> 'kind' = 'run_restarted'), 0)
            GROUP BY r.id
        ), kept AS (
            SELECT m.turn_id, m.metadata ->> 'run_id' AS key,
                   string_agg(m.content, '' ORDER BY m.seq) AS text
            FROM messages m WHERE m.role = 'assistant' GROUP BY 1, 2
        )
        SELECT said.id, t.status, left(said.text, 40) AS said, left(kept.text, 40) AS kept
        FROM said JOIN turns t ON t.id = said.turn_id
        LEFT JOIN kept ON kept.turn_id = t.id AND kept.key = said.key
        WHERE t.status NOT IN ('answered', 'superseded') OR kept.text IS DISTINCT FROM said.text
    """,
    "a session counts its messages": """
        SELECT s.id, s.message_count, count(m.id) AS messages FROM sessions s
        LEFT JOIN messages m ON m.session_id = s.id AND m.deleted_at IS NULL
        GROUP BY s.id HAVING s.message_count <> count(m.id)
    """,
}

AT_REST: Mapping[str, str] = {
    "no run is stuck": """
        SELECT id, status, attempt, worker_id, created_at FROM runs
        WHERE status IN ('queued', 'running')
    """,
    "no job is left in the queue": """
        SELECT id, status, dedupe_key, execute_after FROM pgqueuer WHERE entrypoint = 'run'
    """,
    "no points are held": """
        SELECT user_id, frozen_balance FROM user_points WHERE frozen_balance <> 0
    """,
    "no turn is open and no session runs": """
        SELECT s.id, s.status AS session, t.status AS turn FROM sessions s
        LEFT JOIN turns t ON t.session_id = s.id AND t.status = 'open'
        WHERE s.status = 'running' OR t.id IS NOT NULL
    """,
}


class Violation(Struct, frozen=True):
    """A rule that does not hold, and the first rows that say so."""

    rule: str
    evidence: tuple[str, ...]

    def __str__(self) -> str:
        return f"not true: {self.rule}\n" + "\n".join(f"    {row}" for row in self.evidence)


async def broken_rules(tx: Tx) -> list[Violation]:
    """The rules of every moment that do not hold now."""
    return await _check(tx, ALWAYS)


async def unfinished(tx: Tx) -> list[Violation]:
    """What is still going, or was left behind."""
    return await _check(tx, AT_REST)


async def violations(tx: Tx) -> list[Violation]:
    """All rules, for a product that has come to rest."""
    return [*await broken_rules(tx), *await unfinished(tx)]


async def _check(tx: Tx, rules: Mapping[str, str]) -> list[Violation]:
    found = []
    for rule, query in rules.items():
        rows = await tx.fetch(f"{query} LIMIT {EVIDENCE_ROWS}")
        if rows:
            found.append(Violation(rule, tuple(str(dict(row)) for row in rows)))
    return found
