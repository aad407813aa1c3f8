"""A report without a model: the columns of the tables, and the charts in their order."""

from collections.abc import AsyncIterator, Sequence

from yarrow.agents.analyst.input import AnalystInput, ClientChart
from yarrow.agents.analyst.report.embeds import Embed, EmbedKind, format_embed
from yarrow.agents.analyst.workspace import TableSummary
from yarrow.journal.events import RunEvent

_WORDS = {
    "en": {
        "title": "Report",
        "tables": "The data",
        "table": "**{name}** has {rows} rows and {columns} columns: {names}.",
        "chart": "{kind} of {fields}",
        "charts": "The charts",
    },
    "zh": {
        "title": "报告",
        "tables": "数据",
        "table": "**{name}** 共 {rows} 行、{columns} 列：{names}。",
        "chart": "{kind}：{fields}",
        "charts": "图表",
    },
}


async def write_offline_report(
    analyst_input: AnalystInput, tables: Sequence[TableSummary]
) -> AsyncIterator[str | RunEvent]:
    """Markdown, in pieces."""
    words = _WORDS["zh" if analyst_input.language == "zh" else "en"]
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
