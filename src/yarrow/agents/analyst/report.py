"""Write a report about charts: look at them first, then stream Markdown that shows them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from yarrow.agents.analyst.ask import Heard, speak
from yarrow.agents.analyst.desk import Desks, TableFacts
from yarrow.agents.analyst.embeds import Embed, EmbedReader
from yarrow.agents.analyst.input import AnalystInput, read_input
from yarrow.agents.analyst.plain_report import plain_report
from yarrow.agents.analyst.prompt import language_line, tables_text
from yarrow.agents.analyst.report_tools import REPORT_TOOLS, ReportTools
from yarrow.agents.analyst.tool_calls import Calls
from yarrow.kit.json import encode_json
from yarrow.llm.errors import AnswerEmpty, ModelError
from yarrow.llm.model import ChatMessage, ChatModel, ChatRequest, ChatRole
from yarrow.runs.agent import RunContext
from yarrow.runs.events import (
    MessageFinished,
    MessageStarted,
    Produced,
    Progressed,
    RunEvent,
    TextDelta,
    Warned,
)
from yarrow.runs.model import AgentSpec

DEADLINE_S = 300
INSPECT_ROUNDS = 5
HEADING = "#"
"""How a report begins; what begins otherwise is talk on the way to it."""

INSTRUCTIONS = """\
You write a report in Markdown about charts that a user made from tables. Begin with one `# Title`
line, use `##` sections, stay with what the data shows. Show a chart by a line of its own,
![caption](chart://CHART_ID), each chart at most once, and a table by ![caption](table://NAME).
Before you write you may inspect charts and tables with tools."""
WRITE_NOW = "Now write the report. Answer with its Markdown and nothing else."
DEFAULT_WISH = "Write a summary report of the charts."


class ReportWriter:
    """A document about what was found, with the charts in it."""

    spec = AgentSpec(name="analyst-report", price=0, deadline_s=DEADLINE_S)

    def __init__(self, desks: Desks, *, has_model: bool) -> None:
        self._desks, self._has_model = desks, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        given = read_input(context.run.input)
        yield Progressed("building_context")
        owner = context.run.account_id
        async with self._desks.open(
            owner, given.workspace, given.tables, rows=given.rows_put_down
        ) as desk:
            tables = await desk.facts()
            tools = ReportTools(desk, given.charts, tables)
            if self._has_model or context.run.input.model:
                asked = _opening(context, given, tables)
                pieces = _Writing(context.model, asked, tools, Calls(context.new_id)).pieces()
            else:
                pieces = plain_report(given, tables)
            async for event in _written(context, pieces, tools):
                yield event


def _opening(
    context: RunContext, given: AnalystInput, tables: Sequence[TableFacts]
) -> list[ChatMessage]:
    charts = [
        f"- {chart.chart_id}: {chart.chart_type} of {chart.table_ref}, "
        f"{encode_json(chart.encodings).decode()}"
        for chart in given.charts
    ]
    parts = (
        "Charts:\n" + ("\n".join(charts) or "none"),
        tables_text(given, tables),
        given.exploration_rules,
        context.run.input.text or DEFAULT_WISH,
        language_line(given.language),
    )
    told = "\n\n".join(part for part in parts if part)
    return [ChatMessage(ChatRole.SYSTEM, INSTRUCTIONS), ChatMessage(ChatRole.USER, told)]


@dataclass(slots=True)
class _Writing:
    """A model on the way to its report: some rounds with tools, then the text."""

    model: ChatModel
    messages: list[ChatMessage]
    tools: ReportTools
    calls: Calls
    has_begun: bool = field(default=False, init=False)

    async def pieces(self) -> AsyncIterator[str | RunEvent]:
        """The report's text as it comes; begins early if the model needs no tool."""
        asked = list(self.messages)
        try:
            async for piece in self._inspected():
                yield piece
        except ModelError:
            if self.has_begun:
                raise
            self.messages = asked
            yield Warned("INSPECT_PHASE_FAILED", "The charts could not be looked at closely.")
        if self.has_begun:
            return
        yield Progressed("generating")
        self.messages.append(ChatMessage(ChatRole.USER, WRITE_NOW))
        request = ChatRequest(tuple(self.messages))
        async with aclosing(speak(self.model, request, Heard())) as pieces:
            async for piece in pieces:
                yield piece

    async def _inspected(self) -> AsyncIterator[str | RunEvent]:
        for _ in range(INSPECT_ROUNDS):
            heard = Heard()
            request = ChatRequest(tuple(self.messages), REPORT_TOOLS)
            async for piece in self._overheard(request, heard):
                yield piece
            if self.has_begun or not heard.calls:
                return
            yield Progressed("inspecting")
            calls = self.calls.tidied(heard)
            self.messages.append(heard.as_message())
            for call, arguments in calls:
                said, events = await self.tools.answer(call.name, arguments)
                self.messages.append(ChatMessage(ChatRole.TOOL, said, tool_call_id=call.id))
                for event in events:
                    yield event

    async def _overheard(self, request: ChatRequest, heard: Heard) -> AsyncIterator[str | RunEvent]:
        """What the model says beside its tools is dropped, unless it is the report already."""
        held = ""
        async with aclosing(speak(self.model, request, heard)) as pieces:
            async for piece in pieces:
                if self.has_begun or not isinstance(piece, str):
                    yield piece
                    continue
                held += piece
                if held.lstrip().startswith(HEADING):
                    self.has_begun = True
                    yield Progressed("generating")
                    yield held.lstrip()


async def _written(
    context: RunContext, pieces: AsyncIterator[str | RunEvent], tools: ReportTools
) -> AsyncIterator[RunEvent]:
    """The report as it is written: its text, and after what embeds, what it embeds."""
    message_id = str(context.new_id())
    reader = EmbedReader()
    text: list[str] = []
    yield MessageStarted(message_id)
    async for piece in pieces:
        if not isinstance(piece, str):
            yield piece
            continue
        text.append(piece)
        for part in reader.feed(piece):
            for event in _told(part, message_id, tools):
                yield event
    for part in await asyncio.to_thread(list, reader.close()):
        for event in _told(part, message_id, tools):
            yield event
    whole = "".join(text)
    if not whole.strip():
        raise AnswerEmpty
    yield MessageFinished(message_id, {"status": "success", "answer": whole, "error": ""})
    yield Produced("done", {"full_text": whole}, kept=False)


def _told(part: str | Embed, message_id: str, tools: ReportTools) -> list[RunEvent]:
    if isinstance(part, str):
        return [TextDelta(message_id, part)]
    return tools.shown(part)
