"""SQL of points: one row of totals per account, and the ledger.

Every write locks the account's row first and takes the time stamp of the entry under the lock. So
the entries of an account are ordered by time, and each `balance_after` continues the one before.
"""

from uuid import UUID

from yarrow.accounts.errors import AccountNotFound
from yarrow.db.pool import Row, Tx
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId
from yarrow.points import charges
from yarrow.points.model import (
    Balance,
    ChangeType,
    Charge,
    LedgerEntry,
    LedgerSlice,
    Movement,
    MovementDirection,
)

# Parts of the statements that start and end a run, so that each of these is one round trip. They
# come last in lock order, after the session and the run: every CTE depends on the one it names.

HOLD_POINTS = """held AS (
    UPDATE user_points
    SET frozen_balance = frozen_balance + :price, version = version + 1, updated_at = now()
    FROM turn
    WHERE user_id = :account_id AND :price::int > 0 AND balance - frozen_balance >= :price
    RETURNING :price::int AS price
)"""
"""CTE: hold `:price` for the row of `turn`; no row when it is free or not covered."""

CAN_HOLD_POINTS = """(:price::int = 0 OR EXISTS (
    SELECT 1 FROM user_points
    WHERE user_id = :account_id AND balance - frozen_balance >= :price))"""
"""Condition: whether the account can probably pay. It locks nothing, so `held` decides."""

RELEASE_POINTS = """released AS (
    UPDATE user_points
    SET frozen_balance = frozen_balance - :price, version = version + 1, updated_at = now()
    FROM ended
    WHERE user_id = :account_id AND :price::int > 0
)"""
"""CTE: release the `:price` that was held for the run of `ended`."""

# The lock comes first: a concurrent charge waits for it, and then sees the balance and the entry
# that this one wrote. The stamp is taken under the lock, so that entries are ordered by it. The
# totals change only if this statement inserted the entry.
CHARGE_POINTS = """account AS MATERIALIZED (
    SELECT p.balance, answer.seq
    FROM stored AS answer, user_points p
    WHERE answer.id = :answer_id::uuid AND p.user_id = :account_id AND :charge::int > 0
    FOR UPDATE OF p
), stamped AS MATERIALIZED (
    SELECT balance, seq, clock_timestamp() AS stamp FROM account
), entry AS (
    INSERT INTO points_ledger (
        user_id, direction, amount, balance_after, change_type, biz_type, biz_id, event_id,
        metadata, created_at, updated_at
    )
    SELECT :account_id, -1, :charge, balance - :charge, 'consume', 'chat', :session_id,
        :charge_key::text,
        jsonb_set(:charge_metadata::jsonb, '{charge,message_seq}', to_jsonb(seq)), stamp, stamp
    FROM stamped
    ON CONFLICT (user_id, event_id) DO NOTHING
    RETURNING amount
), charged AS (
    UPDATE user_points AS points
    SET balance = points.balance - entry.amount,
        frozen_balance = points.frozen_balance - entry.amount,
        lifetime_spent = points.lifetime_spent + entry.amount,
        version = points.version + 1,
        updated_at = now()
    FROM entry
    WHERE points.user_id = :account_id
    RETURNING TRUE
)"""
"""CTEs: consume the points held for a run, once, if `stored` has the message of its answer."""

_RELEASE = """
UPDATE user_points
SET frozen_balance = frozen_balance - $2, version = version + 1, updated_at = now()
WHERE user_id = $1
"""

_INSERT_ENTRY = """
INSERT INTO points_ledger (
    user_id, direction, amount, balance_after, change_type, biz_type, biz_id, event_id,
    operator_id, metadata, created_at, updated_at
)
SELECT $1::uuid, $2::smallint, $3::bigint, $4::bigint, $5::text, $6::text, $7::uuid, $8::text,
    $9::uuid, $10::jsonb, stamp, stamp
FROM clock_timestamp() AS stamp
RETURNING *
"""

_UPDATE_TOTALS = """
UPDATE user_points
SET balance = balance + $2,
    lifetime_earned = lifetime_earned + greatest($2, 0),
    lifetime_spent = lifetime_spent + greatest(-$2, 0),
    version = version + 1,
    updated_at = now()
WHERE user_id = $1
"""


