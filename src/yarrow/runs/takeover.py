"""Take a run over from a worker that was lost: repeat what it completed, void the rest."""

import logging
from collections.abc import AsyncIterator, Sequence

from msgspec.structs import replace

from yarrow.journal.events import INTERNAL, RunEvent, RunRestarted
from yarrow.journal.snapshot import fold_events
from yarrow.journal.steps import CompletedSteps, StepsDiverged
from yarrow.runs.agent import Agent, RunContext
from yarrow.runs.engine import Engine
from yarrow.runs.model import ClaimedRun

log = logging.getLogger("yarrow.runs")


class Takeover:
    """The start of an attempt after the first."""

    def __init__(self, engine: Engine, run: ClaimedRun, earlier: Sequence[RunEvent]) -> None:
        self._engine, self._run = engine, run
        self._steps = CompletedSteps(earlier)
        self.restart = self._make_restart(earlier)
        """Voids all events of earlier attempts, and repeats none."""

    def _make_restart(self, void: Sequence[RunEvent]) -> RunRestarted:
        snapshot = fold_events(list(void))
        return RunRestarted(
            self._run.attempt,
            self._engine.now_ms(),
            void_messages=snapshot.message_ids,
            open_messages=snapshot.open_messages,
            open_reasoning=snapshot.open_reasoning,
            open_calls=snapshot.open_calls,
            open_steps=tuple(snapshot.open_steps),
        )

    async def resume_agent(
        self, agent: Agent, context: RunContext, *, opening: Sequence[RunEvent]
    ) -> AsyncIterator[RunEvent]:
        """The restart and the completed steps, at once, as a replay may wait; then what the agent
        does behind them, or a restart that voids them and its events behind `opening`."""
        restart, steps = self.restart, self._steps.events
        await self._discard_stored(steps)
        if steps:
            numbers = sum(not isinstance(event, INTERNAL) for event in steps)
            repeating = replace(restart, repeated=len(steps), repeated_numbers=numbers)
            for event in (repeating, *steps):
                yield event
            try:
                async for event in self._replay_agent(agent, context):
                    yield event
            except StepsDiverged:
                log.warning("run.steps_diverged", extra={"run_id": str(self._run.id)})
            else:
                return
            context.warnings.clear()
            await self._discard_stored(())
            restart = self._make_restart((repeating, *steps))
        for event in (restart, *opening):
            yield event
        async for event in agent.run(context):
            yield event

    async def _replay_agent(self, agent: Agent, context: RunContext) -> AsyncIterator[RunEvent]:
        """Execute the agent on the records; yield what is behind them, or raise `StepsDiverged`."""
        steps = self._steps
        async for event in agent.run(replace(context, steps=steps)):
            if not steps.is_replaying:
                yield event
                continue
            steps.confirm(event)
            context.warnings.clear()
        if steps.is_replaying:
            raise StepsDiverged

    async def _discard_stored(self, events: Sequence[RunEvent]) -> None:
        """Remove what earlier attempts stored outside the journal and these events do not show."""
        if (discard := self._engine.find_discard(self._run)) is not None:
            async with self._engine.database.transaction() as tx:
                await discard(tx, self._run, events)


async def read_takeover(engine: Engine, run: ClaimedRun) -> Takeover:
    """The takeover of a run with what the journal has of its earlier attempts."""
    earlier = await engine.journal.read(run.id)
    return Takeover(engine, run, [each.event for each in earlier])
