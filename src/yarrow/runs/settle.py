"""Settle a run: transaction 2. Messages, turn, points, status and last event, or none of them."""

import logging
from typing import assert_never

from yarrow.db import Tx
from yarrow.errors import RunFenced
from yarrow.ids import MessageId
from yarrow.journal import EventChunk, RunLog
from yarrow.journal.events import RunCancelled, RunFailed, RunSucceeded, RunUsage, TerminalEvent
from yarrow.journal.snapshot import Snapshot, build_messages, build_run_result, fold_events
from yarrow.kit.telemetry import span
from yarrow.points import store as points
from yarrow.points.model import Charge
from yarrow.runs import store, transitions
from yarrow.runs.engine import Engine
from yarrow.runs.errors import RunWasCancelled, TurnNotLive
from yarrow.runs.model import (
    Cancelled,
    ClaimedRun,
    CommitPart,
    Failed,
    Outcome,
    RunStatus,
    Succeeded,
)
from yarrow.sessions import supersede_store
from yarrow.sessions.model import NewMessage, SessionStatus

log = logging.getLogger("yarrow.runs")

NO_PART = CommitPart()


async def settle(
    engine: Engine, run: ClaimedRun, run_log: RunLog, outcome: Outcome
) -> TerminalEvent:
    """Store the outcome and return the run's last event.

    Raises `RunFenced` when another attempt owns the run, and `RunWasCancelled` when a success
    comes after the cancel was requested: then nothing was written.
    """
    snapshot, status = fold_events(run_log.events), _choose_status(outcome)
    last = _make_last_event(engine, run, snapshot, outcome)
    await engine.journal.stop_flushing(run_log)
    with span("run.settle", run_id=run.id, status=status):
        await _write_outcome(engine, run, outcome, snapshot, run_log, last)
    engine.ended_runs.labels(run.agent, status.value).inc()
    log.info("run.settled", extra={"run_id": str(run.id), "status": status, "attempt": run.attempt})
    return last


async def _write_outcome(
    engine: Engine,
    run: ClaimedRun,
    outcome: Outcome,
    snapshot: Snapshot,
    run_log: RunLog,
    last: TerminalEvent,
) -> None:
    part = _make_part(engine, run, snapshot) if isinstance(outcome, Succeeded) else None
    one_statement = part is not None
    if not isinstance(outcome, Succeeded):
        one_statement = engine.find_discard(run) is None and not run.input.is_continuation
    database, chunk = engine.database, run_log.make_settlement_chunk(last)
    async with (
        engine.admission.slot(run.account_id),
        database.connection() if one_statement else database.transaction() as tx,
    ):
        match outcome:
            case Succeeded():
                ended = await _complete_run(engine, tx, run, snapshot, chunk, part)
            case Failed() | Cancelled():
                ended = await _fail_run(engine, tx, run, outcome, chunk)
                if ended and (discard := engine.find_discard(run)) is not None:
                    await discard(tx, run, run_log.events)
            case _:
                assert_never(outcome)
        if not ended:
            raise RunWasCancelled if await store.is_cancelled(tx, run) else RunFenced


async def _fail_run(
    engine: Engine, tx: Tx, run: ClaimedRun, outcome: Failed | Cancelled, chunk: EventChunk
) -> bool:
    failure = outcome.reason if isinstance(outcome, Failed) else None
    ended = await transitions.fail_run(
        tx,
        run,
        status=_choose_status(outcome),
        failure=failure,
        session_status=SessionStatus.PENDING if failure is None else SessionStatus.FAILED,
        chunk=chunk,
        notifies=engine.notifications.has_other_listeners,
    )
    if ended and run.input.is_continuation:
        await supersede_store.delete_tool_results(tx, run.turn_id, run_key=run.key)
    return ended