def build_charge_arguments(charge: Charge | None) -> dict[str, object]:
    """The parameters of `CHARGE_POINTS`, besides the ids; None charges nothing."""
    if charge is None:
        return {"answer_id": None, "charge": 0, "charge_key": None, "charge_metadata": None}
    return {
        "answer_id": charge.message_id,
        "charge": charge.amount,
        "charge_key": charges.make_charge_key(charge.session_id, charge.run_key),
        "charge_metadata": charges.make_charge_metadata(charge),
    }


async def release_points(tx: Tx, account_id: AccountId, amount: int) -> None:
    """Release the points held for a run that failed or was cancelled."""
    if amount == 0:
        return
    await tx.execute(_RELEASE, account_id, amount)


async def write_movement(tx: Tx, account_id: AccountId, movement: Movement) -> LedgerEntry:
    """Change the totals and insert the ledger entry of an operator's movement.

    Points in count as earned and points out as spent, so that
    `balance = lifetime_earned - lifetime_spent` always holds.
    """
    balance = await lock_balance(tx, account_id)
    delta = int(movement.direction) * movement.amount
    await tx.execute(_UPDATE_TOTALS, account_id, delta)
    row = await tx.fetchrow(
        _INSERT_ENTRY,
        account_id,
        int(movement.direction),
        movement.amount,
        balance.balance + delta,
        movement.change_type.value,
        movement.biz_type,
        movement.biz_id,
        movement.event_id,
        movement.operator_id,
        movement.metadata,
    )
    return _build_entry(row)


async def read_balance(tx: Tx, account_id: AccountId) -> Balance:
    row = await tx.fetchrow("SELECT * FROM user_points WHERE user_id = $1", account_id)
    return _build_balance(row, account_id)


async def lock_balance(tx: Tx, account_id: AccountId) -> Balance:
    """Lock the balance until the transaction ends, and read it."""
    row = await tx.fetchrow("SELECT * FROM user_points WHERE user_id = $1 FOR UPDATE", account_id)
    return _build_balance(row, account_id)


async def read_entries(
    tx: Tx, account_id: AccountId, limit: int, before: UUID | None = None
) -> LedgerSlice:
    """Read entries, newest first; `before` is the id of the last entry already read."""
    if before is None:
        rows = await tx.fetch(
            "SELECT * FROM points_ledger WHERE user_id = $1"
            " ORDER BY created_at DESC, id DESC LIMIT $2",
            account_id,
            limit + 1,
        )
        return _build_slice(rows, limit)
    # By id alone: with the account too, all its entries may be searched in their index.
    last = await tx.fetchrow("SELECT user_id, created_at FROM points_ledger WHERE id = $1", before)
    if last is None or last["user_id"] != account_id:
        raise InvalidInput("before names no entry of this ledger", field="before")
    rows = await tx.fetch(
        "SELECT * FROM points_ledger WHERE user_id = $1 AND (created_at, id) < ($3, $4)"
        " ORDER BY created_at DESC, id DESC LIMIT $2",
        account_id,
        limit + 1,
        last["created_at"],
        before,
    )
    return _build_slice(rows, limit)


async def find_entry(tx: Tx, account_id: AccountId, event_id: str) -> LedgerEntry | None:
    row = await tx.fetchrow(
        "SELECT * FROM points_ledger WHERE user_id = $1 AND event_id = $2", account_id, event_id
    )
    return None if row is None else _build_entry(row)


def _build_slice(rows: list[Row], limit: int) -> LedgerSlice:
    entries = tuple(_build_entry(row) for row in rows[:limit])
    return LedgerSlice(entries, next_before=entries[-1].id if len(rows) > limit else None)


def _build_balance(row: Row | None, account_id: AccountId) -> Balance:
    if row is None:
        raise AccountNotFound(str(account_id))
    return Balance(
        row["balance"], row["frozen_balance"], row["lifetime_earned"], row["lifetime_spent"]
    )


def _build_entry(row: Row) -> LedgerEntry:
    return LedgerEntry(
        id=row["id"],
        user_id=AccountId(row["user_id"]),
        direction=MovementDirection(row["direction"]),
        amount=row["amount"],
        balance_after=row["balance_after"],
        change_type=ChangeType(row["change_type"]),
        biz_type=row["biz_type"],
        biz_id=row["biz_id"],
        event_id=row["event_id"],
        operator_id=row["operator_id"],
        metadata=row["metadata"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
