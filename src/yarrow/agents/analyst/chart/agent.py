"""The analyst: explores tables with tools and takes one action after the other.

A run pauses when the analyst asks, explains or hands over. The turn that answers the pause
continues from the messages of the session; no other state is stored.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from yarrow.agents.analyst.chart.offline_chart import offline_chart
from yarrow.agents.analyst.chart.path import messages_leading_to
from yarrow.agents.analyst.chart.prompt import build_prompt
from yarrow.agents.analyst.chart.turn import AnalystTurn, count_charts
from yarrow.agents.analyst.input import AnalystInput, read_input
from yarrow.agents.analyst.workspace import AnalystWorkspace, AnalystWorkspaces, TableSummary
from yarrow.agents.conversation.conversation import start_conversation
from yarrow.kit.signing import HmacSigner
from yarrow.runs.agent import RunContext
from yarrow.runs.events import Progressed, RunEvent
from yarrow.runs.model import AgentSpec

DEADLINE_S = 600


class Analyst:
    """Answers questions about tables with charts."""

    spec = AgentSpec(name="analyst", price=0, deadline_s=DEADLINE_S)

    def __init__(
        self, workspaces: AnalystWorkspaces, signer: HmacSigner, *, has_model: bool
    ) -> None:
        self._workspaces, self._signer, self._has_model = workspaces, signer, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        builds_on = read_input(context.run.input).builds_on
        context = replace(context, history=messages_leading_to(context.history, builds_on))
        analyst_input = read_input(context.run.input, context.history)
        async with self._workspaces.open(context.run.account_id, analyst_input) as workspace:
            yield Progressed("building_context")
            tables = await workspace.summarise()
            if self._has_model or context.run.input.model:
                events = self._turn(context, analyst_input, workspace, tables).run()
            else:
                events = offline_chart(context, workspace, tables=tables, signer=self._signer)
            async for event in events:
                yield event

    def _turn(
        self,
        context: RunContext,
        analyst_input: AnalystInput,
        workspace: AnalystWorkspace,
        tables: Sequence[TableSummary],
    ) -> AnalystTurn:
        python = workspace.can_run_python
        return AnalystTurn(
            context,
            analyst_input,
            conversation=start_conversation(context, self.spec),
            workspace=workspace,
            messages=build_prompt(context, analyst_input, tables, can_run_python=python),
            signer=self._signer,
            steps=analyst_input.completed_steps + count_charts(context.history),
        )
