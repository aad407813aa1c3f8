"""Place the turns of a story: on which branch, after which turn, and with which state."""

from collections.abc import Sequence

from msgspec import Struct

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, BranchId, RunId, SessionId, TurnId, new_uuid
from yarrow.kit.json import JsonObject
from yarrow.runs.errors import SessionBusy
from yarrow.runs.model import ClaimedRun
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.errors import BranchExists, SessionNotFound
from yarrow.sessions.model import MAIN_BRANCH, Branch, NewBranch, TurnRef, TurnStatus
from yarrow.stories import store, turn_state_store
from yarrow.stories.branch_names import require_branch_name
from yarrow.stories.errors import (
    SnapshotMissing,
    SourceTurnNotFound,
)
from yarrow.stories.lock import lock_open_story
from yarrow.stories.session_state import require_writable
from yarrow.stories.session_state_rules import StateWrite
from yarrow.stories.story_access import require_answerable
from yarrow.stories.turn_input import PENDING, TurnInput, parse_turn_input
from yarrow.variables import store as variables
from yarrow.variables.model import Scope, ScopeRef


class TurnPlace(Struct, frozen=True):
    """The branch of a turn that is about to start; `created` if it was made for this turn."""

    branch: str
    created: BranchId | None = None
    after: TurnId | None = None
    """The turn of the branch that it must follow."""


class StartedTurn(Struct, frozen=True):
    """The turn of a run."""

    turn_id: TurnId
    seq: int
    branch: str
    input: TurnInput
    replaces: TurnId | None = None
    accepted_ms: int = 0
    """Only where it was read from the database."""

    @property
    def number(self) -> int:
        """Counted from zero."""
        return self.seq - 1


async def place_turn(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str | None,
    source: TurnId | None,
    state_writes: Sequence[StateWrite] = (),
) -> TurnPlace:
    """Find the branch that a new turn belongs to, or make one that appears with its commit.

    `source` is the turn that it follows; without one it follows the branch's last. `state_writes`
    is the session state that the turn is to write.
    """
    name = MAIN_BRANCH if branch is None else branch
    require_branch_name(name)
    async with database.connection() as tx:
        story = await store.find_answering_story(tx, account_id, session_id, branch=name)
        if story is None:
            raise SessionNotFound(str(session_id))
        require_answerable(story)
        await require_writable(tx, account_id, session_id, state_writes, branch=branch)
        if story.has_branch and source is None:
            return TurnPlace(name)
        found = await branch_store.find_branch(tx, session_id, name)
        if found is not None and source is None:  # another turn has just made it
            return TurnPlace(name)
        if found is not None and await _find_last_turn(tx, session_id, name) == source:
            return TurnPlace(name, after=source if found.own_turns else None)
        source_turn = None if source is None else await find_source(tx, session_id, source)
    if branch is None:
        name = make_branch_name()
    elif found is not None and found.own_turns:
        raise BranchExists(name)
    async with database.transaction() as tx:
        await lock_open_story(tx, account_id, session_id)
        present = await branch_store.find_branch(tx, session_id, name)
        if present is None or not present.own_turns:
            if source_turn is None:
                source_turn = await _find_last_of_main(tx, session_id)
            values = await _read_snapshot(tx, source_turn)
            fork = await make_fork(tx, session_id, name, source_turn)
            return await create_branch(tx, account_id, session_id, fork, values)
    # Another turn made the branch while this one waited for the lock.
    return await place_turn(
        database, account_id, session_id, branch=name, source=source, state_writes=state_writes
    )


async def release_place(database: Database, place: TurnPlace) -> None:
    """Remove the branch that was made for a turn which could not start.

    After a lost connection the turn may have started all the same: then the branch stays.
    """
    if place.created is not None:
        async with database.transaction() as tx:
            await branch_store.abandon_branch(tx, place.created)


async def find_started_turn(
    database: Database, run_id: RunId, claimed: ClaimedRun | None = None
) -> StartedTurn:
    """Find the turn of a run; `claimed` is the run if it is executed in this process."""
    if claimed is not None and (turn := _read_claimed(claimed)) is not None:
        return turn
    async with database.connection() as tx:
        row = await turn_state_store.find_run_turn(tx, run_id)
    options = row["options"] or {}
    return StartedTurn(
        TurnId(row["id"]),
        row["seq"],
        row["branch"],
        parse_turn_input(options),
        row["replaces"],
        accepted_ms=int(row["accepted_at"].timestamp() * 1000),
    )


def _read_claimed(run: ClaimedRun) -> StartedTurn | None:
    """The turn of a run, unless facts about it are only in the database: the name that its branch
    will have, or which turn a retried one replaced."""
    turn = parse_turn_input(run.input.options)
    if run.is_retry or turn.branch.startswith(PENDING):
        return None
    return StartedTurn(run.turn_id, run.turn_seq, turn.branch, turn, run.replaces)


async def find_source(tx: Tx, session_id: SessionId, turn_id: TurnId) -> TurnRef:
    turn = await turn_store.find_turn(tx, turn_id)
    if turn is None or turn.session_id != session_id or turn.status is not TurnStatus.ANSWERED:
        raise SourceTurnNotFound(str(turn_id))
    return turn


async def _find_last_turn(tx: Tx, session_id: SessionId, branch: str) -> TurnId | None:
    """The last answered turn on the path to a branch's end."""
    return await turn_store.find_last_answered(tx, session_id, branch)


async def _find_last_of_main(tx: Tx, session_id: SessionId) -> TurnRef | None:
    last = await _find_last_turn(tx, session_id, MAIN_BRANCH)
    return None if last is None else await turn_store.find_turn(tx, last)


async def _read_snapshot(tx: Tx, turn: TurnRef | None) -> JsonObject:
    """The variables after a turn; none before the first."""
    if turn is None:
        return {}
    state = await turn_state_store.find_state(tx, turn.id)
    if state is None:
        raise SnapshotMissing(str(turn.id))
    return state.variables


def make_branch_name() -> str:
    return f"branch-{new_uuid().hex[-8:]}"


async def make_fork(tx: Tx, session_id: SessionId, name: str, after: TurnRef | None) -> NewBranch:
    """A branch after a turn, or without any, that gets its name with its first answer."""
    branch_id = BranchId(new_uuid())
    pending = f"{PENDING}{branch_id}"
    if after is not None:
        return NewBranch(branch_id, pending, after.branch_id, after.id, after.seq, name)
    main = await _require_main(tx, session_id)
    return NewBranch(branch_id, pending, main.id, None, 0, name)


async def _require_main(tx: Tx, session_id: SessionId) -> Branch:
    (main,) = await branch_store.read_branches(tx, session_id, MAIN_BRANCH)
    return main


async def create_branch(
    tx: Tx,
    account_id: AccountId,
    session_id: SessionId,
    fork: NewBranch,
    values: JsonObject,
) -> TurnPlace:
    """Insert a branch that waits for its name, with its variables. The session is locked."""
    assert fork.wanted_name is not None
    if not await branch_store.reserve_name(tx, session_id, fork.wanted_name):
        raise SessionBusy(fork.wanted_name)
    await branch_store.insert_branch(tx, session_id, fork)
    scope = ScopeRef(Scope.BRANCH, str(fork.id), session_id)
    await variables.write_variables(tx, account_id, scope, values)
    if fork.after is not None:
        await turn_state_store.continue_new_branch(tx, fork.id, fork.after)
    return TurnPlace(fork.name, created=fork.id)
