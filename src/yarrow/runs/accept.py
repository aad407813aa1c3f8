"""Accept a run: transaction 1. After it the run will be executed, whatever process dies."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import assert_never

import asyncpg
from msgspec.structs import replace

from yarrow.attachments import store as attachments
from yarrow.db import Tx
from yarrow.errors import InvalidInput
from yarrow.ids import MessageId, RunId, TurnId
from yarrow.kit.telemetry import span
from yarrow.points import store as points
from yarrow.points.charges import require_affordable
from yarrow.points.errors import PointsShort
from yarrow.runs import start_store, store, transitions
from yarrow.runs.acceptance_rules import (
    NEW_SESSION,
    SessionState,
    can_append_without_read,
    can_create_session,
    choose_target,
    complete_request,
    find_failed_input,
    find_previous_acceptance,
    require_run_quota,
    require_startable,
    require_unarchived,
)
from yarrow.runs.branch_queue import POLL_S, join_queue
from yarrow.runs.engine import Engine
from yarrow.runs.errors import BranchQueueTimeout, ClientLeft, SessionBusy
from yarrow.runs.executions import Executions
from yarrow.runs.model import (
    AcceptedRun,
    ClaimedRun,
    QueueWhenBusy,
    RejectWhenBusy,
    RunRequest,
    SessionPolicy,
)
from yarrow.runs.recovery import START_GRACE
from yarrow.runs.transitions import RunStart, StartedRun
from yarrow.sessions import supersede_store, turn_store
from yarrow.sessions.model import MessageDetails, MessageImage, MessageToolResult, Role, TurnStart
from yarrow.sessions.run_targets import ContinueTurn, NewTurn, RetryTurn, RunTarget
from yarrow.sessions.titles import make_title

MAX_TRIES = 5


async def accept(engine: Engine, executions: Executions, request: RunRequest) -> AcceptedRun:
    """Accept the request once, however often it is sent, and start it here if there is capacity.

    Two requests that race for one branch meet at a unique index; the loser reads the session again
    and finds what the winner stored. The run is on disk when this returns; it may begin before.
    """
    with span("run.accept", session_id=request.session_id, agent=request.agent):
        match request.when_busy:
            case RejectWhenBusy():
                accepted = await _accept_now(engine, executions, request)
            case QueueWhenBusy():
                accepted = await _accept_in_order(engine, executions, request, request.when_busy)
            case _:
                assert_never(request.when_busy)
        limit = engine.agent(request.agent).spec.commit_timeout
        await engine.database.wait_for_disk("runs", accepted.ref.id, patience=limit)
        return accepted


async def find_accepted(engine: Engine, request: RunRequest) -> AcceptedRun | None:
    """The run of an earlier request with this key, on disk; None if this is the first one."""
    accepted = find_previous_acceptance(request, await _read_state(engine, request))
    if accepted is not None:
        limit = engine.agent(request.agent).spec.commit_timeout
        await engine.database.wait_for_disk("runs", accepted.ref.id, patience=limit)
    return accepted


async def _accept_now(engine: Engine, executions: Executions, request: RunRequest) -> AcceptedRun:
    for _ in range(MAX_TRIES):
        with executions.reserve(request.account_id) as can_start:
            stored_after = engine.clock()
            own_runs = executions.count_account_runs(request.account_id)
            try:
                result = await _store_run(engine, request, can_start=can_start, own_runs=own_runs)
            except asyncpg.UniqueViolationError:
                continue
            except PointsShort:  # perhaps a duplicate at another server holds them for this run
                if earlier := find_previous_acceptance(request, await _read_state(engine, request)):
                    return earlier
                raise
        match result:
            case AcceptedRun():
                return result
            case StartedRun():
                # Later than that, the job may have led another worker to the run: claim anew.
                is_late = engine.clock() >= stored_after + START_GRACE
                claimed = None if is_late else result.claimed
                await _start_run(engine, executions, result.accepted, claimed)
                return result.accepted
    raise SessionBusy(request.key)


async def _accept_in_order(
    engine: Engine, executions: Executions, request: RunRequest, policy: QueueWhenBusy
) -> AcceptedRun:
    """Wait for the branch behind earlier requests. A repeated request does not wait."""
    if answer := find_previous_acceptance(request, await _read_state(engine, request)):
        return answer
    now = asyncio.get_running_loop().time
    give_up_at = now() + policy.timeout_s
    async with join_queue(engine.database, request) as place:
        while now() < give_up_at:
            if policy.has_left():
                raise ClientLeft(request.key)
            if await place.is_first():
                with suppress(SessionBusy):
                    return await _accept_now(engine, executions, request)
            await asyncio.sleep(POLL_S)
    raise BranchQueueTimeout(request.key, timeout_s=policy.timeout_s)


async def _store_run(
    engine: Engine, request: RunRequest, *, can_start: bool, own_runs: int
) -> AcceptedRun | StartedRun | None:
    """Return the earlier answer, or store a new run; None if the session changed meanwhile.

    A run that can start here is stored as claimed. If this process dies, its job offers it again.
    """
    if not can_start:
        async with engine.database.connection() as tx:
            own_runs = 1 + await store.count_active_runs(tx, request.account_id)
    spec, is_allowed = engine.agent(request.agent).spec, own_runs <= engine.max_runs
    if is_allowed:
        started = await _store_without_read(engine, request, can_start=can_start)
        if started is not None:
            return started
    state = await _read_state(engine, request)
    if (answer := find_previous_acceptance(request, state)) is not None:
        return answer
    target = choose_target(request, state)
    require_startable(state, spec, target)
    require_unarchived(request, state)
    require_run_quota(own_runs, limit=engine.max_runs)
    return await _store_in_session(engine, request, state, target=target, can_start=can_start)


async def _store_without_read(
    engine: Engine, request: RunRequest, *, can_start: bool
) -> StartedRun | None:
    """Store the usual run in one round trip: the first of its session, or the next turn of a
    story. None if anything is in its way; the session says what."""
    spec = engine.agent(request.agent).spec
    if can_append_without_read(request, spec):
        return await _store_next(engine, request, can_start=can_start)
    is_known = engine.known_sessions.get(request.session_id) is not None
    if is_known or not can_create_session(request, spec):
        return None
    return await _store_first(engine, request, can_start=can_start)


async def _store_first(
    engine: Engine, request: RunRequest, *, can_start: bool
) -> StartedRun | None:
    agent = engine.agent(request.agent)
    request = complete_request(request, NEW_SESSION, agent.spec, NewTurn())
    start = _make_start(engine, request, engine.price(agent, request.input), can_start=can_start)
    async with engine.admission.slot(request.account_id), engine.database.connection() as tx:
        started = await transitions.start_first_run(tx, request, start)
    engine.known_sessions.put(request.session_id, value=True)
    return started


async def _store_next(engine: Engine, request: RunRequest, *, can_start: bool) -> StartedRun | None:
    assert isinstance(request.target, NewTurn)
    price = engine.price(engine.agent(request.agent), request.input)
    start = _make_start(engine, request, price, can_start=can_start)
    async with engine.admission.slot(request.account_id), engine.database.connection() as tx:
        return await transitions.start_run(
            tx, request, start, target=request.target, is_checked=False
        )


async def _store_in_session(
    engine: Engine,
    request: RunRequest,
    state: SessionState,
    *,
    target: RunTarget,
    can_start: bool,
) -> StartedRun | None:
    agent, database = engine.agent(request.agent), engine.database
    request = complete_request(request, state, agent.spec, target)
    failed_turn = find_failed_input(state, target)
    price = 0 if isinstance(target, ContinueTurn) else engine.price(agent, request.input)
    start = _make_start(engine, request, price, can_start=can_start)
    one_statement = not request.input.images and failed_turn is None and not request.history
    try:
        async with (
            engine.admission.slot(request.account_id),
            database.connection() if one_statement else database.transaction() as tx,
        ):
            if request.history:
                await turn_store.insert_conversation(
                    tx, request.session_id, request.account_id, request.history
                )
            started = await transitions.start_run(tx, request, start, target=target)
            if started is None:
                raise _NotStored
            if not isinstance(target, RetryTurn):
                await _use_images(tx, request, start.turn)
            if failed_turn is not None:
                await supersede_store.supersede_failed(tx, failed_turn, by=start.turn.turn_id)
    except _NotStored:
        async with database.connection() as tx:
            await _require_affordable(tx, request, price)
        return None
    return started


class _NotStored(Exception):
    """Rolls back what the transaction stored before the run, which could not be started."""


def _make_start(engine: Engine, request: RunRequest, price: int, *, can_start: bool) -> RunStart:
    return RunStart(
        RunId(engine.new_id()),
        _open_turn(engine, request),
        price,
        job_delay=START_GRACE if can_start else timedelta(),
        worker_id=engine.worker_id if can_start else None,
        turn_cap=engine.agent(request.agent).spec.turn_cap,
    )


async def _require_affordable(tx: Tx, request: RunRequest, price: int) -> None:
    """Raise if a run was not stored because its price could not be held."""
    if price > 0:
        require_affordable(await points.read_balance(tx, request.account_id), price)


async def _start_run(
    engine: Engine, executions: Executions, accepted: AcceptedRun, claimed: ClaimedRun | None
) -> None:
    run_id = accepted.ref.id
    if executions.is_running(run_id):
        return
    if executions.start(run_id, claimed):
        engine.journal.announce(run_id)
    elif claimed is not None:
        # This process began to stop while the run was being stored.
        async with engine.database.transaction() as tx:
            await transitions.release_run(tx, claimed)


async def _read_state(engine: Engine, request: RunRequest) -> SessionState:
    if request.session_policy is SessionPolicy.NEW:
        return NEW_SESSION
    turn_cap = engine.agent(request.agent).spec.turn_cap
    async with engine.database.connection() as tx:
        state = await start_store.read_session_state(tx, request, turn_cap)
        if not request.input.tool_results:
            return state
        return replace(state, open_calls=await turn_store.read_open_calls(tx, request.session_id))


async def _use_images(tx: Tx, request: RunRequest, turn: TurnStart) -> None:
    """Bind the images to the message, so that no sweep deletes them; refuse missing ones."""
    paths = sorted({image.path for image in request.input.images})
    if not paths:
        return
    used = await attachments.mark_used(tx, request.account_id, paths, message_id=turn.message_id)
    if used < len(paths):
        raise InvalidInput("an attached image no longer exists; upload it again")


def _open_turn(engine: Engine, request: RunRequest) -> TurnStart:
    results = request.input.tool_results
    return TurnStart(
        account_id=request.account_id,
        session_id=request.session_id,
        turn_id=TurnId(engine.new_id()),
        message_id=MessageId(engine.new_id()),
        role=Role.USER if request.input.text or not results else Role.TOOL,
        text=request.input.text or "\n".join(result.content for result in results),
        details=MessageDetails(
            run_key=request.key,
            client_id=request.input.message_id,
            images=tuple(MessageImage(i.path, i.mime_type) for i in request.input.images),
            options=request.input.options,
            tool_results=tuple(MessageToolResult(r.call_id, r.content) for r in results),
        ),
        title=make_title(request.input.text),
        visibility=engine.agent(request.agent).spec.visibility,
    )
