"""Create and delete stories."""

from collections.abc import Sequence
from datetime import datetime

from yarrow.assets import store as assets
from yarrow.assets.model import AssetKind
from yarrow.db import Database, Tx
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, BranchId, SessionId, TurnId, new_uuid
from yarrow.kit.patch import UNCHANGED
from yarrow.prompting.formats.cards import read_card
from yarrow.runs.delete_session import delete_session
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.sessions import store as sessions
from yarrow.sessions import turn_store
from yarrow.sessions.errors import SessionNotFound
from yarrow.sessions.model import AnsweredTurn, MessageDetails, NewMessageVersions, Role
from yarrow.stories import store, turn_state_store
from yarrow.stories.bindings import resolve_bindings
from yarrow.stories.model import SessionBindings, StoryPatch, StorySession
from yarrow.stories.story_access import require_story

GREETINGS_MAX = 200


async def create_story(
    database: Database, account_id: AccountId, patch: StoryPatch, *, now: datetime
) -> StorySession:
    """Create a session; the character's greetings are its first turn, the first one active."""
    async with database.transaction() as tx:
        story, main_branch_id = await insert_story(tx, account_id, patch, now=now)
        greetings = await _read_greetings(tx, story)
        if greetings:
            turn = make_greeting_turn(greetings)
            await turn_store.insert_turns(tx, story.session_id, main_branch_id, turns=[turn])
            await turn_state_store.insert_first_state(tx, main_branch_id, turn.id, variables={})
        return require_story(
            story.session_id, await store.find_session(tx, account_id, story.session_id)
        )


async def insert_story(
    tx: Tx, account_id: AccountId, patch: StoryPatch, *, now: datetime
) -> tuple[StorySession, BranchId]:
    """Insert a session with its bindings and an empty main branch."""
    session_id, main_branch_id = SessionId(new_uuid()), BranchId(new_uuid())
    bindings = await resolve_bindings(tx, account_id, SessionBindings(), patch, now=now)
    title = None if patch.title is UNCHANGED else patch.title
    await sessions.insert_session(
        tx, session_id, account_id, title=title, main_branch_id=main_branch_id
    )
    await store.save_bindings(tx, session_id, bindings)
    story = await store.find_session(tx, account_id, session_id)
    return require_story(session_id, story), main_branch_id


async def _read_greetings(tx: Tx, story: StorySession) -> tuple[str, ...]:
    character = story.bound.get(AssetKind.CHARACTER)
    if character is None:
        return ()
    content = await assets.read_content(tx, character.version_id)
    greetings = read_card(content).greetings
    if len(greetings) > GREETINGS_MAX:
        raise InvalidInput(
            f"a story begins with at most {GREETINGS_MAX} greetings, the character has "
            f"{len(greetings)}",
            field="character_id",
        )
    return greetings


def make_greeting_turn(greetings: Sequence[str]) -> AnsweredTurn:
    """Make a turn with one version for each greeting; their macros are stored unexpanded."""
    slot = NewMessageVersions(
        Role.ASSISTANT, tuple(greetings), details=MessageDetails(greeting=True)
    )
    return AnsweredTurn(TurnId(new_uuid()), 1, (slot,))


async def delete_story(
    engine: Engine, executions: Executions, account_id: AccountId, session_id: SessionId
) -> None:
    """Soft-delete a story and cancel its runs; raises if the account has no such story."""
    if not await delete_stories(engine, executions, account_id, [session_id]):
        raise SessionNotFound(str(session_id))


async def delete_stories(
    engine: Engine,
    executions: Executions,
    account_id: AccountId,
    session_ids: Sequence[SessionId],
) -> frozenset[SessionId]:
    """Soft-delete stories and cancel their runs; returns those that belonged to the account."""
    async with engine.database.connection() as tx:
        found = [await store.find_session(tx, account_id, each) for each in session_ids]
    own = frozenset(story.session_id for story in found if story is not None)
    for session_id in own:
        await delete_session(engine, executions, account_id, session_id)
    return own
