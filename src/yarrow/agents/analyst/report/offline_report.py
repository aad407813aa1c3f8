"""A report without a model: the columns of the tables, and the charts in their order."""

from collections.abc import AsyncIterator, Sequence

from yarrow.agents.analyst.input import AnalystInput, ClientChart
from yarrow.agents.analyst.report.embed_syntax import Embed, EmbedKind, format_embed
from yarrow.agents.analyst.workspace import TableSummary
from yarrow.charting import ChartLanguage, add_traditional
from yarrow.journal.events import RunEvent

_WORDS = {
    "title": add_traditional(
        {
            ChartLanguage.EN: "Report",
            ChartLanguage.ZH: "报告",
        }
    ),
    "tables": add_traditional(
        {
            ChartLanguage.EN: "The data",
            ChartLanguage.ZH: "数据",
        }
    ),
    "table": add_traditional(
        {
            ChartLanguage.EN: "**{name}** has {rows} rows and {columns} columns: {names}.",
            ChartLanguage.ZH: "**{name}** 共 {rows} 行、{columns} 列：{names}。",
        }
    ),
    "chart": add_traditional(
        {
            ChartLanguage.EN: "{kind} of {fields}",
            ChartLanguage.ZH: "{kind}：{fields}",
        }
    ),
    "charts": add_traditional(
        {
            ChartLanguage.EN: "The charts",
            ChartLanguage.ZH: "图表",
        }
    ),
}


async def write_offline_report(
    analyst_input: AnalystInput, tables: Sequence[TableSummary]
) -> AsyncIterator[str | RunEvent]:
    """Markdown, in pieces."""
    words = {name: texts[analyst_input.chart_language] for name, texts in _WORDS.items()}
    yield f"# {words['title']}\n\n"
    if tables:
        yield f"## {words['tables']}\n\n"
    for table in tables:
        names = [column.name for column in table.shape.columns]
        yield (
            words["table"].format(
                name=table.name,
                rows=table.shape.row_count,
                columns=len(names),
                names=", ".join(names),
            )
            + "\n\n"
        )
        yield format_embed(Embed(EmbedKind.TABLE, table.name, table.name)) + "\n\n"
    if analyst_input.charts:
        yield f"## {words['charts']}\n\n"
    for chart in analyst_input.charts:
        caption = _format_caption(chart, words["chart"])
        yield format_embed(Embed(EmbedKind.CHART, chart.chart_id, caption)) + "\n\n"


def _format_caption(chart: ClientChart, words: str) -> str:
    fields = ", ".join(str(field) for field in chart.encodings.values())
    return words.format(kind=chart.chart_type, fields=fields)
