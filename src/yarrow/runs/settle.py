"""Settle a run: transaction 2. Messages, turn, points, status and last event, or none of them."""

import logging
from typing import assert_never

from yarrow.db import Tx
from yarrow.errors import RunFenced, RunWasCancelled
from yarrow.kit.telemetry import span
from yarrow.points import store as points
from yarrow.points.model import Charge
from yarrow.runs import store, transitions
from yarrow.runs.engine import Engine
from yarrow.runs.events import RunCancelled, RunFailed, RunSucceeded, TerminalEvent
from yarrow.runs.journal import Encoded, RunLog, encoded
from yarrow.runs.messages import result_of, transcript
from yarrow.runs.model import (
    Cancelled,
    ClaimedRun,
    Failed,
    Outcome,
    RunStatus,
    Succeeded,
)
from yarrow.runs.snapshot import Snapshot, fold
from yarrow.sessions.model import NewMessage, SessionStatus
from yarrow.sessions.rules import require_sound

log = logging.getLogger("yarrow.runs")


async def settle(
    engine: Engine, run: ClaimedRun, run_log: RunLog, outcome: Outcome
) -> TerminalEvent:
    """Make the outcome final, and give back the run's last event.

    Raises `RunFenced` when this attempt no longer owns the run, and `RunWasCancelled` when a
    success comes after the wish to cancel: then nothing was written.
    """
    snapshot, status = fold(run_log.events), _status(outcome)
    last = _last_event(engine, snapshot, outcome)
    unstored = await engine.journal.hand_over(run_log)
    with span("run.settle", run_id=run.id, status=status):
        await _write(engine, run, outcome, snapshot, [*unstored, encoded(run_log.next_seq, last)])
    engine.count_end(run.agent, status)
    log.info("run.settled", extra={"run_id": str(run.id), "status": status, "attempt": run.attempt})
    return last


async def _write(
    engine: Engine,
    run: ClaimedRun,
    outcome: Outcome,
    snapshot: Snapshot,
    events: list[Encoded],
) -> None:
    database, one_statement = engine.database, run.price == 0 and not snapshot.tools
    async with database.connection() if one_statement else database.transaction() as tx:
        match outcome:
            case Succeeded():
                ended = await _keep_answer(engine, tx, run, snapshot, events)
            case Failed() | Cancelled():
                ended = await _abandon(tx, run, outcome, events)
            case _:
                assert_never(outcome)
        if not ended:
            raise RunWasCancelled if await store.is_cancelled(tx, run) else RunFenced


async def _abandon(
    tx: Tx, run: ClaimedRun, outcome: Failed | Cancelled, events: list[Encoded]
) -> bool:
    failure = outcome.reason if isinstance(outcome, Failed) else None
    ended = await transitions.abandon(
        tx,
        run,
        status=_status(outcome),
        failure=failure,
        leaves=SessionStatus.PENDING if failure is None else SessionStatus.FAILED,
        events=events,
    )
    if ended:
        await points.release(tx, run.account_id, run.price)
    return ended


async def _keep_answer(
    engine: Engine, tx: Tx, run: ClaimedRun, snapshot: Snapshot, events: list[Encoded]
) -> bool:
    spoken = transcript(
        snapshot,
        run_key=run.key,
        price=engine.token_price,
        now_ms=engine.now_ms(),
        new_id=engine.new_id,
        visibility=engine.agent(run.agent).spec.visibility,
    )
    for message in spoken:
        require_sound(message)
    seqs = await transitions.answer(tx, run, messages=spoken, events=events)
    if not seqs:
        return False
    await store.insert_tool_executions(tx, run.id, list(snapshot.tools.values()))
    await points.consume(tx, run.account_id, _charge(run, spoken[-1], seqs[-1]))
    return True


def _charge(run: ClaimedRun, answer: NewMessage, seq: int) -> Charge:
    return Charge(
        run_key=run.key,
        session_id=run.session_id,
        message_id=answer.id,
        message_seq=seq,
        model_code=answer.model_code or "",
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost=answer.cost,
        amount=run.price,
        request_id=run.input.request_id or None,
    )


def _status(outcome: Outcome) -> RunStatus:
    match outcome:
        case Succeeded():
            return RunStatus.SUCCEEDED
        case Failed():
            return RunStatus.FAILED
        case Cancelled():
            return RunStatus.CANCELLED
        case _:
            assert_never(outcome)


def _last_event(engine: Engine, snapshot: Snapshot, outcome: Outcome) -> TerminalEvent:
    match outcome:
        case Succeeded():
            return RunSucceeded(engine.now_ms(), result_of(snapshot))
        case Failed(reason, iteration):
            return RunFailed(engine.now_ms(), reason, iteration)
        case Cancelled():
            return RunCancelled(engine.now_ms())
        case _:
            assert_never(outcome)
