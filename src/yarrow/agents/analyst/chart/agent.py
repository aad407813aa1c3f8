"""The analyst: looks at tables with tools, takes one action after the other, until it is done.

A run pauses when the analyst asks, explains or hands over; the turn that answers goes on from
there, because the session's messages are all there is to remember.
"""

from collections.abc import AsyncIterator
from dataclasses import replace

from yarrow.agents.analyst.chart.offline_chart import first_look
from yarrow.agents.analyst.chart.path import path_to
from yarrow.agents.analyst.chart.prompt import opening
from yarrow.agents.analyst.chart.turn import AnalystTurn, steps_of
from yarrow.agents.analyst.desk import Desks
from yarrow.agents.analyst.input import read_input
from yarrow.agents.conversation.conversation import Conversation
from yarrow.kit.signing import HmacSigner
from yarrow.runs.agent import RunContext
from yarrow.runs.events import Progressed, RunEvent
from yarrow.runs.model import AgentSpec

DEADLINE_S = 600


class Analyst:
    """Answers questions about tables with charts."""

    spec = AgentSpec(name="analyst", price=0, deadline_s=DEADLINE_S)

    def __init__(self, desks: Desks, sign: HmacSigner, *, has_model: bool) -> None:
        self._desks, self._sign, self._has_model = desks, sign, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        builds_on = read_input(context.run.input).builds_on
        context = replace(context, history=path_to(context.history, builds_on))
        given = read_input(context.run.input, context.history)
        owner = context.run.account_id
        async with self._desks.open(
            owner, given.workspace, given.tables, rows=given.rows_put_down
        ) as desk:
            yield Progressed("building_context")
            tables = await desk.facts()
            if not self._has_model and not context.run.input.model:
                async for event in first_look(context, desk, tables=tables, sign=self._sign):
                    yield event
                return
            messages = opening(context, given, tables, can_run_python=desk.can_run_python)
            turn = AnalystTurn(
                context,
                given,
                conversation=Conversation(
                    context.model, context.new_id, deadline_s=self.spec.deadline_s
                ),
                desk=desk,
                messages=messages,
                sign=self._sign,
                steps=given.completed_steps + steps_of(context.history),
            )
            async for event in turn.run():
                yield event
