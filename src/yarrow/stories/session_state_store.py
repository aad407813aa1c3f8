"""SQL of session state: namespaces, present values, usage."""

from collections.abc import Sequence

import msgspec

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, BranchId, SessionId, TurnId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.stories.session_state_rules import (
    ReplaySafety,
    StateNamespace,
    StateUsage,
    StateValue,
    StateWrite,
)
from yarrow.stories.turn_state import TurnState, VariableWrite

_COLUMNS = "name, owner_type, owner_id, replay_safety, created_at"


async def insert_namespace(tx: Tx, session_id: SessionId, namespace: StateNamespace) -> bool:
    """Register a namespace; False if the session has it already."""
    inserted = await tx.fetchval(
        "INSERT INTO state_namespaces (session_id, name, owner_type, owner_id, replay_safety) "
        "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING TRUE",
        session_id,
        namespace.name,
        namespace.owner_type,
        namespace.owner_id,
        namespace.replay_safety,
    )
    return bool(inserted)


async def read_namespaces(tx: Tx, session_id: SessionId) -> tuple[StateNamespace, ...]:
    """Read the registered namespaces of a session by name."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM state_namespaces WHERE session_id = $1 ORDER BY name",  # noqa: S608
        session_id,
    )
    return tuple(_build_namespace(row) for row in rows)


async def count_account_namespaces(tx: Tx, account_id: AccountId) -> int:
    """Count the names of namespaces that the stories of an account use."""
    count = await tx.fetchval(
        "SELECT count(DISTINCT n.name) FROM state_namespaces n "
        "JOIN sessions s ON s.id = n.session_id "
        "WHERE s.user_id = $1 AND s.deleted_at IS NULL",
        account_id,
    )
    return int(count)


async def read_values(
    tx: Tx, branch_id: BranchId, *, namespace: str | None = None, slot: str | None = None
) -> tuple[StateValue, ...]:
    """Read the present values of a branch by namespace and slot."""
    rows = await tx.fetch(
        "SELECT namespace, slot, entry, written_by::text AS writer, updated_at FROM state_values "
        "WHERE branch_id = $1 AND ($2::text IS NULL OR namespace = $2) "
        "AND ($3::text IS NULL OR slot = $3) ORDER BY namespace, slot",
        branch_id,
        namespace,
        slot,
    )
    return tuple(_build_value(row) for row in rows)


_WRITE = """
INSERT INTO state_values (branch_id, session_id, namespace, slot, entry, bytes)
VALUES ($1, $2, $3, $4, $5::text::json, octet_length($5::text))
ON CONFLICT (branch_id, namespace, slot) DO UPDATE SET
    entry = excluded.entry, bytes = excluded.bytes, written_by = NULL, updated_at = now()
RETURNING namespace, slot, entry, written_by::text AS writer, updated_at
"""


async def write_value(
    tx: Tx, session_id: SessionId, branch_id: BranchId, write: StateWrite
) -> StateValue:
    """Write a value that a person sets: it belongs to no turn."""
    row = await tx.fetchrow(
        _WRITE,
        branch_id,
        session_id,
        write.namespace,
        write.slot,
        encode_json(write.entry).decode(),
    )
    assert row is not None
    return _build_value(row)


_REPLACE = """
WITH old AS (
    DELETE FROM state_values WHERE branch_id = $1 AND namespace || '/' || slot <> ALL ($4::text[])
)
INSERT INTO state_values (branch_id, session_id, namespace, slot, entry, bytes)
SELECT $1, $2, split_part(v.key, '/', 1), substr(v.key, strpos(v.key, '/') + 1), v.value,
       octet_length(v.value::text)
FROM json_each($3) v
ON CONFLICT (branch_id, namespace, slot) DO UPDATE SET
    entry = excluded.entry, bytes = excluded.bytes, written_by = NULL
"""


async def replace_values(
    tx: Tx, session_id: SessionId, branch_id: BranchId, entries: JsonObject
) -> None:
    """Give a new branch these values instead of those that it was created with."""
    await tx.execute(_REPLACE, branch_id, session_id, entries, list(entries))


_ACCOUNT_USAGE = """
SELECT count(*) AS items, coalesce(sum(v.bytes), 0)::bigint AS bytes
FROM sessions s JOIN state_values v ON v.session_id = s.id JOIN branches b ON b.id = v.branch_id
WHERE s.user_id = $1 AND s.is_story AND s.deleted_at IS NULL
  AND b.deleted_at IS NULL AND b.wanted_name IS NULL
"""


async def read_usage(tx: Tx, account_id: AccountId, branch_id: BranchId | None) -> StateUsage:
    """Read the sizes of a branch's values, and how much the account has in all its branches,
    without deleted ones and those whose first turn is not committed."""
    sizes = await tx.fetch(
        "SELECT namespace || '/' || slot AS key, bytes FROM state_values WHERE branch_id = $1",
        branch_id,
    )
    row = await tx.fetchrow(_ACCOUNT_USAGE, account_id)
    assert row is not None
    return StateUsage({each["key"]: each["bytes"] for each in sizes}, row["items"], row["bytes"])


_TURN_WRITES = """
SELECT t.id AS turn_id, s.reply_id, s.writes FROM turns t JOIN turn_states s ON s.turn_id = t.id
JOIN messages m ON m.id = s.reply_id AND m.page_active AND m.deleted_at IS NULL
WHERE t.session_id = $1 AND t.branch_id = $2 AND t.live
ORDER BY t.seq DESC
"""


async def read_branch_writes(
    tx: Tx, session_id: SessionId, branch_id: BranchId
) -> Sequence[tuple[TurnId, TurnState]]:
    """Read the writes of a branch's own turns, newest first."""
    rows = await tx.fetch(_TURN_WRITES, session_id, branch_id)
    return [(TurnId(row["turn_id"]), _build_turn_state(row)) for row in rows]


def _build_turn_state(row: Row) -> TurnState:
    writes = msgspec.convert(row["writes"], tuple[VariableWrite, ...])
    return TurnState(str(row["reply_id"]), {}, writes)


def _build_namespace(row: Row) -> StateNamespace:
    return StateNamespace(
        row["name"],
        row["owner_type"],
        row["owner_id"],
        ReplaySafety(row["replay_safety"]),
        row["created_at"],
    )


def _build_value(row: Row) -> StateValue:
    entry = row["entry"]
    return StateValue(
        row["namespace"],
        row["slot"],
        entry["present"],
        entry["value"],
        row["writer"],
        row["updated_at"],
    )
