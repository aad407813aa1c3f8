"""Without a model: the first chart that the shape of the tables suggests."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from yarrow.agents.analyst.chart.actions import Visualize
from yarrow.agents.analyst.chart.make_chart import announce_chart, make_chart
from yarrow.agents.analyst.input import read_input
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed, TableSummary
from yarrow.agents.conversation.reply import text_output
from yarrow.charting import ChartLanguage, ChartSuggestion, suggest_charts
from yarrow.journal.events import MessageFinished, MessageStarted, RunEvent
from yarrow.kit.signing import HmacSigner
from yarrow.product_events.analyst import AnalysisSummary, ChartResult, DrawnChart
from yarrow.runs.agent import RunContext
from yarrow.tables.duckdb_sql import columns_query

MAX_SUGGESTIONS = 3
"""How many suggestions are tried for each table."""

_NO_TABLES = {
    ChartLanguage.EN: "There is no table to look at yet. Upload one first.",
    ChartLanguage.ZH: "还没有可以查看的数据表,请先上传。",
}
_NO_CHART = {
    ChartLanguage.EN: "The tables hold nothing that makes a chart.",
    ChartLanguage.ZH: "这些数据表里没有可以画成图的内容。",
}
_NO_MODEL = {
    ChartLanguage.EN: "No model is configured, so this chart comes from the shape of the data "
    "alone. Set YARROW_LLM_BASE_URL to ask questions in words.",
    ChartLanguage.ZH: "没有配置模型,这张图只根据数据本身的结构画出。"
    "设置 YARROW_LLM_BASE_URL 之后就可以用文字提问。",
}


@dataclass(frozen=True, slots=True)
class OfflineChart:
    """A chart that was made from a suggestion."""

    suggestion: ChartSuggestion
    action: Visualize
    chart: DrawnChart


async def draw_offline_chart(
    context: RunContext,
    workspace: AnalystWorkspace,
    *,
    tables: Sequence[TableSummary],
    signer: HmacSigner,
) -> AsyncIterator[RunEvent]:
    """The events of one chart and of a summary that says where it comes from."""
    language = read_input(context.run.input, context.history).chart_language
    first = await _draw_first_chart(workspace, tables, signer=signer, language=language)
    if first is None:
        summary = _NO_CHART[language] if tables else _NO_TABLES[language]
    else:
        summary = _NO_MODEL[language]
        question = context.run.input.text.strip() or first.suggestion.question(language)
        yield announce_chart(first.action, iteration=1)
        yield ChartResult(1, question, first.chart)
    message_id = str(context.new_id())
    yield MessageStarted(message_id)
    yield MessageFinished(message_id, text_output(summary))
    yield AnalysisSummary(1, summary, total_steps=0 if first is None else 1)


async def _draw_first_chart(
    workspace: AnalystWorkspace,
    tables: Sequence[TableSummary],
    *,
    signer: HmacSigner,
    language: ChartLanguage,
) -> OfflineChart | None:
    for table in tables:
        for suggestion in suggest_charts(table.shape)[:MAX_SUGGESTIONS]:
            action = _to_action(suggestion, table.name, language=language)
            try:
                chart = await make_chart(workspace, action, signer=signer, language=language)
            except CodeFailed:
                continue
            return OfflineChart(suggestion, action, chart)
    return None


def _to_action(suggestion: ChartSuggestion, table: str, *, language: ChartLanguage) -> Visualize:
    intent = suggestion.intent
    return Visualize(
        thought=suggestion.reason.describe(language),
        instruction=", ".join(f"**{field}**" for field in suggestion.title),
        input_tables=(table,),
        code="",
        sql=columns_query(table, list(dict.fromkeys(intent.encodings.values()))),
        output_variable=f"{table}_chart",
        stored_table=table,
        chart={
            "chart_type": intent.chart_type.value,
            "encodings": {channel.value: name for channel, name in intent.encodings.items()},
        },
    )
