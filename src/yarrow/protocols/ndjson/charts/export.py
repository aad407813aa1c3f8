"""Rendering a chart from the wire to SVG or PNG."""

import re
from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from yarrow.charting import ChartLanguage
from yarrow.charting.errors import ChartWithoutRows
from yarrow.kit.json import JsonMapping, JsonObject
from yarrow.protocols.ndjson.charts.wire import ChartDescription
from yarrow.rendering.renderer import Renderer
from yarrow.sandbox.model import ChartRequest
from yarrow.tables.model import Tables, Workspace
from yarrow.tables.read import open_table
from yarrow.tables.temp_files import write_rows

_TAG = re.compile(r"<[^>]*>")
_EXTERNAL_LINK = re.compile(r'\s(?:xlink:)?href="(?!#)[^"]*"')
_ID_USE = re.compile(r'(\bid="|url\(#|href="#)')


class ChartExport(Struct, frozen=True):
    """Compiles charts over all rows of their table, and renders them."""

    renderer: Renderer
    tables: Tables

    async def render_svg(
        self, chart: ChartDescription, workspace: Workspace, *, language: ChartLanguage
    ) -> str:
        """Raises `ChartImpossible`, or `TableNotFound`."""
        spec = await self._build_spec(chart, workspace, language)
        return await self.renderer.svg(spec, owner=str(workspace.account_id))

    async def render_png(
        self,
        chart: ChartDescription,
        workspace: Workspace,
        *,
        language: ChartLanguage,
        scale: float,
    ) -> bytes:
        """Raises `ChartImpossible`, or `TableNotFound`."""
        spec = await self._build_spec(chart, workspace, language)
        return await self.renderer.png(spec, owner=str(workspace.account_id), scale=scale)

    async def _build_spec(
        self, chart: ChartDescription, workspace: Workspace, language: ChartLanguage
    ) -> JsonObject:
        if chart.vega_lite is not None:
            return _add_rows(chart.vega_lite, chart.inline_rows)
        request = ChartRequest(chart.intent, chart.field_metadata, language=language)
        draw = partial(self.tables.sandbox.draw_chart, request, workspace=workspace.key)
        if rows := chart.inline_rows:
            async with write_rows(self.tables, "rows", rows) as written:
                return (await draw(written.path, written.row_count)).spec
        if not chart.table_ref:
            raise ChartWithoutRows
        table = await open_table(self.tables, workspace, chart.table_ref)
        return (await draw(table.path, table.row_count)).spec


def isolate_svg(svg: str, prefix: str) -> str:
    """The SVG with prefixed ids, so that several fit into one page, and without external links."""

    def fix_tag(tag: re.Match[str]) -> str:
        return _ID_USE.sub(rf"\g<1>{prefix}", _EXTERNAL_LINK.sub("", tag[0]))

    return _TAG.sub(fix_tag, svg)


def _add_rows(spec: JsonObject, rows: Sequence[JsonMapping]) -> JsonObject:
    """A spec without data gets the rows that were sent beside it."""
    return spec if "data" in spec or not rows else {**spec, "data": {"values": rows}}
