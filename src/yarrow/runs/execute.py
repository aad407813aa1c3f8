"""Execute a run: claim it, let its agent speak into the journal, settle what came of it."""

import asyncio
import logging
from contextlib import ExitStack
from datetime import timedelta
from functools import partial

from yarrow.errors import (
    AnswerEmpty,
    AnswerFiltered,
    AnswerUnusable,
    DatabaseUnavailable,
    ModelBroken,
    ModelDenied,
    ModelError,
    ModelFailed,
    ModelForbidden,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
    PromptTooLong,
    RunFenced,
    RunWasCancelled,
)
from yarrow.ids import RunId
from yarrow.kit.telemetry import span
from yarrow.kit.warnings import StreamWarning, collecting_warnings
from yarrow.runs import store
from yarrow.runs.agent import Agent, RunContext
from yarrow.runs.engine import Engine
from yarrow.runs.events import FailureReason, RunRestarted, RunStarted, Warned
from yarrow.runs.executions import Claim, Slots, StopReason
from yarrow.runs.images import IMAGE_NOT_AVAILABLE, load_image
from yarrow.runs.journal import RunLog
from yarrow.runs.model import (
    MAX_ATTEMPTS,
    Cancelled,
    ClaimedRun,
    Failed,
    Outcome,
    Succeeded,
)
from yarrow.runs.settle import settle
from yarrow.runs.snapshot import fold
from yarrow.sessions import store as sessions
from yarrow.sessions.model import Message

log = logging.getLogger("yarrow.runs")

PATIENCE = timedelta(seconds=120)
"""How long a settlement waits for a database that went away."""

RETRY_S = 0.2
EVENTS_AT_A_STRETCH = 200
"""A model that never pauses must not keep the process from everybody else."""
MAX_EVENTS = 100_000
"""More than any answer has; a model that goes on and on is broken."""

FOREIGN_IMAGE = "An image at another server's address is not fetched; upload it here instead."
MODEL_IGNORED = "MODEL_IGNORED"
SERVERS_MODEL = "The model that was named has no api_base, so the server's own model is asked."

MODEL_FAILURES: dict[type[ModelError], FailureReason] = {
    ModelUnreachable: FailureReason.MODEL_UNREACHABLE,
    ModelTimeout: FailureReason.MODEL_TIMEOUT,
    ModelRateLimited: FailureReason.MODEL_RATE_LIMITED,
    ModelRefused: FailureReason.MODEL_REFUSED,
    ModelFailed: FailureReason.MODEL_FAILED,
    ModelDenied: FailureReason.MODEL_DENIED,
    ModelForbidden: FailureReason.MODEL_FORBIDDEN,
    ModelUnknown: FailureReason.MODEL_UNKNOWN,
    PromptTooLong: FailureReason.PROMPT_TOO_LONG,
    AnswerFiltered: FailureReason.ANSWER_FILTERED,
    AnswerUnusable: FailureReason.ANSWER_UNUSABLE,
    AnswerEmpty: FailureReason.ANSWER_EMPTY,
}


