"""Compare two branches of a story: shared turns, turns of one of them, variables."""

from msgspec import Struct

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.errors import BranchNotFound
from yarrow.sessions.model import TurnView
from yarrow.stories.branch_names import require_branch_name
from yarrow.stories.model import StorySession
from yarrow.stories.names import name_turns
from yarrow.stories.story_state import require_own_story
from yarrow.variables import store as variables
from yarrow.variables.model import Scope, ScopeRef


class BranchDiff(Struct, frozen=True):
    """The turns that two branches share, and those that one of them has alone."""

    session_id: SessionId
    base_branch: str
    target_branch: str
    shared: tuple[TurnView, ...]
    base_only: tuple[TurnView, ...]
    target_only: tuple[TurnView, ...]
    base_variables: JsonObject
    target_variables: JsonObject


async def compare_branches(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    base_branch: str,
    target_branch: str,
) -> BranchDiff:
    """Compare the paths to the ends of two branches, and their variables."""
    async with database.connection() as tx:
        story = await require_own_story(tx, account_id, session_id)
        base, base_variables = await _read_branch(tx, story, base_branch)
        target, target_variables = await _read_branch(tx, story, target_branch)
    base_ids, target_ids = {turn.id for turn in base}, {turn.id for turn in target}
    return BranchDiff(
        session_id=session_id,
        base_branch=base_branch,
        target_branch=target_branch,
        shared=tuple(turn for turn in base if turn.id in target_ids),
        base_only=tuple(turn for turn in base if turn.id not in target_ids),
        target_only=tuple(turn for turn in target if turn.id not in base_ids),
        base_variables=base_variables,
        target_variables=target_variables,
    )


async def _read_branch(
    tx: Tx, story: StorySession, name: str
) -> tuple[tuple[TurnView, ...], JsonObject]:
    require_branch_name(name)
    session_id = story.session_id
    branch = await branch_store.find_branch(tx, session_id, name)
    if branch is None:
        raise BranchNotFound(name)
    turns = await turn_store.read_path_turns(tx, session_id, name)
    scope = ScopeRef(Scope.BRANCH, str(branch.id), session_id)
    stored = await variables.read_scopes(tx, story.account_id, [scope])
    return name_turns(turns, story.names), {each.key: each.value for each in stored}
