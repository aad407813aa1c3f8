"""From a chart on the wire to its picture."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from yarrow.charting import Language, compile_chart, parse_intent, read_meanings, shape_of
from yarrow.charting.errors import ChartWithoutRows
from yarrow.kit.json import JsonObject
from yarrow.protocols.ndjson.reports.wire import Drawable
from yarrow.rendering.renderer import Renderer
from yarrow.tables.model import Shelf, Workspace
from yarrow.tables.read import get_table

DRAWN_ROWS = 10_000

_TAG = re.compile(r"<[^>]*>")
_OUTWARD = re.compile(r'\s(?:xlink:)?href="(?!#)[^"]*"')
_NAMED = re.compile(r'(\bid="|url\(#|href="#)')


@dataclass(frozen=True, slots=True)
class Studio:
    """Who draws, and where tables are that a chart only names."""

    renderer: Renderer
    shelf: Shelf

    async def svg(self, chart: Drawable, workspace: Workspace, *, language: Language) -> str:
        """Raises `ChartImpossible`, or `TableNotFound`."""
        spec = await self._spec(chart, workspace, language)
        return await self.renderer.svg(spec, owner=str(workspace.account_id))

    async def png(
        self, chart: Drawable, workspace: Workspace, *, language: Language, scale: float
    ) -> bytes:
        spec = await self._spec(chart, workspace, language)
        return await self.renderer.png(spec, owner=str(workspace.account_id), scale=scale)

    async def _spec(self, chart: Drawable, workspace: Workspace, language: Language) -> JsonObject:
        if chart.vega_lite is not None:
            return _with_rows(chart.vega_lite, chart.given_rows)
        rows = chart.given_rows or await self._rows_of(chart.table_ref, workspace)
        return await asyncio.to_thread(_compiled, chart, rows, language)

    async def _rows_of(self, name: str, workspace: Workspace) -> Sequence[JsonObject]:
        if not name:
            raise ChartWithoutRows
        _, rows = await get_table(self.shelf, workspace, name, page_size=DRAWN_ROWS)
        return rows


def inlined(svg: str, prefix: str) -> str:
    """A picture to stand in a page beside others: names of its own, and no way out."""

    def tidied(tag: re.Match[str]) -> str:
        return _NAMED.sub(rf"\g<1>{prefix}", _OUTWARD.sub("", tag[0]))

    return _TAG.sub(tidied, svg)


def _with_rows(spec: JsonObject, rows: Sequence[JsonObject]) -> JsonObject:
    """A spec without data gets the rows that came with it."""
    return spec if "data" in spec or not rows else {**spec, "data": {"values": rows}}


def _compiled(chart: Drawable, rows: Sequence[JsonObject], language: Language) -> JsonObject:
    meanings = read_meanings(chart.field_metadata)
    intent = parse_intent(chart.intent)
    shape = shape_of(rows)
    return compile_chart(intent, shape, rows, meanings=meanings, language=language).spec
