"""Write a report about charts: look at them first, then stream Markdown that shows them."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing

from yarrow.agents.analyst.ask import Heard, ask
from yarrow.agents.analyst.embeds import Embed, EmbedKind, EmbedReader
from yarrow.agents.analyst.input import AnalystInput, ChartGiven, read_input
from yarrow.agents.analyst.json_in_text import decode_lenient
from yarrow.agents.analyst.plain_report import plain_report
from yarrow.agents.analyst.prompt import INSPECT, clipped, describe_table, language_line
from yarrow.agents.analyst.toolbox import texts
from yarrow.errors import ModelError
from yarrow.json_values import JsonObject, encode_json
from yarrow.llm.model import (
    ChatMessage,
    ChatRequest,
    ChatRole,
    TextChunk,
    ToolCall,
    ToolSpec,
    UsageChunk,
)
from yarrow.runs.agent import RunContext
from yarrow.runs.desk import Desk, Desks, TableFacts
from yarrow.runs.events import (
    MessageFinished,
    MessageStarted,
    Produced,
    Progressed,
    RunEvent,
    TextDelta,
    UsageReported,
    Warned,
)
from yarrow.runs.model import AgentSpec

DEADLINE_S = 300
INSPECT_ROUNDS = 5
CHART_ROWS = 5
TABLE_ROWS = 10

INSTRUCTIONS = """\
You write a report in Markdown about charts that a user made from tables. Begin with one `# Title`
line, use `##` sections, stay with what the data shows. Show a chart by a line of its own,
![caption](chart://CHART_ID), each chart at most once, and a table by ![caption](table://NAME).
Before you write you may inspect charts and tables with tools."""

INSPECT_CHART = ToolSpec(
    "inspect_chart",
    "Type, fields, code and first rows of charts.",
    {
        "type": "object",
        "properties": {"chart_ids": {"type": "array", "items": {"type": "string"}}},
        "required": ["chart_ids"],
    },
)


class ReportWriter:
    """A document about what was found, with the charts in it."""

    spec = AgentSpec(name="analyst-report", price=0, deadline_s=DEADLINE_S)

    def __init__(self, desks: Desks, *, has_model: bool) -> None:
        self._desks, self._has_model = desks, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        given = read_input(context.run.input)
        yield Progressed("building_context")
        owner = context.run.account_id
        async with self._desks.open(owner, given.workspace, given.tables) as desk:
            tables = await desk.facts(given.tables)
            if self._has_model or context.run.input.model:
                messages = _opening(context, given, tables)
                async for event in _inspect(context, given, desk=desk, messages=messages):
                    yield event
                yield Progressed("generating")
                pieces = _stream(context, messages)
            else:
                pieces = plain_report(given, tables)
            async for event in _written(context, pieces, given, tables):
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
        "\n\n".join(describe_table(table) for table in tables),
        context.run.input.text or "Write a summary report of the charts.",
        language_line(given.language),
    )
    told = "\n\n".join(part for part in parts if part)
    return [
        ChatMessage(ChatRole.SYSTEM, INSTRUCTIONS),
        ChatMessage(ChatRole.USER, told),
    ]


async def _inspect(
    context: RunContext, given: AnalystInput, *, desk: Desk, messages: list[ChatMessage]
) -> AsyncIterator[RunEvent]:
    """Let the model look at what it will write about; the report goes on if that fails."""
    before = list(messages)
    try:
        for _ in range(INSPECT_ROUNDS):
            heard = Heard()
            request = ChatRequest(tuple(messages), (INSPECT_CHART, INSPECT))
            async for event in ask(context.model, request, heard):
                yield event
            if not heard.calls:
                return
            messages.append(heard.as_message())
            for call in heard.calls:
                said = await _looked_at(call, given, desk)
                messages.append(ChatMessage(ChatRole.TOOL, said, tool_call_id=call.id))
            yield Progressed("inspecting")
    except ModelError:
        messages[:] = before
        yield Warned("INSPECT_PHASE_FAILED", "The charts could not be looked at closely.")


async def _looked_at(call: ToolCall, given: AnalystInput, desk: Desk) -> str:
    arguments = decode_lenient(call.arguments) or {}
    if call.name == INSPECT_CHART.name:
        charts = {chart.chart_id: chart for chart in given.charts}
        wanted = texts(arguments.get("chart_ids"))
        return "\n\n".join(_described(chart_id, charts.get(chart_id)) for chart_id in wanted)
    found = await desk.facts(texts(arguments.get("table_names")))
    return "\n\n".join(describe_table(table) for table in found) or "not found"


def _described(chart_id: str, chart: ChartGiven | None) -> str:
    if chart is None:
        return f"{chart_id}: not found"
    rows = [clipped(row) for row in chart.rows[:CHART_ROWS]]
    return (
        f"{chart_id}: {chart.chart_type}, {encode_json(chart.encodings).decode()}\n"
        f"{chart.code}\nFirst rows: {encode_json(rows).decode()}"
    )


async def _stream(
    context: RunContext, messages: Sequence[ChatMessage]
) -> AsyncIterator[str | RunEvent]:
    model = context.model
    async with aclosing(model.stream(ChatRequest(tuple(messages)))) as chunks:
        async for chunk in chunks:
            if isinstance(chunk, TextChunk):
                yield chunk.text
            elif isinstance(chunk, UsageChunk):
                yield UsageReported(model.name, chunk.input_tokens, chunk.output_tokens)


async def _written(
    context: RunContext,
    pieces: AsyncIterator[str | RunEvent],
    given: AnalystInput,
    tables: Sequence[TableFacts],
) -> AsyncIterator[RunEvent]:
    """The report as it is written: its text, and beside a line that embeds, what it embeds."""
    message_id = str(context.new_id())
    shown = _Shown(given, tables)
    reader = EmbedReader()
    text: list[str] = []
    yield MessageStarted(message_id)
    async for piece in pieces:
        if not isinstance(piece, str):
            yield piece
            continue
        text.append(piece)
        for part in reader.feed(piece):
            for event in _told(part, message_id, shown):
                yield event
    for part in reader.close():
        for event in _told(part, message_id, shown):
            yield event
    yield MessageFinished(message_id, {"status": "success", "answer": "".join(text), "error": ""})
    yield Produced("done", {"full_text": "".join(text)})


def _told(part: str | Embed, message_id: str, shown: "_Shown") -> Iterator[RunEvent]:
    if isinstance(part, str):
        yield TextDelta(message_id, part)
        return
    yield TextDelta(message_id, part.source)
    yield from shown.embedded(part)


class _Shown:
    """What a report may embed, and what it has embedded: each chart at most once."""

    def __init__(self, given: AnalystInput, tables: Sequence[TableFacts]) -> None:
        self._charts = {chart.chart_id: chart for chart in given.charts}
        self._tables = {table.name: table.sample_rows for table in tables}
        for chart in given.charts:
            self._tables.setdefault(chart.table_ref, chart.rows)
        self._seen: set[str] = set()

    def embedded(self, embed: Embed) -> Iterator[RunEvent]:
        if embed.kind is EmbedKind.CHART:
            if embed.target not in self._charts:
                yield Warned("CHART_NOT_FOUND", f"The report names an unknown chart {embed.target}")
            elif embed.target not in self._seen:
                self._seen.add(embed.target)
                said = {"chart_id": embed.target, "caption": embed.caption}
                yield Produced("embed_chart", said)
        elif embed.target not in self._tables:
            yield Warned("TABLE_NOT_FOUND", f"The report names an unknown table {embed.target}")
        else:
            yield Produced("embed_table", self._table(embed))

    def _table(self, embed: Embed) -> JsonObject:
        rows = list(self._tables[embed.target])[:TABLE_ROWS]
        columns = list(dict.fromkeys(key for row in rows for key in row))
        said: JsonObject = {"table_id": embed.target, "caption": embed.caption}
        return {**said, "columns": columns, "rows": rows}