class Executor:
    """Carries runs from claim to settlement; `slots` tells it why a task was cancelled."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.slots: Slots

    async def __call__(self, run_id: RunId, claimed: ClaimedRun | None) -> Claim:
        """Do a run that is claimed already, or is free to take."""
        engine = self._engine
        run = claimed or await self._claim(run_id)
        if run is None:
            return await self._whereabouts(run_id)
        run_log = engine.journal.open(run.id, attempt=run.attempt, first_seq=run.first_seq)
        with (
            span("run.execute", run_id=str(run.id), agent=run.agent, attempt=run.attempt),
            ExitStack() as unsettled,
        ):
            # The run stays ours then, and its job leads us or another one back to it.
            unsettled.callback(engine.journal.discard, run_log)
            outcome = await self._attempt(run, run_log)
            if outcome is None:
                await asyncio.shield(self._hand_back(run, run_log))
                return Claim.HANDED_BACK
            await asyncio.shield(self._settle(run, run_log, outcome))
            unsettled.pop_all()
        return Claim.DONE

    async def _claim(self, run_id: RunId) -> ClaimedRun | None:
        engine = self._engine
        run = None
        try:
            async with engine.database.connection() as tx:
                run = await store.claim(tx, run_id, worker_id=engine.worker_id, lease=engine.lease)
        finally:
            if run is None:
                engine.journal.expect_no_more(run_id)
        return run

    async def _whereabouts(self, run_id: RunId) -> Claim:
        async with self._engine.database.connection() as tx:
            ended = await store.has_ended(tx, run_id)
        return Claim.DONE if ended else Claim.ELSEWHERE

    async def _attempt(self, run: ClaimedRun, run_log: RunLog) -> Outcome | None:
        """What came of the attempt; None when the run is to be handed back."""
        self._engine.journal.append(run_log, await self._opening(run))
        if run.cancel_requested:
            return Cancelled()
        if run.attempt > MAX_ATTEMPTS:
            return Failed(FailureReason.WORKER_LOST)
        # A task of its own: stopping it can never cut into the settlement that follows.
        speaking = asyncio.create_task(self._speak(run, run_log))
        try:
            with self.slots.stoppable(run.id, speaking.cancel):
                await asyncio.wait({speaking})
        finally:
            speaking.cancel()
        if speaking.cancelled():
            return self._outcome_of_stop(run.id)
        return speaking.result()

    def _outcome_of_stop(self, run_id: RunId) -> Outcome | None:
        return Cancelled() if self.slots.reason(run_id) is StopReason.CANCEL else None

    async def _speak(self, run: ClaimedRun, run_log: RunLog) -> Outcome | None:
        try:
            agent = self._engine.agent(run.agent)
            async with asyncio.timeout(agent.spec.deadline_s):
                await self._journal_events(agent, run, run_log)
        except TimeoutError:
            return Failed(FailureReason.DEADLINE)
        except DatabaseUnavailable:
            return None
        except ModelError as error:
            reason = MODEL_FAILURES.get(type(error), FailureReason.MODEL_BROKEN)
            log.warning("run.model_failed", extra={"run_id": str(run.id), "reason": reason})
            iteration = error.iteration if isinstance(error, AnswerUnusable) else None
            return Failed(reason, iteration)
        except Exception:
            log.exception("run.crashed", extra={"run_id": str(run.id), "agent": run.agent})
            return Failed(FailureReason.INTERNAL)
        return Succeeded()

    async def _journal_events(self, agent: Agent, run: ClaimedRun, run_log: RunLog) -> None:
        journal = self._engine.journal
        if run.input.images_left_out:
            journal.append(run_log, Warned(IMAGE_NOT_AVAILABLE, FOREIGN_IMAGE))
        if run.input.model_left_out:
            journal.append(run_log, Warned(MODEL_IGNORED, SERVERS_MODEL))
        context = await self._context(run)
        with collecting_warnings() as warnings:
            async for event in agent.run(context):
                if warnings:
                    self._warn(run_log, warnings)
                journal.append(run_log, event)
                if len(run_log.events) % EVENTS_AT_A_STRETCH == 0:
                    await self._breathe(run_log)
            self._warn(run_log, warnings)

    def _warn(self, run_log: RunLog, warnings: list[StreamWarning]) -> None:
        """Say what was collected since the last event, and forget it."""
        for warning in warnings:
            self._engine.journal.append(run_log, Warned(warning.code, warning.message))
        warnings.clear()

    async def _breathe(self, run_log: RunLog) -> None:
        """Let others have the loop, and end a run that never ends."""
        if len(run_log.events) >= MAX_EVENTS:
            raise ModelBroken
        await asyncio.sleep(0)

    async def _opening(self, run: ClaimedRun) -> RunStarted | RunRestarted:
        began = self._engine.now_ms()
        if run.attempt == 1:
            return RunStarted(began)
        earlier = await self._engine.journal.read(run.id, after=0)
        if not earlier:
            return RunStarted(began)
        left = fold([numbered.event for numbered in earlier])
        return RunRestarted(
            run.attempt,
            began,
            void_messages=left.said,
            open_messages=left.open_messages,
            open_reasoning=left.open_reasoning,
            open_calls=left.open_calls,
            open_steps=tuple(left.open_steps),
        )

    async def _context(self, run: ClaimedRun) -> RunContext:
        engine = self._engine
        history: tuple[Message, ...] = ()
        if run.turn_seq > 1:
            async with engine.database.connection() as tx:
                history = await sessions.read_answered(tx, run.session_id)
        return RunContext(
            run,
            history,
            engine.model_for(run.input),
            engine.tools,
            engine.clock,
            engine.new_id,
            load_image=partial(load_image, engine.storage),
        )

    async def _settle(self, run: ClaimedRun, run_log: RunLog, outcome: Outcome) -> None:
        """Write the end down; an answer that cannot be kept is a failure like any other."""
        try:
            await self._settle_patiently(run, run_log, outcome)
        except DatabaseUnavailable:
            raise
        except RunWasCancelled:
            await self._settle_patiently(run, run_log, Cancelled())
        except Exception:
            log.exception("run.answer_not_kept", extra={"run_id": str(run.id)})
            await self._settle_patiently(run, run_log, Failed(FailureReason.INTERNAL))

    async def _settle_patiently(self, run: ClaimedRun, run_log: RunLog, outcome: Outcome) -> None:
        """A database that is away is waited for; a run that is another's by now is let go."""
        engine = self._engine
        give_up = engine.clock() + PATIENCE
        while True:
            try:
                last = await settle(engine, run, run_log, outcome)
            except RunFenced:
                log.warning("run.fenced", extra={"run_id": str(run.id), "attempt": run.attempt})
                engine.journal.discard(run_log)
                return
            except DatabaseUnavailable:
                if engine.clock() > give_up:
                    raise
                await asyncio.sleep(RETRY_S)
            else:
                engine.journal.settled(run_log, last)
                return

    async def _hand_back(self, run: ClaimedRun, run_log: RunLog) -> None:
        await self._engine.journal.store(run_log)
        async with self._engine.database.transaction() as tx:
            await store.hand_back(tx, run)
        log.info("run.handed_back", extra={"run_id": str(run.id)})
