"""Open a story: a session, its bindings, and the greetings of its character."""

from collections.abc import Sequence
from datetime import datetime

from yarrow.accounts.model import UNCHANGED
from yarrow.assets import store as assets
from yarrow.assets.model import AssetKind
from yarrow.db import Database, Tx
from yarrow.ids import AccountId, BranchId, SessionId, TurnId, new_uuid
from yarrow.prompting.formats.cards import read_card
from yarrow.sessions.model import MessageDetails, Role
from yarrow.sessions.timeline import store as timeline
from yarrow.sessions.timeline.model import NewFloor, NewSlot
from yarrow.stories import store
from yarrow.stories.bindings import store as bindings
from yarrow.stories.bindings.bind import bind
from yarrow.stories.bindings.model import Bindings
from yarrow.stories.model import StoryHead, StoryPatch
from yarrow.stories.rules import require_story


async def open_story(
    database: Database, account_id: AccountId, wanted: StoryPatch, *, now: datetime
) -> StoryHead:
    """A new session; its character's greetings are its first floor, the first of them shown."""
    async with database.transaction() as tx:
        head, main = await begin_story(tx, account_id, wanted, now=now)
        greetings = await _greetings(tx, head)
        if greetings:
            floor = greeting_floor(greetings)
            await timeline.insert_floors(tx, head.session_id, main, floors=[floor])
        return require_story(
            head.session_id, await store.find_head(tx, account_id, head.session_id)
        )


async def begin_story(
    tx: Tx, account_id: AccountId, wanted: StoryPatch, *, now: datetime
) -> tuple[StoryHead, BranchId]:
    """A session with its bindings and an empty main branch."""
    session_id, main = SessionId(new_uuid()), BranchId(new_uuid())
    bound = await bind(tx, account_id, Bindings(), wanted, now=now)
    title = None if wanted.title is UNCHANGED else wanted.title
    await timeline.open_session(tx, session_id, account_id, title=title, main=main)
    await bindings.save(tx, session_id, bound)
    head = await store.find_head(tx, account_id, session_id)
    return require_story(session_id, head), main


async def _greetings(tx: Tx, head: StoryHead) -> tuple[str, ...]:
    character = head.bound.get(AssetKind.CHARACTER)
    if character is None:
        return ()
    content = await assets.read_content(tx, character.version_id)
    return read_card(content).greetings


def greeting_floor(greetings: Sequence[str]) -> NewFloor:
    """One page for each greeting, the first shown; their macros stay as the card has them."""
    slot = NewSlot(Role.ASSISTANT, tuple(greetings), details=MessageDetails(greeting=True))
    return NewFloor(TurnId(new_uuid()), 1, (slot,))
