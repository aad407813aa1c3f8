"""SQL of the runs of a story's turns."""

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, MessageId, RunId, SessionId, TurnId
from yarrow.journal.events import RunUsage
from yarrow.runs.model import RunRef

_RUN_OF_TURN = """
SELECT r.id, r.session_id, r.key FROM runs r JOIN sessions s ON s.id = r.session_id
WHERE r.turn_id = $2 AND r.agent = 'storyteller' AND s.user_id = $1 AND s.deleted_at IS NULL
  AND ($3::text IS NULL OR r.key = $3)
ORDER BY r.created_at DESC LIMIT 1
"""

_USAGE = """
SELECT coalesce(m.model_code, '') AS model, m.input_tokens, m.output_tokens, m.cost, r.price
FROM messages m, runs r WHERE m.id = $2 AND r.id = $1
"""

_ACTIVE_RUN = """
SELECT r.id, r.session_id, r.key FROM branches b JOIN runs r ON r.branch_id = b.id
WHERE b.session_id = $1 AND b.deleted_at IS NULL AND r.status IN ('queued', 'running')
  AND ($2::text IS NULL OR coalesce(b.wanted_name, b.name) = $2)
ORDER BY r.created_at DESC LIMIT 1
"""


async def find_turn_run(
    tx: Tx, account_id: AccountId, turn_id: TurnId, key: str | None = None
) -> RunRef | None:
    """Read the newest run of a turn, or the one of this key."""
    return _build_run_ref(await tx.fetchrow(_RUN_OF_TURN, account_id, turn_id, key))


async def find_active_run(tx: Tx, session_id: SessionId, branch: str | None) -> RunRef | None:
    """Read the newest unfinished run of a session, or of one of its branches."""
    return _build_run_ref(await tx.fetchrow(_ACTIVE_RUN, session_id, branch))


async def read_usage(tx: Tx, run_id: RunId, reply_id: MessageId) -> RunUsage:
    """Read what a succeeded run took; its reply has the tokens and the cost."""
    row = await tx.fetchrow(_USAGE, run_id, reply_id)
    assert row is not None
    tokens = (row["input_tokens"], row["output_tokens"])
    return RunUsage(row["model"], *tokens, cost=f"{row['cost']:f}", points=row["price"])


def _build_run_ref(row: Row | None) -> RunRef | None:
    if row is None:
        return None
    return RunRef(RunId(row["id"]), SessionId(row["session_id"]), row["key"])
