"""`export-report`: a report as one document. `render-chart`: a chart as a picture."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from yarrow.agents.analyst.embeds import table_meant
from yarrow.charting import Language
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import takes
from yarrow.http.problem import routes_with
from yarrow.kit.json import JsonObject
from yarrow.protocols.ndjson.bodies import read_json_as
from yarrow.protocols.ndjson.charts.export import Studio, inlined
from yarrow.protocols.ndjson.errors import render
from yarrow.protocols.ndjson.openapi import answers
from yarrow.protocols.ndjson.reports.page import (
    POLICY,
    Exhibits,
    NotShown,
    ShownTable,
    embedded_in,
    page,
    title_in,
    written_in,
)
from yarrow.protocols.ndjson.reports.wire import ExportBody, RenderBody, ReportChart
from yarrow.protocols.ndjson.streams.intake import language_of, workspace_of
from yarrow.rendering.renderer import Renderer
from yarrow.sandbox.errors import SandboxError
from yarrow.tables.errors import TableNotFound
from yarrow.tables.model import Shelf, Workspace
from yarrow.tables.read import find_tables

BODY_BYTES = 50 * 1024 * 1024
DRAWING_S = 60.0
"""How long the charts of one report may take together."""
TABLE_ROWS = 20

_SAFE = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": f"{POLICY}; sandbox"}
_LATE = NotShown("the chart could not be drawn in time")
_UNDRAWABLE = (InvalidInput, TableNotFound, SandboxError)


def report_routes(shelf: Shelf, renderer: Renderer) -> APIRouter:
    """What a report looks like outside of the page that made it."""
    router = APIRouter(
        prefix="/api/agent",
        tags=["analyst"],
        route_class=routes_with(render),
        default_response_class=Response,
    )
    studio = Studio(renderer, shelf)

    @router.post(
        "/export-report",
        summary="A report as one document",
        openapi_extra=takes(ExportBody),
        responses=answers("text/html"),
    )
    async def export(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_as(ExportBody, request, limit=BODY_BYTES)
        workspace = Workspace(account_id, workspace_of(request))
        document = await _document(studio, workspace, body, language=language_of(request))
        return Response(document, headers=_SAFE, media_type="text/html; charset=utf-8")

    @router.post(
        "/render-chart",
        summary="A chart as a picture",
        openapi_extra=takes(RenderBody),
        responses=answers("image/svg+xml", "image/png"),
    )
    async def draw(
        request: Request,
        account_id: CurrentAccount,
        format: Annotated[Literal["svg", "png"], Query()] = "svg",  # noqa: A002
    ) -> Response:
        body = await read_json_as(RenderBody, request, limit=BODY_BYTES)
        workspace = Workspace(account_id, workspace_of(request))
        language = Language.of(language_of(request))
        match format:
            case "png":
                picture = await studio.png(body, workspace, language=language, scale=body.scale)
                return Response(picture, headers=_SAFE, media_type="image/png")
            case "svg":
                drawn = inlined(await studio.svg(body, workspace, language=language), "")
                return Response(drawn, headers=_SAFE, media_type="image/svg+xml")

    return router


async def _document(
    studio: Studio, workspace: Workspace, body: ExportBody, *, language: str
) -> Markup:
    language = written_in(body.markdown, otherwise=language)
    chart_ids, table_names = await asyncio.to_thread(embedded_in, body.markdown)
    known = {chart.chart_id: chart for chart in body.charts}
    wanted = [known[chart_id] for chart_id in chart_ids if chart_id in known]
    exhibits = Exhibits(
        await _pictures(studio, workspace, wanted, language=Language.of(language)),
        await _tables(studio.shelf, workspace, body.charts, table_names),
    )
    title = body.title.strip() or title_in(body.markdown) or "Report"
    return await asyncio.to_thread(
        page, body.markdown, title=title, language=language, exhibits=exhibits
    )


async def _pictures(
    studio: Studio, workspace: Workspace, charts: Sequence[ReportChart], *, language: Language
) -> dict[str, Markup | NotShown]:
    """One picture for each chart; a bad one costs the report nothing but itself."""
    drawn: dict[str, Markup | NotShown] = {chart.chart_id: _LATE for chart in charts}
    try:
        async with asyncio.timeout(DRAWING_S):
            for number, chart in enumerate(charts):
                svg = studio.svg(chart, workspace, language=language)
                drawn[chart.chart_id] = await _picture(svg, number)
    except TimeoutError:
        pass
    return drawn


async def _picture(drawing: Awaitable[str], number: int) -> Markup | NotShown:
    try:
        svg = inlined(await drawing, f"c{number}-")
    except _UNDRAWABLE as reason:
        return NotShown(str(reason))
    return Markup(svg)  # noqa: S704 - drawn by our renderer, checked by `inlined`


async def _tables(
    shelf: Shelf, workspace: Workspace, charts: Sequence[ReportChart], names: Sequence[str]
) -> dict[str, ShownTable | NotShown]:
    """The first rows of tables that are kept, else those that came with the charts."""
    kept = await find_tables(shelf, workspace, [*names, *(name.lower() for name in names)])
    known: dict[str, ShownTable | NotShown] = {
        name: _shown(chart.given_rows)
        for chart in reversed(charts)
        for name in (chart.table_ref, chart.chart_data.name if chart.chart_data else "")
        if chart.given_rows
    }
    for name, table in kept.items():
        sample = table.sample[:TABLE_ROWS]
        known[name] = ShownTable(list(table.column_types), sample, table.row_count)
    meant = {name: table_meant(name, known) for name in names}
    return {name: known[table] for name, table in meant.items() if table is not None}


def _shown(rows: Sequence[JsonObject]) -> ShownTable:
    columns = list(dict.fromkeys(key for row in rows[:TABLE_ROWS] for key in row))
    return ShownTable(columns, rows[:TABLE_ROWS], len(rows))
