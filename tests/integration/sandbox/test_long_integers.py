"""Integers of more digits than a float keeps stay different from each other in charts."""

from pathlib import Path

import duckdb
import pytest
from tests.integration.sandbox.conftest import Box
from tests.loose_json import JsonObject

from yarrow.charting import RowFilter
from yarrow.sandbox.model import ChartRequest

pytestmark = pytest.mark.slow

FIRST, SECOND = 12345678901234567890, 12345678901234567891


@pytest.fixture
def table(box: Box) -> Path:
    """As an upload is stored: Parquet has no longer integers than those of 64 bits."""
    path = box.ours.with_name("sent.parquet")
    rows = f"(VALUES ({FIRST}, 1), ({SECOND}, 2), ({SECOND}, 5)) AS t(id, amount)"
    duckdb.execute(f"COPY (FROM {rows} SELECT id::DECIMAL(38, 0) AS id, amount) TO '{path}'")
    return path


async def draw(
    box: Box, table: Path, request: JsonObject, row_filter: str = ""
) -> list[JsonObject]:
    condition = RowFilter("sent", row_filter, 1) if row_filter else None
    chart = await box.sandbox.draw_chart(ChartRequest(request, row_filter=condition), table, 3)
    return chart.rows


async def test_long_names_are_places_of_their_own(box: Box, table: Path) -> None:
    bars = {"chart_type": "bar", "encodings": {"x": "id", "y": "amount"}}

    rows = await draw(box, table, bars)

    assert {row["id"]: row["amount"] for row in rows} == {str(FIRST): 1, str(SECOND): 7}


async def test_long_names_are_counted_exactly(box: Box, table: Path) -> None:
    card = {"chart_type": "kpi", "encodings": {"value": {"field": "id", "aggregate": "distinct"}}}

    (row,) = await draw(box, table, card)

    assert row["id"] == 2


async def test_a_long_number_is_found_exactly(box: Box, table: Path) -> None:
    card = {"chart_type": "kpi", "encodings": {"value": {"field": "amount", "aggregate": "sum"}}}

    (row,) = await draw(box, table, card, f'"id" = {FIRST}')

    assert row["amount"] == 1


async def test_long_numbers_are_measured(box: Box, table: Path) -> None:
    card = {"chart_type": "kpi", "encodings": {"value": {"field": "id", "aggregate": "max"}}}

    (row,) = await draw(box, table, card)

    assert row["id"] == float(SECOND)
