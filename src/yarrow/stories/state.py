"""What a prompt is assembled from: one statement, whatever the length of the story."""

from zoneinfo import ZoneInfo

from yarrow.accounts.preferences import preferences_of
from yarrow.db import Tx
from yarrow.ids import AccountId, SessionId
from yarrow.sessions.errors import BranchNotFound, SessionNotFound
from yarrow.sessions.store import MAIN_BRANCH
from yarrow.stories import store
from yarrow.stories.model import Story


async def read_story(
    tx: Tx, account_id: AccountId, session_id: SessionId, branch: str = MAIN_BRANCH
) -> Story:
    """The story as the next turn of a branch finds it. An archived one is read as well."""
    found = await store.find_head_on(tx, account_id, session_id, branch=branch)
    if found is None:
        raise SessionNotFound(str(session_id))
    if found.branch_id is None:
        raise BranchNotFound(branch)
    return Story(
        head=found.head,
        branch_id=found.branch_id,
        branch=branch,
        variables=found.variables,
        said=found.said,
        zone=ZoneInfo(preferences_of(found.settings).timezone),
    )
