"""Rendering a chart from the wire to SVG or PNG."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from yarrow.charting import ChartLanguage, compile_chart, infer_shape, parse_intent, read_meanings
from yarrow.charting.errors import ChartWithoutRows
from yarrow.kit.json import JsonMapping, JsonObject
from yarrow.protocols.ndjson.charts.wire import ChartDescription
from yarrow.rendering.renderer import Renderer
from yarrow.tables.model import Tables, Workspace
from yarrow.tables.read import get_table

MAX_TABLE_ROWS = 10_000
"""Rows read of a table that a chart only names."""

_TAG = re.compile(r"<[^>]*>")
_EXTERNAL_LINK = re.compile(r'\s(?:xlink:)?href="(?!#)[^"]*"')
_ID_USE = re.compile(r'(\bid="|url\(#|href="#)')


@dataclass(frozen=True, slots=True)
class ChartExport:
    """Compiles and renders charts; reads the rows of tables that a chart only names."""

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
        rows = chart.inline_rows or await self._read_rows(chart.table_ref, workspace)
        return await asyncio.to_thread(_compile, chart, rows, language)

    async def _read_rows(self, name: str, workspace: Workspace) -> Sequence[JsonMapping]:
        if not name:
            raise ChartWithoutRows
        _, rows = await get_table(self.tables, workspace, name, page_size=MAX_TABLE_ROWS)
        return rows


def isolate_svg(svg: str, prefix: str) -> str:
    """The SVG with prefixed ids, so that several fit into one page, and without external links."""

    def fix_tag(tag: re.Match[str]) -> str:
        return _ID_USE.sub(rf"\g<1>{prefix}", _EXTERNAL_LINK.sub("", tag[0]))

    return _TAG.sub(fix_tag, svg)


def _add_rows(spec: JsonObject, rows: Sequence[JsonMapping]) -> JsonObject:
    """A spec without data gets the rows that were sent beside it."""
    return spec if "data" in spec or not rows else {**spec, "data": {"values": rows}}


def _compile(
    chart: ChartDescription, rows: Sequence[JsonMapping], language: ChartLanguage
) -> JsonObject:
    meanings = read_meanings(chart.field_metadata)
    intent = parse_intent(chart.intent)
    shape = infer_shape(rows)
    return compile_chart(intent, shape, rows, meanings=meanings, language=language).spec
