"""One chart step: make it, mend it if it fails, and tell the model what came of it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from yarrow.agents.analyst.chart.actions import Visualize
from yarrow.agents.analyst.chart.decide import ActionChoice
from yarrow.agents.analyst.chart.make_chart import charted
from yarrow.agents.analyst.chart.prompt import FAILED, OBSERVED, REPAIR
from yarrow.agents.analyst.prompt import clipped
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed
from yarrow.charting import ChartLanguage
from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.signing import HmacSigner
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.runs.events import Progressed, RunEvent, UsageReported, Warned

OBSERVED_ROWS = 3


@dataclass(slots=True)
class ChartStep:
    """A step as it stands: tried, failed with `error`, or done with `result`."""

    action: Visualize
    raw: JsonObject
    result: JsonObject | None = None
    error: str = ""

    async def make(
        self, workspace: AnalystWorkspace, *, sign: HmacSigner, language: ChartLanguage
    ) -> None:
        """Try it; what went wrong is in `error`."""
        try:
            made = await charted(workspace, self.action, sign=sign, language=language)
            self.result, self.error = made, ""
        except CodeFailed as failure:
            self.error = str(failure) or "the step failed"

    async def repair(
        self, messages: list[ChatMessage], choice: ActionChoice
    ) -> AsyncIterator[RunEvent]:
        """Let the model write the step anew. Only another chart step counts; events of tools on
        the way are dropped."""
        messages.append(ChatMessage(ChatRole.USER, REPAIR.format(error=self.error)))
        async for event in choice.decide():
            if isinstance(event, UsageReported | Progressed | Warned):
                yield event
        decision = choice.decision
        if isinstance(decision.action, Visualize):
            self.action, self.raw, self.error = decision.action, decision.raw, ""

    def observed(self) -> str:
        """What came of it, in words for the model."""
        instruction = self.action.instruction
        if self.result is None:
            return FAILED.format(instruction=instruction, error=self.error)
        content = self.result["content"]
        notes = "".join(f"\nNote: {note}" for note in self.result.get("notes", ()))
        told = OBSERVED.format(
            instruction=instruction,
            table=content["virtual"]["table_name"],
            rows=content["virtual"]["row_count"],
            columns=", ".join(self.result["refined_goal"]["output_fields"]),
            sample=encode_json([clipped(row) for row in content["rows"][:OBSERVED_ROWS]]).decode(),
        )
        return told + notes