async def _complete_run(
    engine: Engine,
    tx: Tx,
    run: ClaimedRun,
    snapshot: Snapshot,
    chunk: EventChunk,
    part: CommitPart | None,
) -> bool:
    spec = engine.agent(run.agent).spec
    messages, answer = build_messages(
        snapshot,
        run_key=run.key,
        price=engine.token_price,
        now_ms=engine.now_ms(),
        new_id=engine.new_id,
        visibility=spec.visibility,
    )
    slot = await _remove_replaced(tx, run)
    is_waived = engine.is_offline(run.input)
    charge = _make_charge(run, answer) if run.price > 0 and not is_waived else None
    if not await transitions.complete_run(
        tx,
        run,
        messages=messages,
        chunk=chunk,
        charge=charge,
        notifies=engine.notifications.has_other_listeners,
        part=part or NO_PART,
    ):
        return False
    if slot is not None:
        await supersede_store.append_version(tx, answer.id, slot=slot)
    if snapshot.tools:
        await store.insert_tool_executions(tx, run.id, list(snapshot.tools.values()))
    if is_waived:
        await _waive_price(tx, run)
    if part is None and (write_domain := spec.commit) is not None:
        await write_domain(tx, run, snapshot)
    return True


async def _waive_price(tx: Tx, run: ClaimedRun) -> None:
    """Release what another process held for a run that was answered without a model."""
    if run.price > 0:
        await store.set_price(tx, run.id, 0)
        await points.release_points(tx, run.account_id, run.price)


def _make_part(engine: Engine, run: ClaimedRun, snapshot: Snapshot) -> CommitPart | None:
    """What `complete_run` stores of a success beside the run; None if it takes more statements."""
    spec, waives = engine.agent(run.agent).spec, run.price > 0 and engine.is_offline(run.input)
    if run.replaces is not None or run.is_retry or waives or snapshot.tools:
        return None
    if spec.commit is None:
        return NO_PART
    return None if spec.commit_part is None else spec.commit_part(run, snapshot)


async def _remove_replaced(tx: Tx, run: ClaimedRun) -> MessageId | None:
    """Take what the run replaces out of its branch; gives the slot of a retried reply.

    The fence comes after it: when this attempt does not own the run, all is rolled back.
    """
    if run.replaces is not None and not await supersede_store.supersede_turn(
        tx, run.replaces, by=run.turn_id, and_later=run.input.replaces_later
    ):
        raise TurnNotLive(str(run.replaces))
    return await supersede_store.deactivate_reply(tx, run.turn_id) if run.is_retry else None


def _measure_usage(engine: Engine, run: ClaimedRun, snapshot: Snapshot) -> RunUsage:
    tokens = (snapshot.input_tokens, snapshot.output_tokens)
    points_charged = 0 if engine.is_offline(run.input) else run.price
    cost = engine.token_price.cost(*tokens)
    return RunUsage(snapshot.model, *tokens, cost=f"{cost:f}", points=points_charged)


def _make_charge(run: ClaimedRun, answer: NewMessage) -> Charge:
    return Charge(
        run_key=run.key,
        session_id=run.session_id,
        message_id=answer.id,
        model_code=answer.model_code or "",
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost=answer.cost,
        amount=run.price,
        request_id=run.input.request_id or None,
    )


def _choose_status(outcome: Outcome) -> RunStatus:
    match outcome:
        case Succeeded():
            return RunStatus.SUCCEEDED
        case Failed():
            return RunStatus.FAILED
        case Cancelled():
            return RunStatus.CANCELLED
        case _:
            assert_never(outcome)


def _make_last_event(
    engine: Engine, run: ClaimedRun, snapshot: Snapshot, outcome: Outcome
) -> TerminalEvent:
    match outcome:
        case Succeeded():
            usage = _measure_usage(engine, run, snapshot)
            return RunSucceeded(engine.now_ms(), build_run_result(snapshot), usage)
        case Failed(reason, iteration):
            return RunFailed(engine.now_ms(), reason, iteration)
        case Cancelled():
            return RunCancelled(engine.now_ms())
        case _:
            assert_never(outcome)
