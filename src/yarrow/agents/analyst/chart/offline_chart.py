"""Without a model: the chart of the columns that the question names, else of the tables' shape."""

from collections.abc import AsyncIterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from yarrow.agents.analyst.chart.actions import Visualize
from yarrow.agents.analyst.chart.make_chart import announce_chart, make_chart
from yarrow.agents.analyst.chart.offline_filter import (
    FilteredChart,
    NoRowLeft,
    TableReading,
    filter_chart,
    look_up_values,
)
from yarrow.agents.analyst.unreadable_tables import explain_unreadable
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed, TableSummary
from yarrow.agents.conversation.reply import build_text_output
from yarrow.charting import (
    ChartIntent,
    ChartLanguage,
    ChartSuggestion,
    add_traditional,
    chart_question,
    explain_reading,
    explain_replacement,
    list_open_suggestions,
    read_question,
)
from yarrow.journal.events import MessageFinished, MessageStarted, RunEvent
from yarrow.kit.json import JsonObject
from yarrow.kit.signing import HmacSigner
from yarrow.product_events.analyst import AnalysisSummary, ChartResult, DrawnChart
from yarrow.runs.agent import RunContext
from yarrow.tables.duckdb_sql import build_columns_query

MAX_SUGGESTIONS = 3
"""How many suggestions are tried for each table."""
LOOKED_UP = 3
"""In how many tables the values of a question are looked up, those it names most of first."""

_NO_TABLES = add_traditional(
    {
        ChartLanguage.EN: "There is no table to look at yet. Upload one first.",
        ChartLanguage.ZH: "还没有可以查看的数据表，请先上传。",
    }
)
_FILES_GONE = add_traditional(
    {
        ChartLanguage.EN: "The files of these tables are gone. Upload them again.",
        ChartLanguage.ZH: "这些数据表的文件已经丢失，请重新上传。",
    }
)
_NO_CHART = add_traditional(
    {
        ChartLanguage.EN: "The tables hold nothing that makes a chart.",
        ChartLanguage.ZH: "这些数据表里没有可以画成图的内容。",
    }
)
_CHART_FAILED = add_traditional(
    {
        ChartLanguage.EN: "No chart could be made: {}",
        ChartLanguage.ZH: "没有画成图：{}",
    }
)
_NO_MODEL = add_traditional(
    {
        ChartLanguage.EN: "No model is configured, so this chart comes from the shape of the data "
        "alone. Set YARROW_LLM_BASE_URL to ask questions in words",
        ChartLanguage.ZH: "没有配置模型，这张图只根据数据本身的结构画出。"
        "设置 YARROW_LLM_BASE_URL 之后就可以用文字提问",
    }
)
_NAMES_READ = add_traditional(
    {
        ChartLanguage.EN: "No model is configured, so only the columns, the kind of chart, the "
        "aggregate and the conditions that the question names were read. Set YARROW_LLM_BASE_URL "
        "to ask questions in words",
        ChartLanguage.ZH: "没有配置模型，只读取了问题中提到的列、图表类型、汇总方式和筛选条件。"
        "设置 YARROW_LLM_BASE_URL 之后就可以用文字提问",
    }
)
_EARLIER = add_traditional(
    {
        ChartLanguage.EN: "earlier questions are not read without a model, so name in one question "
        "all that the chart shall show",
        ChartLanguage.ZH: "没有模型时不读取之前的问题，请在一个问题里写出图中要有的全部内容",
    }
)
COLUMNS_OF_WHOLE_QUESTIONS = 2
"""With fewer columns a question is likely to follow an earlier one: `and by product?`."""
_SENTENCE = add_traditional({ChartLanguage.EN: " {}.", ChartLanguage.ZH: "{}。"})


class OfflineChart(Struct, frozen=True):
    """A chart that was made from a suggestion."""

    suggestion: ChartSuggestion
    action: Visualize
    chart: DrawnChart
    notes: tuple[str, ...]
    """How the question was read."""
    is_asked: bool
    """The question names its columns or its kind."""


async def draw_offline_chart(
    context: RunContext,
    workspace: AnalystWorkspace,
    *,
    tables: Sequence[TableSummary],
    signer: HmacSigner,
    language: ChartLanguage,
    has_thread: bool,
) -> AsyncIterator[RunEvent]:
    """The events of one chart and of a summary that says where it comes from."""
    text = context.run.input.text
    readings = read_tables(text, tables)
    named = max((len(reading.question.columns) for reading in readings), default=0)
    follows = has_thread and named < COLUMNS_OF_WHOLE_QUESTIONS
    earlier = [_EARLIER[language]] if follows else []
    first = await _draw_first_chart(workspace, readings, text, signer=signer, language=language)
    if isinstance(first, NoRowLeft):
        summary = _write_sentences([_NAMES_READ[language], *earlier, *first.notes], language)
    elif first is None:
        summary = _NO_CHART[language] if tables else _explain_missing(workspace, language)
    elif isinstance(first, CodeFailed):
        summary = _CHART_FAILED[language].format(first)
    else:
        answer = str(first.chart.spec.get("description", ""))
        origin = (_NAMES_READ if first.is_asked else _NO_MODEL)[language]
        summary = _write_sentences([answer, origin, *earlier, *first.notes], language)
        question = text.strip() or first.suggestion.question(language)
        yield announce_chart(first.action, iteration=1)
        chart = replace(first.chart, notes=(*earlier, *first.chart.notes))
        yield ChartResult(1, question, chart)
    message_id = str(context.new_id())
    yield MessageStarted(message_id)
    yield MessageFinished(message_id, build_text_output(summary))
    yield AnalysisSummary(1, summary, total_steps=int(isinstance(first, OfflineChart)))


