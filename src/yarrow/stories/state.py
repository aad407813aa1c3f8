"""Read stories, and the state of a branch that its next prompt is built from."""

from zoneinfo import ZoneInfo

from yarrow.accounts.preferences import read_preferences
from yarrow.assets.model import SortOrder
from yarrow.db import Database, Tx
from yarrow.ids import AccountId, SessionId
from yarrow.sessions.errors import BranchNotFound, SessionNotFound
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories import store
from yarrow.stories.model import StoryFilter, StorySession, StorySort, StoryState
from yarrow.stories.rules import require_story


async def require_own_story(tx: Tx, account_id: AccountId, session_id: SessionId) -> StorySession:
    """Read a story; raise if the account has no such story."""
    return require_story(session_id, await store.find_session(tx, account_id, session_id))


async def read_story(
    database: Database, account_id: AccountId, session_id: SessionId
) -> StorySession:
    """Read a story without its messages."""
    async with database.connection() as tx:
        return await require_own_story(tx, account_id, session_id)


async def list_stories(
    database: Database,
    account_id: AccountId,
    where: StoryFilter,
    *,
    sort: tuple[StorySort, SortOrder],
    limit: int,
    offset: int,
) -> tuple[tuple[StorySession, ...], int]:
    """List some of the account's stories, and count all that match."""
    async with database.connection() as tx:
        return await store.list_sessions(
            tx, account_id, where, sort=sort, limit=limit, offset=offset
        )


async def read_state(
    tx: Tx, account_id: AccountId, session_id: SessionId, branch: str = MAIN_BRANCH
) -> StoryState:
    """Read all that the next prompt of a branch needs, in one statement. Archived stories too."""
    row = await store.find_story_row(tx, account_id, session_id, branch=branch)
    if row is None:
        raise SessionNotFound(str(session_id))
    if row.branch_id is None:
        raise BranchNotFound(branch)
    return StoryState(
        session=row.session,
        branch_id=row.branch_id,
        branch=branch,
        variables=row.variables,
        history=row.history,
        timezone=ZoneInfo(read_preferences(row.settings).timezone),
    )
