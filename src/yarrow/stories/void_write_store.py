"""Void what turns wrote where a person sets or deletes a value: it is not applied again."""

from collections.abc import Iterable, Sequence

from yarrow.db import Tx
from yarrow.ids import BranchId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.stories.turn_state import VariableKey

_FIND_WRITES = """
SELECT s.reply_id, s.writes FROM turns t JOIN turn_states s ON s.turn_id = t.id
WHERE t.branch_id = $1 AND t.live AND EXISTS (
    SELECT FROM json_array_elements(s.writes) w
    WHERE (w ->> 'scope', w ->> 'key') IN (SELECT * FROM unnest($2::text[], $3::text[]))
      AND w ->> 'is_void' IS DISTINCT FROM 'true')
"""

_CHANGE_WRITES = """
UPDATE turn_states s SET writes = changed.writes::json
FROM unnest($1::uuid[], $2::text[]) AS changed (reply_id, writes)
WHERE s.reply_id = changed.reply_id
"""


async def void_writes(tx: Tx, branch_id: BranchId, entries: Sequence[VariableKey]) -> None:
    """Mark what live turns of a branch wrote to the entries so far; its scope must be locked."""
    scopes, keys = [scope for scope, _ in entries], [key for _, key in entries]
    rows = await tx.fetch(_FIND_WRITES, branch_id, scopes, keys)
    if not rows:
        return
    replies = [row["reply_id"] for row in rows]
    writes = [encode_json(_mark_void(row["writes"], set(entries))).decode() for row in rows]
    await tx.execute(_CHANGE_WRITES, replies, writes)


def _mark_void(writes: Iterable[JsonObject], entries: set[VariableKey]) -> list[JsonObject]:
    return [
        write | {"is_void": True} if (write["scope"], write["key"]) in entries else write
        for write in writes
    ]
