"""Steer a story: fork it, drop a branch, choose another page, hide what was said."""

from collections.abc import Sequence

from yarrow.db import Database, Tx
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, BranchId, MessageId, SessionId, TurnId, new_uuid
from yarrow.sessions.errors import BranchExists, BranchNotFound, MessageNotFound, TurnNotFound
from yarrow.sessions.model import TurnStatus
from yarrow.sessions.store import MAIN_BRANCH
from yarrow.sessions.timeline import branch_store as branches
from yarrow.sessions.timeline import store as timeline
from yarrow.sessions.timeline.model import Branch, NewBranch, PageKind, TurnPlace
from yarrow.sessions.timeline.store import FoundPage
from yarrow.stories import store
from yarrow.stories.errors import WrongState
from yarrow.stories.model import StoryHead
from yarrow.stories.rules import require_branch_name, require_open, require_story
from yarrow.stories.timeline import own_message
from yarrow.variables import store as variables


async def fork(
    database: Database, account_id: AccountId, turn_id: TurnId, *, name: str | None
) -> tuple[SessionId, Branch]:
    """A branch that goes on after a floor, with the variables of the floor's branch."""
    branch_id = BranchId(new_uuid())
    name = f"branch-{branch_id.hex[-8:]}" if name is None else name
    require_branch_name(name)
    async with database.transaction() as tx:
        place = await _lock_turn(tx, account_id, turn_id)
        if place.status is not TurnStatus.ANSWERED:
            raise WrongState("a branch goes on after a floor that is committed and not replaced")
        new = NewBranch(branch_id, name, place.branch_id, after=turn_id, after_seq=place.seq)
        if not await branches.insert_branch(tx, place.session_id, new):
            raise BranchExists(name)
        await variables.copy_branch(tx, account_id, place.branch_id, child=branch_id)
        (made,) = await branches.read_branches(tx, place.session_id, name)
    return place.session_id, made


async def delete_branch(
    database: Database, account_id: AccountId, session_id: SessionId, *, name: str
) -> None:
    """Hide a branch, what was forked from it and all that was said there."""
    if name == MAIN_BRANCH:
        raise InvalidInput("the branch main cannot be deleted", field="branch_id")
    async with database.transaction() as tx:
        await _lock(tx, account_id, session_id)
        found = next(iter(await branches.read_branches(tx, session_id, name)), None)
        if found is None:
            raise BranchNotFound(name)
        family, busy = await branches.read_family(tx, found.id)
        if busy:
            raise WrongState("a turn of this branch is still going; wait for it or cancel it")
        await branches.delete_branches(tx, session_id, family)
        await variables.forget_branches(tx, account_id, session_id, branches=family)


async def activate_page(
    database: Database, account_id: AccountId, message_id: MessageId
) -> FoundPage:
    """Show this page in place of its alternates."""
    async with database.transaction() as tx:
        found = await own_message(tx, account_id, message_id)
        await _lock(tx, account_id, found.place.session_id)
        found = await own_message(tx, account_id, message_id)
        if found.page.kind is PageKind.INPUT:
            raise InvalidInput("an input page cannot be activated: it has no alternates")
        if found.place.status is TurnStatus.SUPERSEDED:
            raise WrongState("this floor was replaced; its pages stay as they are")
        await timeline.activate_page(tx, found.page)
        return await own_message(tx, account_id, message_id)


async def hide_message(
    database: Database, account_id: AccountId, message_id: MessageId, *, hidden: bool
) -> FoundPage:
    """Keep a message and its alternates out of prompts, or let them in again."""
    async with database.transaction() as tx:
        hid = await _hide(tx, account_id, [message_id], hidden=hidden)
        if not hid:
            raise MessageNotFound(str(message_id))
        return await own_message(tx, account_id, message_id)


async def hide_messages(
    database: Database, account_id: AccountId, message_ids: Sequence[MessageId], *, hidden: bool
) -> frozenset[MessageId]:
    """The same of many at once; gives back those that are the account's."""
    async with database.transaction() as tx:
        return await _hide(tx, account_id, message_ids, hidden=hidden)


async def _hide(
    tx: Tx, account_id: AccountId, message_ids: Sequence[MessageId], *, hidden: bool
) -> frozenset[MessageId]:
    found = await timeline.find_pages(tx, message_ids)
    own = [each for each in found if each.place.account_id == account_id]
    sessions = {each.place.session_id for each in own}
    await store.lock_sessions(tx, list(sessions))
    heads = [await store.find_head(tx, account_id, session_id) for session_id in sessions]
    stories = {head.session_id for head in heads if head is not None}
    for head in heads:
        if head is not None:
            require_open(head)
    kept = [each.page for each in own if each.place.session_id in stories]
    await timeline.set_hidden(tx, [page.slot for page in kept], hidden=hidden)
    return frozenset(page.id for page in kept)


async def _lock(tx: Tx, account_id: AccountId, session_id: SessionId) -> StoryHead:
    head = require_story(session_id, await store.lock_head(tx, account_id, session_id))
    require_open(head)
    return head


async def _lock_turn(tx: Tx, account_id: AccountId, turn_id: TurnId) -> TurnPlace:
    """The floor as it is once nobody else can change its story."""
    place = await timeline.find_turn(tx, turn_id)
    if place is None or place.account_id != account_id:
        raise TurnNotFound(str(turn_id))
    await _lock(tx, account_id, place.session_id)
    place = await timeline.find_turn(tx, turn_id)
    if place is None:
        raise TurnNotFound(str(turn_id))
    return place
