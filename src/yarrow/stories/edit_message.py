"""Change the text of a message in its place."""

from yarrow.db import Database
from yarrow.ids import AccountId, MessageId
from yarrow.runs.errors import SessionBusy
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.model import FoundMessage, TurnStatus
from yarrow.stories.errors import WrongState
from yarrow.stories.lock import lock_open_story
from yarrow.stories.timeline import find_own_message


async def edit_message(
    database: Database, account_id: AccountId, message_id: MessageId, *, content: str
) -> FoundMessage:
    """Replace the text of a message; prompts of later turns read the new one.

    Variables, session state, memories, usage and stored prompts stay: the turn is not run again.
    """
    async with database.transaction() as tx:
        found = await find_own_message(tx, account_id, message_id)
        await lock_open_story(tx, account_id, found.turn.session_id)
        found = await find_own_message(tx, account_id, message_id)
        if found.turn.status is not TurnStatus.ANSWERED:
            raise WrongState("this turn is not committed or was replaced; its messages stay")
        if await branch_store.has_active_run(tx, found.turn.branch_id):
            raise SessionBusy(found.turn.branch)
        await turn_store.replace_content(tx, message_id, content)
        return await find_own_message(tx, account_id, message_id)
