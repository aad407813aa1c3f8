"""Borders of maps are data files of the package, which jobs cannot open."""

import pytest
from tests.integration.sandbox.conftest import Box, make_table
from tests.loose_json import JsonObject

from yarrow.sandbox.model import ChartRequest


@pytest.mark.parametrize(("kind", "shapes"), [("world map", 170), ("us map", 51)])
async def test_a_map_that_a_job_draws_has_its_borders(kind: str, shapes: int, box: Box) -> None:
    table = await make_table(box.sandbox, "places", "lon,lat\n-100,40\n-90,35\n")
    encodings = {"longitude": "lon", "latitude": "lat"}
    request = ChartRequest({"chart_type": kind, "encodings": encodings})

    chart = await box.sandbox.draw_chart(request, table, 2)

    layers: list[JsonObject] = chart.spec["layer"]
    outlines = [layer["data"]["values"] for layer in layers if "values" in layer.get("data", {})]
    (collection,) = outlines[0]["objects"].values()
    assert len(collection["geometries"]) >= shapes
