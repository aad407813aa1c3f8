"""Read points. Each function opens its own connection."""

from uuid import UUID

from yarrow.accounts.store import find_account_id
from yarrow.db.pool import Database, Tx
from yarrow.ids import AccountId
from yarrow.points import store
from yarrow.points.model import Balance, LedgerSlice


async def read_balance(database: Database, account_id: AccountId) -> Balance:
    """Read an account's balance."""
    async with database.connection() as tx:
        return await store.read_balance(tx, account_id)


async def find_balance(database: Database, who: str) -> tuple[AccountId, Balance]:
    """Find an account by id or e-mail, and read its balance."""
    async with database.connection() as tx:
        account_id = await find_account(tx, who)
        return account_id, await store.read_balance(tx, account_id)


async def read_ledger(
    database: Database, account_id: AccountId, *, limit: int, before: UUID | None = None
) -> LedgerSlice:
    """Read ledger entries, newest first; `before` is the id of the last entry already read."""
    async with database.connection() as tx:
        return await store.read_entries(tx, account_id, limit, before)


async def find_account(tx: Tx, who: str) -> AccountId:
    """Parse an account's id, or look up its e-mail."""
    try:
        return AccountId(UUID(who))
    except ValueError:
        return await find_account_id(tx, who)
