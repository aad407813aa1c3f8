"""Lock a story for changes."""

from yarrow.db import Tx
from yarrow.ids import AccountId, SessionId
from yarrow.stories import store
from yarrow.stories.model import StorySession
from yarrow.stories.story_access import require_open, require_story


async def lock_open_story(tx: Tx, account_id: AccountId, session_id: SessionId) -> StorySession:
    """Lock the session; raises unless it is a story of the account that is not archived."""
    story = require_story(session_id, await store.lock_session(tx, account_id, session_id))
    require_open(story)
    return story
