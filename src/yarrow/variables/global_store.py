"""SQL of what turns wrote to global variables.

A global variable has the value of its newest standing write, in the order of commits. A write
stands until its turn is undone. What was there before the first write stands for ever, and what a
person sets replaces all writes of the key. Those who write hold the lock of the global scope.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from yarrow.db import Tx
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject, JsonValue, encode_json

_INSERT_FOUND = """
INSERT INTO global_writes (account_id, key, value, stands)
SELECT $1, w.key, v.value, TRUE FROM unnest($2::text[]) AS w (key)
LEFT JOIN variables v ON v.account_id = $1 AND v.scope = 'global' AND v.key = w.key
WHERE NOT EXISTS (
    SELECT 1 FROM global_writes g WHERE g.account_id = $1 AND g.key = w.key AND g.stands)
"""

_INSERT = """
INSERT INTO global_writes (account_id, key, reply_id, value, stands)
SELECT $1, w.key, $4, w.value::json, $5 FROM unnest($2::text[], $3::text[]) AS w (key, value)
"""

_REFRESH = """
WITH newest AS (
    SELECT w.key, g.value, g.reply_id FROM unnest($2::text[]) AS w (key) CROSS JOIN LATERAL (
        SELECT value, reply_id FROM global_writes
        WHERE account_id = $1 AND key = w.key AND stands ORDER BY number DESC LIMIT 1) AS g
), gone AS (
    DELETE FROM variables v USING newest n WHERE v.account_id = $1 AND v.scope = 'global'
      AND v.key = n.key AND n.value IS NULL
)
INSERT INTO variables (account_id, scope, scope_id, key, value, written_by)
SELECT $1, 'global', 'global', key, value, reply_id FROM newest WHERE value IS NOT NULL
ON CONFLICT (account_id, scope, scope_id, key)
    DO UPDATE SET value = excluded.value, written_by = excluded.written_by, updated_at = now()
    WHERE variables.written_by IS DISTINCT FROM excluded.written_by
"""

_READ_WITHOUT = """
SELECT w.key, g.value, g.value IS NULL AS is_missing FROM (
    SELECT DISTINCT key FROM global_writes WHERE reply_id = ANY($2)) AS w
CROSS JOIN LATERAL (
    SELECT value FROM global_writes
    WHERE account_id = $1 AND key = w.key AND stands AND coalesce(reply_id <> ALL($2), TRUE)
    ORDER BY number DESC LIMIT 1) AS g
"""


async def add_writes(
    tx: Tx,
    account_id: AccountId,
    reply_id: UUID,
    values: Mapping[str, JsonValue],
    *,
    deleted: Sequence[str],
    stands: bool,
) -> None:
    """Add what a turn wrote and deleted; it changes the variables unless it does not stand."""
    keys = [*values, *deleted]
    texts = [encode_json(value).decode() for value in values.values()] + [None] * len(deleted)
    await tx.execute(_INSERT_FOUND, account_id, keys)
    await tx.execute(_INSERT, account_id, keys, texts, reply_id, stands)
    await tx.execute(_REFRESH, account_id, keys)


async def undo_and_redo_writes(
    tx: Tx, account_id: AccountId, *, undone: Sequence[str], redone: Sequence[str] = ()
) -> None:
    """Undo the writes of some replies, and let those of others stand again."""
    rows = await tx.fetch(
        "UPDATE global_writes SET stands = reply_id = ANY($2) "
        "WHERE reply_id = ANY($1::uuid[] || $2::uuid[]) RETURNING key",
        [UUID(each) for each in undone],
        [UUID(each) for each in redone],
    )
    if rows:
        await tx.execute(_REFRESH, account_id, list({row["key"] for row in rows}))


async def read_without(
    tx: Tx, account_id: AccountId, present: JsonObject, *, undone: Sequence[str]
) -> JsonObject:
    """The global variables as they would be without the writes of these replies."""
    rows = await tx.fetch(_READ_WITHOUT, account_id, [UUID(each) for each in undone])
    keys = {row["key"] for row in rows}
    kept = {key: value for key, value in present.items() if key not in keys}
    return kept | {row["key"]: row["value"] for row in rows if not row["is_missing"]}


async def forget_writes(tx: Tx, account_id: AccountId, keys: Sequence[str]) -> None:
    """Delete the writes of variables that a person sets or deletes."""
    await tx.execute(
        "DELETE FROM global_writes WHERE account_id = $1 AND key = ANY($2)", account_id, keys
    )
