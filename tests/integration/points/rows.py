"""Rows that the schema accepts, to be spoiled one column at a time."""

from typing import Any

from yarrow.db.pool import Tx

CHARGE: dict[str, Any] = {
    "message_id": "00000000-0000-0000-0000-00000000000a",
    "message_seq": 1,
    "model_code": "m",
    "input_tokens": 0,
    "output_tokens": 0,
    "cost": "0.000000",
}
COMMON: dict[str, Any] = {"schema_version": 1, "operator_type": "user", "run_id": "r"}
METADATA: dict[str, dict[str, Any]] = {
    "register": COMMON,
    "grant": COMMON,
    "consume": {**COMMON, "charge": CHARGE},
    "adjust": {**COMMON, "ext": {"ticket_id": "T-1"}},
}
DIRECTION = {"register": 1, "grant": 1, "consume": -1, "adjust": -1}


async def insert(tx: Tx, table: str, row: dict[str, Any]) -> Any:
    names = ", ".join(row)
    places = ", ".join(f"${n}" for n in range(1, len(row) + 1))
    query = f"INSERT INTO {table} ({names}) VALUES ({places}) RETURNING *"
    return await tx.fetchrow(query, *row.values())


def entry(
    user_id: object, session_id: object, change_type: str, /, **spoiled: Any
) -> dict[str, Any]:
    """A ledger row of this type that is right, but for what is spoiled."""
    is_bound = change_type != "register"
    return {
        "user_id": user_id,
        "direction": DIRECTION[change_type],
        "amount": 20,
        "balance_after": 80,
        "change_type": change_type,
        "biz_type": "chat" if is_bound else None,
        "biz_id": session_id if is_bound else None,
        "event_id": "e",
        "metadata": METADATA[change_type],
    } | spoiled
