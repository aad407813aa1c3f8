"""Begin a session before its first message, so that files can be uploaded to it."""

from yarrow.db import Database
from yarrow.ids import AccountId, BranchId, SessionId
from yarrow.sessions import branch_store
from yarrow.sessions.read import require_own_session


async def begin_session(
    database: Database, account_id: AccountId, session_id: SessionId, *, branch_id: BranchId
) -> None:
    """Insert an empty session of the client's own id; one that is there stays as it is.

    The first run sets its title. Raises if the id is another account's, or was deleted.
    """
    async with database.transaction() as tx:
        await branch_store.ensure_session(tx, session_id, account_id, main_branch_id=branch_id)
        await require_own_session(tx, account_id, session_id)
