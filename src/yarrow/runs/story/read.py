"""What a prompt is assembled from: three statements, whatever the length of the story."""

from zoneinfo import ZoneInfo

from yarrow.accounts.preferences import preferences_of
from yarrow.db import Tx
from yarrow.errors import BranchNotFound, SessionNotFound
from yarrow.ids import AccountId, SessionId
from yarrow.library.variables import store as variables
from yarrow.library.variables.model import EVERYWHERE, Place, Scope
from yarrow.library.variables.rules import by_scope
from yarrow.runs.story import store
from yarrow.runs.story.model import Story
from yarrow.sessions.store import MAIN_BRANCH
from yarrow.sessions.timeline import store as timeline
from yarrow.sessions.timeline.model import Utterance


async def read_story(
    tx: Tx, account_id: AccountId, session_id: SessionId, branch: str = MAIN_BRANCH
) -> Story:
    """The story as the next turn of a branch finds it. An archived one is read as well."""
    found = await store.find_head_on(tx, account_id, session_id, branch=branch)
    if found is None:
        raise SessionNotFound(str(session_id))
    head, branch_id, settings = found
    if branch_id is None:
        raise BranchNotFound(branch)
    places = [
        EVERYWHERE,
        Place(Scope.CHAT, str(session_id), session_id),
        Place(Scope.BRANCH, str(branch_id), session_id),
    ]
    held = await variables.read_places(tx, account_id, places)
    zone = ZoneInfo(preferences_of(settings).timezone)
    return Story(head, branch_id, branch, variables=by_scope(held), zone=zone)


async def read_lineage(tx: Tx, session_id: SessionId, branch: str = MAIN_BRANCH) -> list[Utterance]:
    """What was said on the way to the branch's end, oldest first, hidden messages too.

    Whose the session is, is not asked: `read_story` comes first.
    """
    return await timeline.read_lineage(tx, session_id, branch)
