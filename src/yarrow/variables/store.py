"""SQL of variables."""

from collections.abc import Mapping, Sequence

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, BranchId, SessionId
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.variables.model import Place, Scope, Variable

_COLUMNS = "scope, scope_id, session_id, key, value, updated_at"


async def lock_place(tx: Tx, account_id: AccountId, place: Place) -> None:
    """Nobody else adds variables here until the transaction ends, so that they can be counted."""
    await tx.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
        f"variables:{account_id}:{place.scope}:{place.scope_id}",
    )


async def count(tx: Tx, account_id: AccountId, place: Place) -> int:
    found = await tx.fetchval(
        "SELECT count(*) FROM variables WHERE account_id = $1 AND scope = $2 AND scope_id = $3",
        account_id,
        place.scope,
        place.scope_id,
    )
    return int(found)


_WRITE = """
INSERT INTO variables (account_id, scope, scope_id, session_id, key, value)
SELECT $1, $2, $3, $4, w.key, w.value::json
FROM unnest($5::text[], $6::text[]) AS w (key, value)
ON CONFLICT (account_id, scope, scope_id, key)
    DO UPDATE SET value = excluded.value, updated_at = now()
RETURNING scope, scope_id, session_id, key, value, updated_at, xmax = 0 AS created
"""


async def write(
    tx: Tx, account_id: AccountId, place: Place, values: JsonObject
) -> Mapping[str, tuple[Variable, bool]]:
    """Store values under their keys; each comes back with whether it is new.

    Values travel as text: None in an array would be SQL's null, not JSON's.
    """
    rows = await tx.fetch(
        _WRITE,
        account_id,
        place.scope,
        place.scope_id,
        place.session_id,
        list(values),
        [encode_json(value).decode() for value in values.values()],
    )
    return {row["key"]: (_variable(row), row["created"]) for row in rows}


async def read_places(
    tx: Tx, account_id: AccountId, places: Sequence[Place]
) -> tuple[Variable, ...]:
    """All variables of these places, by key."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM variables WHERE account_id = $1 "  # noqa: S608
        "AND (scope, scope_id) IN (SELECT * FROM unnest($2::text[], $3::text[])) ORDER BY key",
        account_id,
        [place.scope for place in places],
        [place.scope_id for place in places],
    )
    return tuple(map(_variable, rows))


async def delete(tx: Tx, account_id: AccountId, place: Place, *, key: str) -> bool:
    """False when there was no such variable."""
    gone = await tx.fetchval(
        "DELETE FROM variables WHERE account_id = $1 AND scope = $2 AND scope_id = $3 "
        "AND key = $4 RETURNING TRUE",
        account_id,
        place.scope,
        place.scope_id,
        key,
    )
    return bool(gone)


async def copy_branch(tx: Tx, account_id: AccountId, parent: BranchId, *, child: BranchId) -> None:
    """A new branch begins with what its parent has."""
    await tx.execute(
        "INSERT INTO variables (account_id, scope, scope_id, session_id, key, value) "
        "SELECT account_id, scope, $3, session_id, key, value FROM variables "
        "WHERE account_id = $1 AND scope = 'branch' AND scope_id = $2",
        account_id,
        str(parent),
        str(child),
    )


async def forget_branches(
    tx: Tx, account_id: AccountId, session_id: SessionId, *, branches: Sequence[BranchId]
) -> None:
    """Drop what belonged to branches that are gone."""
    await tx.execute(
        "DELETE FROM variables WHERE account_id = $1 AND session_id = $2 AND scope = 'branch' "
        "AND scope_id = ANY($3)",
        account_id,
        session_id,
        [str(branch) for branch in branches],
    )


def _variable(row: Row) -> Variable:
    session = row["session_id"]
    place = Place(
        Scope(row["scope"]), row["scope_id"], None if session is None else SessionId(session)
    )
    value: JsonValue = row["value"]
    return Variable(place, row["key"], value, row["updated_at"])
