"""Show a story: its timeline, floors and messages."""

from dataclasses import dataclass, replace

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, MessageId, SessionId, TurnId
from yarrow.sessions.errors import BranchNotFound, MessageNotFound, TurnNotFound
from yarrow.sessions.timeline import branch_store as branches
from yarrow.sessions.timeline import store as timeline
from yarrow.sessions.timeline.model import Branch, Floor, Page
from yarrow.sessions.timeline.store import FoundPage
from yarrow.stories import store
from yarrow.stories.model import Names, StoryHead
from yarrow.stories.names import with_names
from yarrow.stories.rules import require_story


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a list is wanted; without a limit it is all the rest."""

    limit: int | None
    offset: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Some floors of a branch's line, and how many it has."""

    head: StoryHead
    branch: str
    floors: tuple[Floor, ...]
    total: int


async def own_story(tx: Tx, account_id: AccountId, session_id: SessionId) -> StoryHead:
    """The caller's story."""
    return require_story(session_id, await store.find_head(tx, account_id, session_id))


async def show_timeline(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str,
    part: Part,
) -> Timeline:
    """The floors on the way to a branch's end, as a reader sees them."""
    async with database.connection() as tx:
        head = await own_story(tx, account_id, session_id)
        if not await branches.read_branches(tx, session_id, branch):
            raise BranchNotFound(branch)
        floors = await timeline.read_timeline(
            tx, session_id, branch, limit=part.limit, offset=part.offset
        )
        total = await timeline.count_timeline(tx, session_id, branch)
    return Timeline(head, branch, shown(floors, head.names), total)


async def show_floors(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str | None,
    limit: int,
    offset: int,
) -> tuple[tuple[Floor, ...], int]:
    """The live floors of a session, and how many there are."""
    async with database.connection() as tx:
        head = await own_story(tx, account_id, session_id)
        floors = await timeline.read_floors(tx, session_id, branch, limit=limit, offset=offset)
        total = await timeline.count_floors(tx, session_id, branch)
    return shown(floors, head.names), total


async def show_floor(database: Database, account_id: AccountId, turn_id: TurnId) -> Floor:
    """One floor, also one that was replaced."""
    async with database.connection() as tx:
        floor = await timeline.read_floor(tx, turn_id)
        if floor is None:
            raise TurnNotFound(str(turn_id))
        head = await store.find_head(tx, account_id, floor.session_id)
    if head is None:
        raise TurnNotFound(str(turn_id))
    return shown((floor,), head.names)[0]


async def show_message(
    database: Database, account_id: AccountId, message_id: MessageId
) -> FoundPage:
    """One message, active or not."""
    async with database.connection() as tx:
        return await own_message(tx, account_id, message_id)


async def own_message(tx: Tx, account_id: AccountId, message_id: MessageId) -> FoundPage:
    """The caller's message, as a reader sees it."""
    found = next(iter(await timeline.find_pages(tx, [message_id])), None)
    if found is None:
        raise MessageNotFound(str(message_id))
    head = await store.find_head(tx, account_id, found.place.session_id)
    if head is None:
        raise MessageNotFound(str(message_id))
    return replace(found, page=_shown_page(found.page, head.names))


async def show_branches(
    database: Database, account_id: AccountId, session_id: SessionId
) -> tuple[Branch, ...]:
    async with database.connection() as tx:
        await own_story(tx, account_id, session_id)
        return await branches.read_branches(tx, session_id)


def shown(floors: tuple[Floor, ...], names: Names) -> tuple[Floor, ...]:
    """The floors with the names in their greetings; what people and models said stays as it is."""
    return tuple(_shown_floor(floor, names) for floor in floors)


def _shown_floor(floor: Floor, names: Names) -> Floor:
    if not any(page.from_card for page in floor.pages):
        return floor
    return replace(floor, pages=tuple(_shown_page(page, names) for page in floor.pages))


def _shown_page(page: Page, names: Names) -> Page:
    return replace(page, content=with_names(page.content, names)) if page.from_card else page
