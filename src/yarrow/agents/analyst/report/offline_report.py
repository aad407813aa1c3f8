"""A report without a model: the columns of the tables, and the charts in their order."""

from collections.abc import AsyncIterator, Sequence

from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.analyst.report.embed_syntax import Embed, EmbedKind, format_embed
from yarrow.agents.analyst.unreadable_tables import explain_unreadable
from yarrow.agents.analyst.workspace import TableSummary
from yarrow.charting import ChartLanguage, ChartType, add_traditional
from yarrow.journal.events import RunEvent
from yarrow.sandbox.errors import SandboxError

_WORDS = {
    "title": add_traditional(
        {
            ChartLanguage.EN: "Report",
            ChartLanguage.ZH: "报告",
        }
    ),
    "no_model": add_traditional(
        {
            ChartLanguage.EN: "No model is configured, so this lists the data and the charts and "
            "draws no conclusions. Set YARROW_LLM_BASE_URL for a report that answers your request.",
            ChartLanguage.ZH: "没有配置模型，这里只列出数据和图表，不作结论。"
            "设置 YARROW_LLM_BASE_URL 之后，报告就会回答您的要求。",
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
    "nothing": add_traditional(
        {
            ChartLanguage.EN: "There is no table and no chart to report on yet. Upload one first.",
            ChartLanguage.ZH: "还没有可以写进报告的数据表或图表，请先上传数据表。",
        }
    ),
    "comma": {ChartLanguage.EN: ", ", ChartLanguage.ZH: "、", ChartLanguage.HANT: "、"},
}
_CHINESE_KINDS = {
    ChartType.SCATTER: "散点图",
    ChartType.REGRESSION: "回归图",
    ChartType.BAR: "柱状图",
    ChartType.LOLLIPOP: "棒棒糖图",
    ChartType.WATERFALL: "瀑布图",
    ChartType.GROUPED_BAR: "分组柱状图",
    ChartType.STACKED_BAR: "堆叠柱状图",
    ChartType.HISTOGRAM: "直方图",
    ChartType.DENSITY: "密度图",
    ChartType.BOXPLOT: "箱线图",
    ChartType.RANGED_DOT: "区间点图",
    ChartType.LINE: "折线图",
    ChartType.AREA: "面积图",
    ChartType.STREAMGRAPH: "河流图",
    ChartType.PIE: "饼图",
    ChartType.ROSE: "玫瑰图",
    ChartType.RADAR: "雷达图",
    ChartType.HEATMAP: "热力图",
    ChartType.BAR_TABLE: "条形表",
    ChartType.KPI_CARD: "指标卡",
    ChartType.CANDLESTICK: "K 线图",
    ChartType.WORLD_MAP: "世界地图",
    ChartType.US_MAP: "美国地图",
    ChartType.PYRAMID: "金字塔图",
    ChartType.BUMP: "排名图",
    ChartType.STRIP: "条带图",
}
_KINDS = {
    kind: add_traditional({ChartLanguage.EN: kind, ChartLanguage.ZH: name})
    for kind, name in _CHINESE_KINDS.items()
}


async def write_offline_report(
    analyst_input: AnalystInput, tables: Sequence[TableSummary], *, unreadable: SandboxError | None
) -> AsyncIterator[str | RunEvent]:
    """Markdown, in pieces."""
    words = {name: texts[analyst_input.chart_language] for name, texts in _WORDS.items()}
    yield f"# {words['title']}\n\n{words['no_model']}\n\n"
    if unreadable is not None:
        yield explain_unreadable(unreadable, analyst_input.chart_language) + "\n\n"
    elif not tables and not analyst_input.charts:
        yield f"{words['nothing']}\n\n"
    if tables:
        yield f"## {words['tables']}\n\n"
    for table in tables:
        names = [column.name for column in table.shape.columns]
        yield (
            words["table"].format(
                name=table.name,
                rows=table.shape.row_count,
                columns=len(names),
                names=words["comma"].join(names),
            )
            + "\n\n"
        )
        yield format_embed(Embed(EmbedKind.TABLE, table.name, table.name)) + "\n\n"
    if analyst_input.charts:
        yield f"## {words['charts']}\n\n"
    for chart in analyst_input.charts:
        caption = words["chart"].format(
            kind=_name_kind(chart.chart_type, analyst_input.chart_language),
            fields=words["comma"].join(str(field) for field in chart.encodings.values()),
        )
        yield format_embed(Embed(EmbedKind.CHART, chart.chart_id, caption)) + "\n\n"


def _name_kind(kind: str, language: ChartLanguage) -> str:
    """The name of a kind of chart in the language of the report; a client may send another one."""
    try:
        return _KINDS[ChartType(kind)][language]
    except ValueError:
        return kind
