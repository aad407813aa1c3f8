"""Execute a run: claim it, append its agent's events to the journal, settle the outcome."""

import asyncio
import logging
from contextlib import ExitStack
from datetime import timedelta
from functools import partial

import asyncpg

from yarrow.attachments.images import IMAGE_NOT_AVAILABLE, load_image
from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import RunFenced
from yarrow.ids import RunId
from yarrow.journal import RunLog
from yarrow.journal.events import FailureReason, RunEvent, RunStarted, Warned
from yarrow.kit.limiter import set_owner
from yarrow.kit.telemetry import span
from yarrow.llm.errors import AnswerUnusable, ModelBroken, ModelError
from yarrow.runs import transitions
from yarrow.runs.agent import Agent, RunContext
from yarrow.runs.engine import Engine
from yarrow.runs.errors import (
    AgentRefused,
    CommitConflict,
    NoTextToKeep,
    RunWasCancelled,
    TurnNotLive,
)
from yarrow.runs.executions import TASK_NAME, ExecutionResult, StopReason, StopSignal, await_or_log
from yarrow.runs.finish_signal import FinishSignal
from yarrow.runs.model import AgentSpec, Cancelled, ClaimedRun, Failed, Outcome, RunInput, Succeeded
from yarrow.runs.recovery import MAX_ATTEMPTS
from yarrow.runs.settle import settle
from yarrow.runs.takeover import Takeover, read_takeover
from yarrow.sessions import store as sessions
from yarrow.sessions.model import Message

log = logging.getLogger("yarrow.runs")

SETTLE_TIMEOUT = timedelta(seconds=120)
"""How long a settlement waits for a database that went away, unless its agent says otherwise."""
BUSY_TIMEOUT = timedelta(hours=1)
"""How long the failure waits that replaces such an answer; after that the run is taken over."""
RETRY_S = 0.2
MESSAGE_SEQ = "ux_messages_session_seq"
EVENTS_BETWEEN_YIELDS = 200
"""A model that never pauses must not block the event loop."""
MAX_EVENTS = 100_000
"""More than any answer has; the model is broken then."""

FOREIGN_IMAGE = "An image at another server's address is not fetched; upload it here instead."
MESSAGES_IGNORED = "MESSAGES_IGNORED"
CLIENT_MESSAGES = (
    "This agent has its own instructions and begins without a conversation: the system, developer "
    "and assistant messages that were sent are not used."
)
MODEL_IGNORED = "MODEL_IGNORED"
SERVERS_MODEL = "The model that was named has no api_base, so the server's own model is asked."


