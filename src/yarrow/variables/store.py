"""SQL of variables."""

from collections.abc import Mapping, Sequence

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, BranchId, SessionId
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.variables.model import Scope, ScopeRef, Variable

_COLUMNS = "scope, scope_id, session_id, key, value, updated_at"


async def lock_scope(tx: Tx, account_id: AccountId, scope_ref: ScopeRef) -> None:
    """Lock a scope until the transaction ends, so that its variables can be counted."""
    await tx.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
        name_scope_lock(account_id, scope_ref),
    )


def name_scope_lock(account_id: AccountId, scope_ref: ScopeRef) -> str:
    """The name of a scope's lock, also for `fn_read_entries`."""
    return f"variables:{account_id}:{scope_ref.scope}:{scope_ref.scope_id}"


async def count_variables(tx: Tx, account_id: AccountId, scope_ref: ScopeRef) -> int:
    count = await tx.fetchval(
        "SELECT count(*) FROM variables WHERE account_id = $1 AND scope = $2 AND scope_id = $3",
        account_id,
        scope_ref.scope,
        scope_ref.scope_id,
    )
    return int(count)


_WRITE = """
INSERT INTO variables (account_id, scope, scope_id, session_id, key, value)
SELECT $1, $2, $3, $4, w.key, w.value::json
FROM unnest($5::text[], $6::text[]) AS w (key, value)
ON CONFLICT (account_id, scope, scope_id, key)
    DO UPDATE SET value = excluded.value, written_by = NULL, updated_at = now()
RETURNING scope, scope_id, session_id, key, value, updated_at, xmax = 0 AS created
"""


async def write_variables(
    tx: Tx, account_id: AccountId, scope_ref: ScopeRef, values: JsonObject
) -> Mapping[str, tuple[Variable, bool]]:
    """Insert or update variables; returns each with whether it is new.

    Values are sent as text: None in an array would be NULL of SQL, not null of JSON.
    """
    rows = await tx.fetch(
        _WRITE,
        account_id,
        scope_ref.scope,
        scope_ref.scope_id,
        scope_ref.session_id,
        list(values),
        [encode_json(value).decode() for value in values.values()],
    )
    return {row["key"]: (_build_variable(row), row["created"]) for row in rows}


async def read_scopes(
    tx: Tx, account_id: AccountId, scopes: Sequence[ScopeRef]
) -> tuple[Variable, ...]:
    """Read all variables of these scopes, sorted by key."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM variables WHERE account_id = $1 "  # noqa: S608
        "AND (scope, scope_id) IN (SELECT * FROM unnest($2::text[], $3::text[])) ORDER BY key",
        account_id,
        [scope_ref.scope for scope_ref in scopes],
        [scope_ref.scope_id for scope_ref in scopes],
    )
    return tuple(map(_build_variable, rows))


async def delete_variable(tx: Tx, account_id: AccountId, scope_ref: ScopeRef, *, key: str) -> bool:
    """Delete a variable; False when there was none."""
    deleted = await tx.fetchval(
        "DELETE FROM variables WHERE account_id = $1 AND scope = $2 AND scope_id = $3 "
        "AND key = $4 RETURNING TRUE",
        account_id,
        scope_ref.scope,
        scope_ref.scope_id,
        key,
    )
    return bool(deleted)


async def delete_branches(
    tx: Tx, account_id: AccountId, session_id: SessionId, *, branches: Sequence[BranchId]
) -> None:
    """Delete the variables of deleted branches."""
    await tx.execute(
        "DELETE FROM variables WHERE account_id = $1 AND session_id = $2 AND scope = 'branch' "
        "AND scope_id = ANY($3)",
        account_id,
        session_id,
        [str(branch) for branch in branches],
    )


def _build_variable(row: Row) -> Variable:
    session_id = row["session_id"]
    scope_ref = ScopeRef(
        Scope(row["scope"]), row["scope_id"], None if session_id is None else SessionId(session_id)
    )
    value: JsonValue = row["value"]
    return Variable(scope_ref, row["key"], value, row["updated_at"])
