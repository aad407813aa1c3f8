"""Building the document of a report: its charts rendered, its tables read."""

import asyncio
from collections.abc import Awaitable, Sequence

from markupsafe import Markup

from yarrow.agents.analyst.report.embed_syntax import match_table
from yarrow.charting import ChartLanguage
from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonMapping
from yarrow.protocols.ndjson.charts.export import ChartExport, isolate_svg
from yarrow.protocols.ndjson.reports.page import (
    FigureMissing,
    ReportFigures,
    TableExcerpt,
    build_page,
    detect_language,
    find_embeds,
    find_title,
)
from yarrow.protocols.ndjson.reports.wire import ExportReportBody, ReportChart
from yarrow.sandbox.errors import SandboxError
from yarrow.tables.errors import TableFileGone, TableNotFound
from yarrow.tables.model import Tables, Workspace
from yarrow.tables.read import find_tables

RENDER_TIMEOUT_S = 60.0
"""For all charts of one report together."""
TABLE_ROWS = 20

_TIMED_OUT = FigureMissing("the chart could not be drawn in time")
_CHART_ERRORS = (InvalidInput, TableNotFound, TableFileGone, SandboxError)


async def build_document(
    export: ChartExport, workspace: Workspace, body: ExportReportBody, *, language: str
) -> Markup:
    """One HTML page. `language` is the reader's; the report's own script overrides it."""
    language = detect_language(body.markdown, default=language)
    chart_ids, table_names = await asyncio.to_thread(find_embeds, body.markdown)
    by_id = {chart.chart_id: chart for chart in body.charts}
    embedded = [by_id[chart_id] for chart_id in chart_ids if chart_id in by_id]
    figures = ReportFigures(
        await _render_charts(export, workspace, embedded, language=ChartLanguage(language)),
        await _read_tables(export.tables, workspace, body.charts, table_names),
    )
    title = body.title.strip() or find_title(body.markdown) or "Report"
    return await asyncio.to_thread(
        build_page, body.markdown, title=title, language=language, figures=figures
    )


async def _render_charts(
    export: ChartExport,
    workspace: Workspace,
    charts: Sequence[ReportChart],
    *,
    language: ChartLanguage,
) -> dict[str, Markup | FigureMissing]:
    """One SVG for each chart; one that fails is replaced by a note and fails no other."""
    figures: dict[str, Markup | FigureMissing] = {chart.chart_id: _TIMED_OUT for chart in charts}
    try:
        async with asyncio.timeout(RENDER_TIMEOUT_S):
            for number, chart in enumerate(charts):
                svg = export.render_svg(chart, workspace, language=language)
                figures[chart.chart_id] = await _make_figure(svg, number)
    except TimeoutError:
        pass
    return figures


async def _make_figure(svg: Awaitable[str], number: int) -> Markup | FigureMissing:
    try:
        isolated = isolate_svg(await svg, f"c{number}-")
    except _CHART_ERRORS as error:
        return FigureMissing(str(error))
    return Markup(isolated)  # noqa: S704 - made by our renderer, without links and scripts


async def _read_tables(
    tables: Tables, workspace: Workspace, charts: Sequence[ReportChart], names: Sequence[str]
) -> dict[str, TableExcerpt | FigureMissing]:
    """The first rows of stored tables, else the rows that were sent with the charts."""
    stored = await find_tables(tables, workspace, [*names, *(name.lower() for name in names)])
    excerpts: dict[str, TableExcerpt | FigureMissing] = {
        name: _make_excerpt(chart.inline_rows)
        for chart in reversed(charts)
        for name in (chart.table_ref, chart.chart_data.name if chart.chart_data else "")
        if chart.inline_rows
    }
    for name, table in stored.items():
        sample = table.sample[:TABLE_ROWS]
        excerpts[name] = TableExcerpt(list(table.column_types), sample, table.row_count)
    matches = {name: match_table(name, excerpts) for name in names}
    return {name: excerpts[table] for name, table in matches.items() if table is not None}


def _make_excerpt(rows: Sequence[JsonMapping]) -> TableExcerpt:
    columns = list(dict.fromkeys(key for row in rows[:TABLE_ROWS] for key in row))
    return TableExcerpt(columns, rows[:TABLE_ROWS], len(rows))
