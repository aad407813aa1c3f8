"""Operators' movements of points: adjusting either way, granting, and looking.

The ledger binds each of them to a session and a ticket. The session is the account's own
`automation` session; the ticket makes the command repeatable without moving points twice.
"""

import logging
from uuid import UUID

from yarrow.db.pool import Database, Tx
from yarrow.ids import AccountId
from yarrow.points import rules, store
from yarrow.points.model import Balance, ChangeType, LedgerEntry
from yarrow.sessions.store import ensure_operator_session

log = logging.getLogger(__name__)


async def adjust_points(database: Database, who: str, *, delta: int, ticket_id: str) -> LedgerEntry:
    """Move an account's points by `delta`, up or down; `who` is its id or its e-mail."""
    return await _move(database, who, ChangeType.ADJUST, delta=delta, ticket_id=ticket_id)


async def grant_points(database: Database, who: str, *, amount: int, ticket_id: str) -> LedgerEntry:
    """Give an account points; unlike an adjustment this only goes up."""
    return await _move(database, who, ChangeType.GRANT, delta=amount, ticket_id=ticket_id)


async def show_points(database: Database, who: str) -> tuple[AccountId, Balance]:
    """An account and its points, found by id or e-mail."""
    async with database.connection() as tx:
        account_id = await _find(tx, who)
        return account_id, await store.read_balance(tx, account_id)


async def _move(
    database: Database, who: str, change_type: ChangeType, *, delta: int, ticket_id: str
) -> LedgerEntry:
    ticket_id = ticket_id.strip()
    rules.require_ticket(ticket_id)
    async with database.transaction() as tx:
        account_id = await _find(tx, who)
        balance = await store.lock_balance(tx, account_id)
        session_id = await ensure_operator_session(tx, account_id)
        movement = rules.operator_movement(
            change_type, delta=delta, ticket_id=ticket_id, session_id=session_id
        )
        rules.require_movement(movement)
        earlier = await store.find_entry(tx, account_id, movement.event_id)
        if earlier is not None:
            rules.require_same(earlier, movement)
            return earlier
        rules.require_removable(balance, -delta)
        entry = await store.move(tx, account_id, movement)
    log.info("points.moved", extra={"account_id": str(account_id), "points": delta})
    return entry


async def _find(tx: Tx, who: str) -> AccountId:
    try:
        return AccountId(UUID(who))
    except ValueError:
        return await store.find_account_by_email(tx, who)