class Executor:
    """Takes runs from claim to settlement."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def __call__(
        self, run_id: RunId, claimed: ClaimedRun | None, stop: StopSignal
    ) -> ExecutionResult:
        """Execute a run that is claimed already, or claim it first."""
        engine = self._engine
        run = claimed or await self._claim_run(run_id)
        if run is None:
            return ExecutionResult.NOT_CLAIMED
        run_log = engine.journal.open(run.id, attempt=run.attempt)
        with (
            span("run.execute", run_id=str(run.id), agent=run.agent, attempt=run.attempt),
            ExitStack() as unsettled,
        ):
            # If settling fails, the run stays claimed by us and its job leads a worker back to it.
            unsettled.callback(engine.journal.discard, run_log)
            outcome = await self._attempt(run, run_log, stop)
            if outcome is None:
                await asyncio.shield(self._release_run(run, run_log))
                return ExecutionResult.RELEASED
            await asyncio.shield(self._settle_run(run, run_log, outcome))
            unsettled.pop_all()
        return ExecutionResult.ENDED

    async def _claim_run(self, run_id: RunId) -> ClaimedRun | None:
        engine = self._engine
        run = None
        try:
            async with engine.database.reserved_connection() as tx:
                run = await transitions.claim_run(
                    tx, run_id, worker_id=engine.worker_id, lease=engine.lease
                )
        finally:
            if run is None:
                engine.journal.withdraw(run_id)
        return run

    async def _attempt(self, run: ClaimedRun, run_log: RunLog, stop: StopSignal) -> Outcome | None:
        """Run the agent once; None when the run is to be released."""
        journal, takeover = self._engine.journal, None
        if run.attempt == 1:
            journal.append(run_log, RunStarted(self._engine.now_ms()))
        else:
            takeover = await read_takeover(self._engine, run)
        outcome = await self._run_stoppable(run, run_log, stop, takeover)
        if outcome is not None and takeover is not None and not run_log.events:
            journal.append(run_log, takeover.restart)
        return outcome

    async def _run_stoppable(
        self, run: ClaimedRun, run_log: RunLog, stop: StopSignal, takeover: Takeover | None
    ) -> Outcome | None:
        if run.cancel_requested:
            return Cancelled()
        if run.attempt > MAX_ATTEMPTS:
            return Failed(FailureReason.WORKER_LOST)
        # The agent has a task of its own: stopping it never cuts into the settlement.
        agent_run = await_or_log(
            self._run_agent(run, run_log, stop.finish, takeover),
            on_error=Failed(FailureReason.INTERNAL),
            event="run.crashed",
            run_id=run.id,
            agent=run.agent,
        )
        running = asyncio.create_task(agent_run, name=f"{TASK_NAME}{run.id}")
        try:
            with stop.interrupting(running.cancel):
                await asyncio.wait({running})
        finally:
            running.cancel()
        if running.cancelled():
            return Cancelled() if stop.reason is StopReason.CANCEL else None
        return running.result()

    async def _run_agent(
        self, run: ClaimedRun, run_log: RunLog, finish: FinishSignal, takeover: Takeover | None
    ) -> Outcome | None:
        set_owner(run.account_id)
        try:
            agent = self._engine.agent(run.agent)
            async with asyncio.timeout(agent.spec.deadline_s) as deadline:
                context = await self._context(run, run_log, finish)
                await self._append_events(agent, context, run_log, takeover)
        except TimeoutError:
            if not deadline.expired():
                raise
            return Failed(FailureReason.DEADLINE)
        except NoTextToKeep:
            return Cancelled()
        except (DatabaseUnavailable, RunFenced):
            return None
        except ModelError as error:
            reason = FailureReason(error.reason)
            log.warning("run.model_failed", extra={"run_id": str(run.id), "reason": reason})
            iteration = error.iteration if isinstance(error, AnswerUnusable) else None
            return Failed(reason, iteration)
        except AgentRefused as error:
            log.warning("run.refused", extra={"run_id": str(run.id), "reason": error.reason})
            return Failed(error.reason)
        return Succeeded()

    async def _append_events(
        self, agent: Agent, context: RunContext, run_log: RunLog, takeover: Takeover | None
    ) -> None:
        journal, opening = self._engine.journal, _list_warnings(agent.spec, context.run.input)
        if takeover is None:
            for warned in opening:
                journal.append(run_log, warned)
        events = (
            agent.run(context)
            if takeover is None
            else takeover.resume_agent(agent, context, opening=opening)
        )
        async for event in events:
            if context.warnings:
                self._append_warnings(run_log, context.warnings)
            journal.append(run_log, event)
            if len(run_log.events) % EVENTS_BETWEEN_YIELDS == 0:
                await self._yield_to_loop(run_log)
        self._append_warnings(run_log, context.warnings)

    def _append_warnings(self, run_log: RunLog, warnings: list[Warned]) -> None:
        """Append the warnings collected since the last event, and clear the list."""
        for warned in warnings:
            self._engine.journal.append(run_log, warned)
        warnings.clear()

    async def _yield_to_loop(self, run_log: RunLog) -> None:
        """Let other tasks run; fail a run whose model never stops."""
        if len(run_log.events) >= MAX_EVENTS:
            raise ModelBroken
        await asyncio.sleep(0)

    async def _context(self, run: ClaimedRun, run_log: RunLog, finish: FinishSignal) -> RunContext:
        engine = self._engine
        history: tuple[Message, ...] = ()
        # A continued turn is part of its own history, but for the results that this run brings.
        before_seq = run.turn_seq + run.input.is_continuation
        if before_seq > 1 and (turns := engine.agent(run.agent).spec.history_turns) != 0:
            async with engine.database.connection() as tx:
                history = await sessions.read_branch_answers(
                    tx, run.branch_id, before_seq=before_seq, turns=turns
                )
            history = tuple(m for m in history if m.details.run_key != run.key)
        return RunContext(
            run,
            history,
            engine.model_for(run.input),
            engine.tools,
            engine.clock,
            engine.new_id,
            load_image=partial(load_image, engine.storage),
            persist=partial(engine.journal.flush_one, run_log),
            finish=finish,
        )

    async def _settle_run(self, run: ClaimedRun, run_log: RunLog, outcome: Outcome) -> None:
        """Settle the outcome; an answer that cannot be stored becomes a failure."""
        if not await await_or_log(
            self._settle_outcome(run, run_log, outcome),
            on_error=False,
            event="run.answer_not_stored",
            run_id=run.id,
        ):
            await self._settle_with_retry(run, run_log, Failed(FailureReason.INTERNAL))

    async def _settle_outcome(self, run: ClaimedRun, run_log: RunLog, outcome: Outcome) -> bool:
        is_success = isinstance(outcome, Succeeded)
        limit = self._engine.agent(run.agent).spec.commit_timeout if is_success else None
        try:
            await self._settle_with_retry(run, run_log, outcome, limit or SETTLE_TIMEOUT)
        except RunWasCancelled:
            await self._settle_with_retry(run, run_log, Cancelled())
        except (CommitConflict, TurnNotLive):
            log.warning("run.commit_conflict", extra={"run_id": str(run.id)})
            await self._settle_with_retry(run, run_log, Failed(FailureReason.COMMIT_CONFLICT))
        except AgentRefused as refused:
            log.exception("run.commit_refused", extra={"run_id": str(run.id)})
            await self._settle_with_retry(run, run_log, Failed(refused.reason))
        except DatabaseUnavailable:
            if limit is None:
                raise
            log.warning("run.commit_busy", extra={"run_id": str(run.id)})
            # Followers ask the database from now on, and notice that it is away.
            self._engine.journal.discard(run_log)
            run_log.mark_unflushed()
            busy = Failed(FailureReason.COMMIT_BUSY)
            await self._settle_with_retry(run, run_log, busy, BUSY_TIMEOUT)
        return True

    async def _settle_with_retry(
        self,
        run: ClaimedRun,
        run_log: RunLog,
        outcome: Outcome,
        timeout: timedelta = SETTLE_TIMEOUT,
    ) -> None:
        """Wait for a database that is away; discard a run that another attempt owns."""
        engine = self._engine
        give_up_at = engine.clock() + timeout
        while True:
            try:
                last = await settle(engine, run, run_log, outcome)
            except RunFenced:
                log.warning("run.fenced", extra={"run_id": str(run.id), "attempt": run.attempt})
                engine.journal.discard(run_log)
                return
            except asyncpg.UniqueViolationError as race:
                # Another branch of the session took the messages' sequence numbers first.
                if race.constraint_name != MESSAGE_SEQ or engine.clock() > give_up_at:
                    raise
            except DatabaseUnavailable:
                if engine.clock() > give_up_at:
                    raise
                await asyncio.sleep(RETRY_S)
            else:
                engine.journal.close_log(run_log, last)
                return

    async def _release_run(self, run: ClaimedRun, run_log: RunLog) -> None:
        await self._engine.journal.flush_one(run_log)
        async with self._engine.database.transaction() as tx:
            await transitions.release_run(tx, run)
        log.info("run.released", extra={"run_id": str(run.id)})


def _list_warnings(spec: AgentSpec, run_input: RunInput) -> list[RunEvent]:
    """What the run leaves out of its input."""
    warned: list[RunEvent] = []
    if run_input.images_left_out:
        warned.append(Warned(IMAGE_NOT_AVAILABLE, FOREIGN_IMAGE))
    if run_input.model_left_out:
        warned.append(Warned(MODEL_IGNORED, SERVERS_MODEL))
    if (run_input.instructions or run_input.history_left_out) and not spec.takes_client_messages:
        warned.append(Warned(MESSAGES_IGNORED, CLIENT_MESSAGES))
    return warned
