"""SQL of a turn's commit: few statements, because the session is locked while they run."""

from uuid import UUID

import msgspec

from yarrow.db import Tx
from yarrow.ids import MessageId
from yarrow.runs.model import ClaimedRun
from yarrow.stories import state_store
from yarrow.stories.turn_state import TurnState, VariableEntries, VariableEntry, VariableKey
from yarrow.variables.model import GLOBAL_SCOPE, Scope, ScopeRef
from yarrow.variables.store import name_scope_lock

_CHANGE_INPUT = """
UPDATE messages SET content = $2, updated_at = now()
WHERE turn_id = $1 AND role = 'user' AND page_active
"""

_LOCK_ENTRIES = """
SELECT newest.is_newest, entry.* FROM (SELECT (
    SELECT id FROM turns WHERE branch_id = $3 AND live AND status = 'answered'
    ORDER BY seq DESC LIMIT 1
) = $4 AS is_newest) AS newest LEFT JOIN fn_read_entries($1, $2, $3) AS entry ON TRUE
"""

_STORE_PROMPT = "INSERT INTO turn_prompts (reply_id, turn_id, record) VALUES ($1, $2, $3)"


async def change_input(tx: Tx, run: ClaimedRun, text: str) -> None:
    """Store the input of a turn as scripts changed it."""
    await tx.execute(_CHANGE_INPUT, run.turn_id, text)


async def lock_entries(
    tx: Tx, run: ClaimedRun, *, with_globals: bool
) -> tuple[bool, dict[VariableKey, VariableEntry]]:
    """Lock and read the variables of the run's branch, and lock the global ones if wanted.

    Also returns whether no answered turn of the branch comes after the run's.
    """
    branch = ScopeRef(Scope.BRANCH, str(run.branch_id), run.session_id)
    scopes = (branch, GLOBAL_SCOPE) if with_globals else (branch,)
    locks = [name_scope_lock(run.account_id, scope) for scope in scopes]
    rows = await tx.fetch(_LOCK_ENTRIES, locks, run.account_id, run.branch_id, run.turn_id)
    return bool(rows[0]["is_newest"]), state_store.decode_entries(rows)


async def store_prompt(tx: Tx, run: ClaimedRun, reply_id: MessageId, record: bytes) -> None:
    """Store the compressed prompt of a reply."""
    await tx.execute(_STORE_PROMPT, reply_id, run.turn_id, record)


_STORE_STATE = f"""
WITH written AS (
    {state_store.WRITE_ENTRIES}
), continued AS (
    UPDATE branches SET state_reply = $7 WHERE id = $8
), prompt AS (
    INSERT INTO turn_prompts (reply_id, turn_id, record) VALUES ($7, $9, $15)
)
INSERT INTO turn_states (
    reply_id, turn_id, variables, writes, timers, timers_before, session_state)
VALUES ($7, $9, $10, $11, $12, $13, $14)
"""  # noqa: S608


async def store_state(
    tx: Tx,
    run: ClaimedRun,
    state: TurnState,
    record: bytes,
    *,
    old: VariableEntries,
    new: VariableEntries,
) -> None:
    """Store the state after a reply, from which the branch continues, its changed variables and
    the compressed prompt."""
    changed = await state_store.delete_entries(
        tx, run.account_id, run.session_id, run.branch_id, old=old, new=new
    )
    await tx.execute(
        _STORE_STATE,
        *state_store.list_values(run.account_id, run.session_id, run.branch_id, changed),
        UUID(state.reply_id),
        run.branch_id,
        run.turn_id,
        *_list_columns(state),
        record,
    )


async def store_past_state(tx: Tx, run: ClaimedRun, state: TurnState) -> None:
    """Store the state after a reply that others follow; the branch keeps its own."""
    await tx.execute(
        "INSERT INTO turn_states (reply_id, turn_id, variables, writes, timers, timers_before, "
        "session_state) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        UUID(state.reply_id),
        run.turn_id,
        *_list_columns(state),
    )


def _list_columns(state: TurnState) -> tuple[object, ...]:
    return (
        state.variables,
        msgspec.to_builtins(state.writes),
        state.timers,
        state.timers_before,
        state.session_state,
    )
