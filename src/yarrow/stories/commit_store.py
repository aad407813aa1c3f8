"""SQL of a turn's commit: few statements, because the session is locked while they run."""

from uuid import UUID

import msgspec

from yarrow.db import Tx
from yarrow.ids import MessageId, TurnId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.product_events.story import PromptSent
from yarrow.prompting.formats.chat_writing import SEND_DATE, drop_old_text
from yarrow.runs.model import ClaimedRun, CommitPart
from yarrow.stories import turn_state_store
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


_FIND_INPUT = """
SELECT content, created_at, metadata, count(*) OVER () AS inputs FROM messages
WHERE turn_id = $1 AND role = 'user' AND page_active AND deleted_at IS NULL
  AND coalesce(id = $2, TRUE)
"""

_KEEP_LINE = """
UPDATE messages SET metadata = metadata || $2, created_at = coalesce($3, created_at)
WHERE turn_id = $1 AND role = 'user' AND page_active
"""


async def keep_line(
    tx: Tx,
    run: ClaimedRun,
    source: TurnId,
    *,
    message: MessageId | None,
    text: str,
    keeps_time: bool,
) -> None:
    """Copy the speaker and the fields of a chat file from the input that this one replaces, but
    those that belong to its old text."""
    row = await tx.fetchrow(_FIND_INPUT, source, message)
    if row is None or row["inputs"] != 1:
        return
    stored: JsonObject = row["metadata"]
    details = {name: stored[name] for name in ("name", "line", "extra") if name in stored}
    line = details.get("line")
    if isinstance(line, dict) and row["content"] != text:
        line = drop_old_text(line, swipe=None)
        details["line"] = {name: line[name] for name in line if name != SEND_DATE}
    created_at = row["created_at"] if keeps_time else None
    await tx.execute(_KEEP_LINE, run.turn_id, details, created_at)


async def lock_entries(
    tx: Tx, run: ClaimedRun, *, with_globals: bool
) -> tuple[bool, dict[VariableKey, VariableEntry]]:
    """Lock and read the variables of the run's branch, and lock the global ones if wanted.

    Also returns whether no answered turn of the branch comes after the run's.
    """
    branch = _make_branch_scope(run)
    scopes = (branch, GLOBAL_SCOPE) if with_globals else (branch,)
    locks = [name_scope_lock(run.account_id, scope) for scope in scopes]
    rows = await tx.fetch(_LOCK_ENTRIES, locks, run.account_id, run.branch_id, run.turn_id)
    return bool(rows[0]["is_newest"]), turn_state_store.decode_entries(rows)


async def store_prompt(tx: Tx, run: ClaimedRun, reply_id: MessageId, record: bytes) -> None:
    """Store the compressed prompt of a reply."""
    await tx.execute(_STORE_PROMPT, reply_id, run.turn_id, record)


_STORE_STATE = f"""
WITH written AS (
    {turn_state_store.WRITE_ENTRIES}
), continued AS (
    UPDATE branches SET state_reply = $7 WHERE id = $8
), prompt AS (
    INSERT INTO turn_prompts (reply_id, turn_id, record) VALUES ($7, $9, $16)
)
INSERT INTO turn_states (
    reply_id, turn_id, variables, writes, timers, timers_before, session_state, global_writes)
VALUES ($7, $9, $10, $11, $12, $13, $14, $15)
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
    changed = await turn_state_store.delete_entries(
        tx, run.account_id, run.session_id, run.branch_id, old=old, new=new
    )
    await tx.execute(
        _STORE_STATE,
        *turn_state_store.list_values(run.account_id, run.session_id, run.branch_id, changed),
        UUID(state.reply_id),
        run.branch_id,
        run.turn_id,
        *_list_columns(state),
        record,
    )


# The entries are read when the session is locked: `ended` comes before the function that locks the
# variables and reads them as they are then. One statement, so no reader sees a part of it.
_NEW_TURN = """, present AS MATERIALIZED (
    SELECT e.* FROM ended, fn_read_entries(:locks, :account_id, ended.branch_id) AS e
), staged AS MATERIALIZED (
    SELECT w.key, w.value::json AS value, e.value AS old_value, e.written_by AS old_writer,
           e.key IS NULL AS was_missing, w.n
    FROM unnest(:keys::text[], :values::text[]) WITH ORDINALITY AS w (key, value, n)
    LEFT JOIN present e ON e.scope = 'branch' AND e.key = w.key
), variable AS (
    INSERT INTO variables (account_id, scope, scope_id, session_id, key, value, written_by)
    SELECT :account_id, 'branch', ended.branch_id::text, ended.session_id, staged.key, staged.value,
           :reply_id FROM ended, staged
    ON CONFLICT (account_id, scope, scope_id, key)
        DO UPDATE SET value = excluded.value, written_by = excluded.written_by, updated_at = now()
), continued AS (
    UPDATE branches SET state_reply = :reply_id FROM ended WHERE branches.id = ended.branch_id
), story_prompt AS (
    INSERT INTO turn_prompts (reply_id, turn_id, record)
    SELECT :reply_id, ended.turn_id, :record FROM ended
), story_state AS (
    INSERT INTO turn_states (
        reply_id, turn_id, variables, session_state, writes, timers, timers_before)
    SELECT :reply_id, ended.turn_id,
        coalesce((SELECT json_object_agg(key, value) FROM (
            SELECT key, value FROM present WHERE scope = 'branch' AND key <> ALL (:keys)
            UNION ALL SELECT key, value FROM staged) AS own), '{}'),
        coalesce((SELECT json_object_agg(key, value) FROM present WHERE scope = 'state'), '{}'),
        coalesce((SELECT json_agg(json_build_object('scope', 'branch', 'key', key, 'value', value,
            'old_value', old_value, 'old_writer', old_writer, 'was_missing', was_missing)
            ORDER BY n) FROM staged), '[]'),
        :timers, :timers_before
    FROM ended
)"""


def build_new_turn(
    run: ClaimedRun, reply_id: MessageId, prompt: PromptSent, values: JsonObject
) -> CommitPart:
    """The part that stores what a new turn leaves: the variables that it set, the state behind
    them, from which the branch continues, and the compressed prompt."""
    return CommitPart(
        _NEW_TURN,
        {
            "locks": [name_scope_lock(run.account_id, _make_branch_scope(run))],
            "reply_id": reply_id,
            "keys": list(values),
            "values": [encode_json(value).decode() for value in values.values()],
            "timers": prompt.timers,
            "timers_before": prompt.timers_before,
            "record": prompt.record,
        },
    )


async def store_past_state(tx: Tx, run: ClaimedRun, state: TurnState) -> None:
    """Store the state after a reply that others follow; the branch keeps its own."""
    await tx.execute(
        "INSERT INTO turn_states (reply_id, turn_id, variables, writes, timers, timers_before, "
        "session_state, global_writes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        UUID(state.reply_id),
        run.turn_id,
        *_list_columns(state),
    )


def _make_branch_scope(run: ClaimedRun) -> ScopeRef:
    return ScopeRef(Scope.BRANCH, str(run.branch_id), run.session_id)


def _list_columns(state: TurnState) -> tuple[object, ...]:
    return (
        state.variables,
        msgspec.to_builtins(state.writes),
        state.timers,
        state.timers_before,
        state.session_state,
        msgspec.to_builtins(state.global_writes),
    )
