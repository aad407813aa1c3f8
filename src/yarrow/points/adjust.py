"""Adjust and grant points as an operator.

Each ledger entry refers to the account's `automation` session and to a ticket, which makes the
command idempotent.
"""

import logging

from yarrow.db.pool import Database
from yarrow.ids import AccountId
from yarrow.points import ledger_rules, store
from yarrow.points.model import ChangeType, LedgerEntry
from yarrow.points.read import find_account
from yarrow.sessions.store import ensure_operator_session

log = logging.getLogger(__name__)


async def adjust_points(database: Database, who: str, *, delta: int, ticket_id: str) -> LedgerEntry:
    """Add `delta` points, which may be negative; `who` is the account's id or e-mail."""
    return await _move_points(database, who, ChangeType.ADJUST, delta=delta, ticket_id=ticket_id)


async def grant_points(
    database: Database,
    who: str,
    *,
    amount: int,
    ticket_id: str,
    operator_id: AccountId | None = None,
) -> LedgerEntry:
    """Add points; unlike an adjustment a grant cannot be negative.

    The operator is an account; None is whoever has a shell on the server.
    """
    return await _move_points(
        database,
        who,
        ChangeType.GRANT,
        delta=amount,
        ticket_id=ticket_id,
        operator_id=operator_id,
    )


async def _move_points(
    database: Database,
    who: str,
    change_type: ChangeType,
    *,
    delta: int,
    ticket_id: str,
    operator_id: AccountId | None = None,
) -> LedgerEntry:
    ticket_id = ticket_id.strip()
    ledger_rules.require_ticket(ticket_id)
    async with database.transaction() as tx:
        account_id = await find_account(tx, who)
        balance = await store.lock_balance(tx, account_id)
        session_id = await ensure_operator_session(tx, account_id)
        movement = ledger_rules.make_operator_movement(
            change_type,
            delta=delta,
            ticket_id=ticket_id,
            session_id=session_id,
            operator_id=operator_id,
        )
        ledger_rules.require_movement(movement)
        earlier = await store.find_entry(tx, account_id, movement.event_id)
        if earlier is not None:
            ledger_rules.require_same(earlier, movement)
            return earlier
        ledger_rules.require_removable(balance, -delta)
        entry = await store.write_movement(tx, account_id, movement)
    moved = {"account_id": str(account_id), "points": delta, "operator_id": str(operator_id or "")}
    log.info("points.moved", extra=moved)
    return entry