def _explain_missing(workspace: AnalystWorkspace, language: ChartLanguage) -> str:
    missing = workspace.missing
    if missing.unreadable is not None:
        return explain_unreadable(missing.unreadable, language)
    return (_FILES_GONE if missing.has_lost_files else _NO_TABLES)[language]


def _write_sentences(notes: Sequence[str], language: ChartLanguage) -> str:
    sentences = [note for note in notes if note]
    if language is ChartLanguage.EN:
        sentences = [sentence[0].upper() + sentence[1:] for sentence in sentences]
    return "".join(map(_SENTENCE[language].format, sentences)).strip()


def read_tables(text: str, tables: Sequence[TableSummary]) -> list[TableReading]:
    """The tables with what the question names of them; those of which it names most come first."""
    readings = [TableReading(table, read_question(text, table.shape)) for table in tables]
    return sorted(readings, key=lambda r: (-len(r.question.columns), r.table.name not in text))


async def _draw_first_chart(
    workspace: AnalystWorkspace,
    readings: Sequence[TableReading],
    text: str,
    *,
    signer: HmacSigner,
    language: ChartLanguage,
) -> OfflineChart | NoRowLeft | CodeFailed | None:
    """The first suggestion that can be drawn, else the first failure; None without suggestions.

    Those that the question names come first. Values are looked up in the table that is drawn.
    """
    failed: tuple[ChartSuggestion, str] | None = None
    first_failure: CodeFailed | None = None
    async for reading, suggestion, is_asked in _list_suggestions(workspace, readings, text):
        try:
            filtered = await filter_chart(workspace, reading, suggestion, language)
            action = _to_action(filtered, reading.table.name, language=language)
            chart = await make_chart(workspace, action, signer=signer, language=language)
        except NoRowLeft as empty:
            unread = explain_reading(reading.question, reading.table.shape, None, language)
            return NoRowLeft((*empty.notes, *unread))
        except CodeFailed as failure:
            first_failure = first_failure or failure
            failed = failed or ((suggestion, str(failure)) if is_asked else None)
            continue
        shape = reading.table.shape
        notes = [*filtered.notes]
        notes += explain_reading(reading.question, shape, filtered.suggestion, language)
        if failed is not None:
            notes.append(explain_replacement(failed[0], failed[1], language))
        others = (note for note in chart.notes if not any(n.startswith(note) for n in notes))
        chart = replace(chart, notes=(*notes, *others))
        return OfflineChart(suggestion, action, chart, tuple(notes), is_asked)
    return first_failure


async def _list_suggestions(
    workspace: AnalystWorkspace, readings: Sequence[TableReading], text: str
) -> AsyncIterator[tuple[TableReading, ChartSuggestion, bool]]:
    known = [await look_up_values(workspace, reading, text) for reading in readings[:LOOKED_UP]]
    known += readings[LOOKED_UP:]
    for reading in known:
        for suggestion in chart_question(reading.question, reading.table.shape):
            yield reading, suggestion, True
    for reading in known:
        suggestions = list_open_suggestions(reading.question, reading.table.shape)
        for suggestion in suggestions[:MAX_SUGGESTIONS]:
            yield reading, suggestion, False


def _to_action(filtered: FilteredChart, table: str, *, language: ChartLanguage) -> Visualize:
    suggestion, row_filter = filtered.suggestion, filtered.row_filter
    intent = suggestion.intent
    columns = list(dict.fromkeys(intent.encodings.values()))
    return Visualize(
        thought=suggestion.reason.describe(language),
        instruction=", ".join(f"**{field}**" for field in suggestion.title),
        input_tables=(table,),
        code="",
        sql=build_columns_query(table, columns, row_filter.condition if row_filter else ""),
        output_variable=f"{table}_chart",
        stored_table=table,
        row_filter=row_filter,
        chart={
            "chart_type": intent.chart_type.value,
            "encodings": _write_encodings(intent),
            "config": dict(intent.config),
        },
    )


def _write_encodings(intent: ChartIntent) -> JsonObject:
    """The encodings of a request; a count of rows is an aggregate without a field."""
    encodings: JsonObject = {channel.value: name for channel, name in intent.encodings.items()}
    for channel, aggregate in intent.aggregates.items():
        name = intent.encodings.get(channel)
        field: JsonObject = {"field": name} if name else {}
        encodings[channel.value] = {**field, "aggregate": aggregate.value}
    return encodings
