"""SQL of the states in chat files: those of many replies at once."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from yarrow.db import Tx
from yarrow.ids import AccountId, BranchId, MessageId, SessionId
from yarrow.kit.json import JsonValue, encode_json
from yarrow.stories import session_state_store, turn_state_store
from yarrow.stories.chat_state import LoadedState
from yarrow.stories.errors import StateLimitExceeded
from yarrow.stories.session_state_rules import LIMITS, StateWrite, require_room
from yarrow.stories.turn_state import EntryScope, TurnState, select_scope


async def read_states(tx: Tx, reply_ids: Sequence[MessageId]) -> tuple[TurnState, ...]:
    """Read the states after these replies, in their order; replies may have none."""
    rows = await tx.fetch(
        f"SELECT {turn_state_store.STATE_COLUMNS} FROM turn_states s "  # noqa: S608
        "JOIN unnest($1::uuid[]) WITH ORDINALITY AS w (id, n) ON w.id = s.reply_id ORDER BY w.n",
        reply_ids,
    )
    return tuple(map(turn_state_store.make_state, rows))


async def write_state(
    tx: Tx, account_id: AccountId, session_id: SessionId, branch_id: BranchId, loaded: LoadedState
) -> None:
    """Store the state of a new story: namespaces, present values, and the states after replies."""
    await _insert_namespaces(tx, account_id, session_id, loaded)
    values = select_scope(loaded.entries, EntryScope.STATE)
    if values:
        writes = [_make_write(key, entry) for key, entry in values.items()]
        require_room(writes, await session_state_store.read_usage(tx, account_id, branch_id))
    await turn_state_store.change_entries(
        tx, account_id, session_id, branch_id, old={}, new=loaded.entries
    )
    if loaded.states:
        await _insert_states(tx, session_id, loaded.states)


def _make_write(key: str, entry: JsonValue) -> StateWrite:
    namespace, _, slot = key.partition("/")
    assert isinstance(entry, dict)
    return StateWrite(namespace, slot, entry)


async def _insert_namespaces(
    tx: Tx, account_id: AccountId, session_id: SessionId, loaded: LoadedState
) -> None:
    for namespace in loaded.namespaces:
        await session_state_store.insert_namespace(tx, session_id, namespace)
    if not loaded.namespaces:
        return
    if (
        await session_state_store.count_account_namespaces(tx, account_id)
        > LIMITS.account_namespaces
    ):
        raise StateLimitExceeded(limit=LIMITS.account_namespaces)


_INSERT_STATES = """
INSERT INTO turn_states (
    reply_id, turn_id, variables, writes, timers, timers_before, session_state)
SELECT s.id, m.turn_id, s.variables::json, s.writes::json, s.timers::json, s.before::json,
       s.session_state::json
FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
     AS s (id, variables, writes, timers, before, session_state)
JOIN messages m ON m.id = s.id AND m.session_id = $1
"""


async def _insert_states(tx: Tx, session_id: SessionId, states: Sequence[TurnState]) -> None:
    await tx.execute(
        _INSERT_STATES,
        session_id,
        [UUID(state.reply_id) for state in states],
        [_encode_value(state.variables) for state in states],
        [_encode_value(msgspec.to_builtins(state.writes)) for state in states],
        [_encode_value(state.timers) for state in states],
        [_encode_value(state.timers_before) for state in states],
        [_encode_value(state.session_state) for state in states],
    )


def _encode_value(value: JsonValue) -> str:
    return encode_json(value).decode()


async def count_missing(
    tx: Tx, session_id: SessionId, written: Sequence[MessageId]
) -> tuple[int, int]:
    """Count the replies of a story that are not among these messages, nor is a copy of them, and
    its memories."""
    row = await tx.fetchrow(
        "SELECT (SELECT count(*) FROM messages m JOIN turns t ON t.id = m.turn_id "
        "JOIN branches b ON b.id = t.branch_id WHERE m.session_id = $1 AND m.role = 'assistant' "
        "AND m.deleted_at IS NULL AND b.deleted_at IS NULL "
        "AND t.status IN ('answered', 'superseded') AND m.id <> ALL ($2::uuid[]) "
        "AND NOT EXISTS (SELECT FROM messages c "
        "WHERE c.session_id = $1 AND c.id = ANY ($2::uuid[]) "
        "AND c.metadata ->> 'copy_of' = coalesce(m.metadata ->> 'copy_of', m.id::text) "
        "AND c.content = m.content)) AS replies, "
        "(SELECT count(*) FROM memory_items WHERE session_id = $1) AS memories",
        session_id,
        written,
    )
    assert row is not None
    return row["replies"], row["memories"]
