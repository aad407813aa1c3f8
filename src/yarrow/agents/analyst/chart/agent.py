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
from yarrow.agents.analyst.input import read_input
from yarrow.agents.analyst.workspace import AnalystWorkspaces
from yarrow.agents.conversation.conversation import Conversation
from yarrow.kit.signing import HmacSigner
from yarrow.runs.agent import RunContext
from yarrow.runs.events import Progressed, RunEvent
from yarrow.runs.model import AgentSpec

DEADLINE_S = 600


class Analyst:
    """Answers questions about tables with charts."""

    spec = AgentSpec(name="analyst", price=0, deadline_s=DEADLINE_S)

    def __init__(self, workspaces: AnalystWorkspaces, sign: HmacSigner, *, has_model: bool) -> None:
        self._workspaces, self._sign, self._has_model = workspaces, sign, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        builds_on = read_input(context.run.input).builds_on
        context = replace(context, history=path_to(context.history, builds_on))
        given = read_input(context.run.input, context.history)
        async with self._workspaces.open(context.run.account_id, given) as workspace:
            yield Progressed("building_context")
            tables = await workspace.summarise()
            if not self._has_model and not context.run.input.model:
                async for event in first_look(context, workspace, tables=tables, sign=self._sign):
                    yield event
                return
            messages = opening(context, given, tables, can_run_python=workspace.can_run_python)
            turn = AnalystTurn(
                context,
                given,
                conversation=Conversation(
                    context.model, context.new_id, deadline_s=self.spec.deadline_s
                ),
                workspace=workspace,
                messages=messages,
                sign=self._sign,
                steps=given.completed_steps + steps_of(context.history),
            )
            async for event in turn.run():
                yield event
