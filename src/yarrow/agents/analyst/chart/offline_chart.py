"""Without a model: the first chart worth seeing, from the tables' own shape."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from yarrow.agents.analyst.chart.actions import Visualize
from yarrow.agents.analyst.chart.make_chart import charted
from yarrow.agents.analyst.chart.turn import announced, shown
from yarrow.agents.analyst.input import read_input
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed, TableSummary
from yarrow.agents.conversation.reply import text_output
from yarrow.charting import ChartLanguage, Suggestion, suggest_charts
from yarrow.kit.json import JsonObject
from yarrow.kit.signing import HmacSigner
from yarrow.runs.agent import RunContext
from yarrow.runs.events import MessageFinished, MessageStarted, Produced, RunEvent
from yarrow.tables.duckdb_sql import columns_query

CHARTS_TRIED = 3

_NO_TABLES = {
    ChartLanguage.EN: "There is no table to look at yet. Upload one first.",
    ChartLanguage.ZH: "还没有可以查看的数据表,请先上传。",
}
_NOTHING = {
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
class _Drawn:
    suggestion: Suggestion
    step: Visualize
    result: JsonObject


async def first_look(
    context: RunContext,
    workspace: AnalystWorkspace,
    *,
    tables: Sequence[TableSummary],
    sign: HmacSigner,
) -> AsyncIterator[RunEvent]:
    """A chart, and words that say where it comes from."""
    given = read_input(context.run.input, context.history)
    words = given.chart_language
    drawn = await _first_chart(workspace, tables, sign=sign, language=words)
    if drawn is None:
        summary = _NOTHING[words] if tables else _NO_TABLES[words]
    else:
        summary = _NO_MODEL[words]
        question = context.run.input.text.strip() or drawn.suggestion.asked(words)
        yield Produced("action", announced(drawn.step, 1), kept=False)
        yield Produced("result", shown(drawn.result, question, iteration=1), kept=False)
    message_id = str(context.new_id())
    yield MessageStarted(message_id)
    yield MessageFinished(message_id, text_output(summary))
    content: JsonObject = {"summary": summary, "total_steps": 0 if drawn is None else 1}
    done = {"iteration": 1, "status": "success", "content": content}
    yield Produced("completion", done, kept=False)


async def _first_chart(
    workspace: AnalystWorkspace,
    tables: Sequence[TableSummary],
    *,
    sign: HmacSigner,
    language: ChartLanguage,
) -> _Drawn | None:
    for table in tables:
        for suggestion in suggest_charts(table.shape)[:CHARTS_TRIED]:
            step = _step(suggestion, table.name, language=language)
            try:
                result = await charted(workspace, step, sign=sign, language=language)
                return _Drawn(suggestion, step, result)
            except CodeFailed:
                continue
    return None


def _step(suggestion: Suggestion, table: str, *, language: ChartLanguage) -> Visualize:
    intent = suggestion.intent
    return Visualize(
        thought=suggestion.reason.said(language),
        instruction=", ".join(f"**{field}**" for field in suggestion.title),
        input_tables=(table,),
        code="",
        sql=columns_query(table, list(dict.fromkeys(intent.encodings.values()))),
        output_variable=f"{table}_chart",
        chart={
            "chart_type": intent.chart_type.value,
            "encodings": {channel.value: name for channel, name in intent.encodings.items()},
        },
    )
