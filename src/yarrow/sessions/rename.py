"""Change the title of a session of any agent."""

from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.sessions import store
from yarrow.sessions.read import require_own_session
from yarrow.sessions.titles import require_title


async def rename_session(
    database: Database, account_id: AccountId, session_id: SessionId, text: str
) -> str:
    """Set the title and return it as stored. Its last activity stays: the list keeps its order."""
    title = require_title(text)
    async with database.transaction() as tx:
        await require_own_session(tx, account_id, session_id)
        await store.update_title(tx, session_id, title)
    return title
