"""Change the text of a message in its place."""

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, MessageId
from yarrow.prompting.formats.chat_writing import drop_old_text
from yarrow.runs.errors import SessionBusy
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.model import FoundMessage, MessageVersion, TurnStatus
from yarrow.stories import store
from yarrow.stories.errors import MessageChanged, WrongState
from yarrow.stories.lock import lock_open_story
from yarrow.stories.timeline import find_own_message


async def edit_message(
    database: Database,
    account_id: AccountId,
    message_id: MessageId,
    *,
    content: str,
    expected: str | None,
) -> FoundMessage:
    """Replace the text of a message; prompts of later turns read the new one. Raise if it has
    another text than the expected one, if there is one.

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
        if expected is not None and found.version.content != expected:
            raise MessageChanged(str(message_id))
        await turn_store.replace_content(tx, message_id, content)
        if found.version.content != content:
            await _drop_old_text(tx, found.version)
        return await find_own_message(tx, account_id, message_id)


async def _drop_old_text(tx: Tx, version: MessageVersion) -> None:
    """Take what belongs to the old text out of the line of a chat file, which the first version
    of a message has."""
    [first] = await turn_store.find_messages(tx, [version.slot_id])
    old = first.version.details.line
    line = drop_old_text(old, swipe=None if version.is_input else version.number)
    if line != old:
        await store.change_line(tx, version.slot_id, line)
