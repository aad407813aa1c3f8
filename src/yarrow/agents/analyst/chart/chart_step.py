"""One chart step: make the chart, let the model repair its code, and describe the outcome."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from yarrow.agents.analyst.chart.actions import Visualize
from yarrow.agents.analyst.chart.decide import ActionChoice
from yarrow.agents.analyst.chart.make_chart import make_chart
from yarrow.agents.analyst.chart.prompt import FAILED, OBSERVED, REPAIR
from yarrow.agents.analyst.prompt import clip_row
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed
from yarrow.charting import ChartLanguage
from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.signing import HmacSigner
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.product_events.analyst import DrawnChart
from yarrow.runs.events import Progressed, RunEvent, UsageReported, Warned

OBSERVED_ROWS = 3


@dataclass(slots=True)
class ChartStep:
    """A chart to make; after `make` it has either a `chart` or an `error`."""

    action: Visualize
    raw: JsonObject
    """The action as the model wrote it."""
    chart: DrawnChart | None = None
    error: str = ""

    async def make(
        self, workspace: AnalystWorkspace, *, signer: HmacSigner, language: ChartLanguage
    ) -> None:
        try:
            chart = await make_chart(workspace, self.action, signer=signer, language=language)
            self.chart, self.error = chart, ""
        except CodeFailed as failure:
            self.error = str(failure) or "the step failed"

    async def repair(
        self, messages: list[ChatMessage], choice: ActionChoice
    ) -> AsyncIterator[RunEvent]:
        """Let the model write the step anew; only another chart step counts.

        Of the events on the way only usage, progress and warnings are passed on.
        """
        messages.append(ChatMessage(ChatRole.USER, REPAIR.format(error=self.error)))
        async for event in choice.decide():
            if isinstance(event, UsageReported | Progressed | Warned):
                yield event
        decision = choice.decision
        if isinstance(decision.action, Visualize):
            self.action, self.raw, self.error = decision.action, decision.raw, ""

    def observation(self) -> str:
        """The outcome in words for the model."""
        instruction = self.action.instruction
        if self.chart is None:
            return FAILED.format(instruction=instruction, error=self.error)
        sample = [clip_row(row) for row in self.chart.rows[:OBSERVED_ROWS]]
        text = OBSERVED.format(
            instruction=instruction,
            table=self.chart.table_name,
            rows=self.chart.row_count,
            columns=", ".join(self.chart.design.output_fields),
            sample=encode_json(sample).decode(),
        )
        return text + "".join(f"\nNote: {note}" for note in self.chart.notes)
