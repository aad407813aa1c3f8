"""Write a report about charts: inspect them with tools, then stream Markdown that embeds them."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from yarrow.agents.analyst.input import AnalystInput, read_input
from yarrow.agents.analyst.prompt import describe_tables, use_question_language, write_language_rule
from yarrow.agents.analyst.report.embed_syntax import Embed, EmbedReader
from yarrow.agents.analyst.report.offline_report import write_offline_report
from yarrow.agents.analyst.report.tools import REPORT_TOOLS, ReportTools
from yarrow.agents.analyst.workspace import AnalystWorkspaces, TableSummary
from yarrow.agents.conversation.conversation import (
    Conversation,
    ToolLoop,
    ToolRound,
    start_conversation,
)
from yarrow.agents.conversation.reply import BY_RULES, ReplyEvents, build_text_output
from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    Progressed,
    RunEvent,
    TextDelta,
    Warned,
)
from yarrow.kit.json import encode_json
from yarrow.llm.errors import AnswerEmpty, AnswerFiltered, ModelError
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole
from yarrow.product_events.analyst import DocumentFinished
from yarrow.runs.agent import RunContext
from yarrow.runs.model import AgentSpec

DEADLINE_S = 300
INSPECT_ROUNDS = 5
HEADING = "#"
"""How a report begins; other text is not part of it."""

INSTRUCTIONS = """\
You write a report in Markdown about charts that a user made from tables. Begin with one `# Title`
line, use `##` sections, stay with what the data shows. Show a chart by a line of its own,
![caption](chart://CHART_ID), each chart at most once, and a table by ![caption](table://NAME).
Before you write you may inspect charts and tables with tools."""
WRITE_NOW = "Now write the report. Answer with its Markdown and nothing else."
DEFAULT_REQUEST = "Write a summary report of the charts."


class ReportWriter:
    """A document about the charts of the client, with the charts in it."""

    spec = AgentSpec(name="analyst-report", price=0, deadline_s=DEADLINE_S)

    def __init__(self, workspaces: AnalystWorkspaces, *, has_model: bool) -> None:
        self._workspaces, self._has_model = workspaces, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        analyst_input = read_input(context.run.input)
        yield Progressed("building_context")
        async with self._workspaces.open(context, analyst_input) as workspace:
            tables = await workspace.summarise()
            analyst_input = use_question_language(analyst_input, context.run.input.text, tables)
            tools = ReportTools(workspace, analyst_input.charts, tables)
            if self._has_model or context.run.input.model:
                conversation = start_conversation(context, self.spec)
                messages = build_prompt(context, analyst_input, tables)
                pieces = ReportDraft(conversation, messages, tools).pieces()
            else:
                yield BY_RULES
                pieces = write_offline_report(
                    analyst_input, tables, unreadable=workspace.missing.unreadable
                )
            async for event in stream_report(context, pieces, tools):
                yield event


def build_prompt(
    context: RunContext, analyst_input: AnalystInput, tables: Sequence[TableSummary]
) -> list[ChatMessage]:
    charts = [
        f"- {chart.chart_id}: {chart.chart_type} of {chart.table_ref}, "
        f"{encode_json(chart.encodings).decode()}"
        for chart in analyst_input.charts
    ]
    parts = (
        "Charts:\n" + ("\n".join(charts) or "none"),
        describe_tables(analyst_input, tables),
        analyst_input.exploration_rules,
        context.run.input.text or DEFAULT_REQUEST,
        write_language_rule(analyst_input.language),
    )
    text = "\n\n".join(part for part in parts if part)
    return [ChatMessage(ChatRole.SYSTEM, INSTRUCTIONS), ChatMessage(ChatRole.USER, text)]


class ReportDraft:
    """A report as a model writes it: some rounds with tools, then the text."""

    def __init__(
        self, conversation: Conversation, messages: list[ChatMessage], tools: ReportTools
    ) -> None:
        self._conversation, self._messages, self._tools = conversation, messages, tools
        self._has_begun = False

    async def pieces(self) -> AsyncIterator[str | RunEvent]:
        """The text of the report as it comes; early, if the model needs no tools."""
        prompt = list(self._messages)
        try:
            async for piece in self._inspect_charts():
                yield piece
        except AnswerFiltered:
            raise
        except AnswerEmpty:
            pass
        except ModelError:
            if self._has_begun:
                raise
            self._messages = prompt
            yield Warned("INSPECT_PHASE_FAILED", "The charts could not be looked at closely.")
        if self._has_begun:
            return
        yield Progressed("generating")
        self._messages.append(ChatMessage(ChatRole.USER, WRITE_NOW))
        request = ChatRequest(tuple(self._messages))
        async for event in self._conversation.ask(request, ReplyEvents.TEXT):
            match event:
                case TextDelta(text=text):
                    yield text
                case MessageStarted() | MessageFinished():
                    pass
                case _:
                    yield event

    async def _inspect_charts(self) -> AsyncIterator[str | RunEvent]:
        """Rounds with tools. Text beside the calls is dropped, unless it is the report already."""
        loop = ToolLoop(
            self._conversation,
            self._messages,
            self._use_tools,
            tools=REPORT_TOOLS,
            max_rounds=INSPECT_ROUNDS,
            events=ReplyEvents.TEXT,
        )
        held = ""
        async for event in loop.run():
            match event:
                case TextDelta(text=text) if self._has_begun:
                    yield text
                case TextDelta(text=text):
                    held += text
                    if held.lstrip().startswith(HEADING):
                        self._has_begun = True
                        yield Progressed("generating")
                        yield held.lstrip()
                case MessageStarted():
                    held = ""
                case MessageFinished():
                    pass
                case _:
                    yield event

    async def _use_tools(self, tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        if self._has_begun:
            return
        yield Progressed("inspecting")
        for parsed in tool_round.calls:
            text, events = await self._tools.use(parsed.call.name, parsed.arguments or {})
            tool_round.answer(parsed.call, text)
            for event in events:
                yield event


async def stream_report(
    context: RunContext, pieces: AsyncIterator[str | RunEvent], tools: ReportTools
) -> AsyncIterator[RunEvent]:
    """The report as one message, with an event for everything that it embeds.

    The message starts with its text: no step of the run that can be resumed is inside it.
    """
    message_id = str(context.new_id())
    reader = EmbedReader()
    texts: list[str] = []
    async for piece in pieces:
        if not isinstance(piece, str):
            yield piece
            continue
        if not texts:
            yield MessageStarted(message_id)
        texts.append(piece)
        for part in reader.feed(piece):
            for event in _make_part_events(part, message_id, tools):
                yield event
    for embed in await asyncio.to_thread(list, reader.close()):
        for event in _make_part_events(embed, message_id, tools):
            yield event
    report = "".join(texts)
    if not report.strip():
        raise AnswerEmpty
    yield MessageFinished(message_id, build_text_output(report))
    yield DocumentFinished(report)


def _make_part_events(part: str | Embed, message_id: str, tools: ReportTools) -> Sequence[RunEvent]:
    return [TextDelta(message_id, part)] if isinstance(part, str) else tools.make_embed_events(part)
