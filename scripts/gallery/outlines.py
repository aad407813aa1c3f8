"""Simplify the outlines of maps and write them to `src/yarrow/charting/data`.

Countries are Natural Earth's at 1:110 million (public domain), states the Census Bureau's (public
domain), both from TopoJSON packages (ISC). Shapes are cut to what a map of 600 pixels shows.
"""

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct
from scripts.gallery.datasets import MODULES, install_packages

TARGET = Path(__file__).parents[2] / "src" / "yarrow" / "charting" / "data"
Topology = dict[str, Any]
"""TopoJSON or a part of it."""
Point = tuple[float, float]
GridPoint = tuple[int, int]
RING_MIN = 4


class Outline(Struct, frozen=True):
    """One map: where it is from, what is kept of it, and how exactly."""

    file: str
    collection: str
    tolerance: float
    grid: float
    left_out: frozenset[str] = frozenset()


WORLD = Outline("world-atlas/countries-110m.json", "countries", tolerance=0.45, grid=0.1)
STATES = Outline(
    "us-atlas/states-10m.json",
    "states",
    tolerance=0.08,
    grid=0.02,
    left_out=frozenset({"60", "66", "69", "72", "78"}),
)
"""Without the territories, which the projection of the United States has no place for."""


def simplify(points: list[Point], tolerance: float) -> list[Point]:
    """Douglas and Peucker; a closed line is divided at the point farthest from its start."""
    if len(points) <= 2:
        return points
    if points[0] == points[-1]:
        far = max(range(len(points)), key=lambda at: math.dist(points[at], points[0]))
        first, second = points[: far + 1], points[far:]
        return [*simplify(first, tolerance)[:-1], *simplify(second, tolerance)]
    at = max(range(len(points)), key=lambda n: _distance(points[n], points[0], points[-1]))
    if _distance(points[at], points[0], points[-1]) <= tolerance:
        return [points[0], points[-1]]
    return [*simplify(points[: at + 1], tolerance)[:-1], *simplify(points[at:], tolerance)]


def _distance(point: Point, start: Point, end: Point) -> float:
    across, up = end[0] - start[0], end[1] - start[1]
    if not (length := math.hypot(across, up)):
        return math.dist(point, start)
    return abs(across * (start[1] - point[1]) - (start[0] - point[0]) * up) / length


def make_topology(outline: Outline) -> Topology:
    source = json.loads((MODULES / outline.file).read_text())
    exact = [_decode(arc, source["transform"]) for arc in source["arcs"]]
    arcs = [_to_grid(arc, outline) for arc in exact]
    geometries = [
        polygons
        for geometry in source["objects"][outline.collection]["geometries"]
        if geometry.get("id") not in outline.left_out
        and (polygons := _keep_polygons(geometry, arcs, exact))
    ]
    used = sorted(
        {_index(arc) for shape in geometries for rings in shape for ring in rings for arc in ring}
    )
    places = {old: new for new, old in enumerate(used)}
    shapes: list[Any] = [
        {
            "type": "MultiPolygon",
            "arcs": [
                [[places[a] if a >= 0 else ~places[~a] for a in ring] for ring in rings]
                for rings in shape
            ],
        }
        for shape in geometries
    ]
    return {
        "type": "Topology",
        "transform": {"scale": [outline.grid, outline.grid], "translate": [0, 0]},
        "objects": {outline.collection: {"type": "GeometryCollection", "geometries": shapes}},
        "arcs": [_differences(arcs[old]) for old in used],
    }


def _index(arc: int) -> int:
    return arc if arc >= 0 else ~arc


def _decode(arc: list[list[int]], transform: Topology) -> list[Point]:
    (across, up), (west, south) = transform["scale"], transform["translate"]
    x = y = 0
    points = []
    for dx, dy in arc:
        x, y = x + dx, y + dy
        points.append((x * across + west, y * up + south))
    return points


def _to_grid(points: list[Point], outline: Outline) -> list[GridPoint]:
    kept = simplify(points, outline.tolerance)
    rounded = [(round(x / outline.grid), round(y / outline.grid)) for x, y in kept]
    return [p for at, p in enumerate(rounded) if at == 0 or p != rounded[at - 1]] or rounded


def _differences(points: list[GridPoint]) -> list[Any]:
    pairs = zip([(0, 0), *points], points, strict=False)
    return [[x - left, y - below] for (left, below), (x, y) in pairs]


def _keep_polygons(
    geometry: Topology, arcs: list[list[GridPoint]], exact: list[list[Point]]
) -> list[list[list[int]]]:
    """The polygons whose outer ring still encloses an area, with the holes that do.

    A ring that turned around would be filled outside, over the whole globe.
    """
    polygons = [geometry["arcs"]] if geometry["type"] == "Polygon" else geometry["arcs"]
    kept = []
    for rings in polygons:
        whole = [ring for ring in rings if _area(ring, arcs) * _area(ring, exact) > 0]
        if whole[:1] == rings[:1]:
            kept.append(whole)
    return kept


def _area(ring: list[int], arcs: Sequence[Sequence[Point | GridPoint]]) -> float:
    """Twice the signed area of a ring; zero if it has too few corners."""
    points: list[Point | GridPoint] = []
    for arc in ring:
        line = arcs[arc] if arc >= 0 else arcs[~arc][::-1]
        points += line[1:] if points else line
    area = sum(x * up - right * y for (x, y), (right, up) in pairwise(points))
    return area if len(points) >= RING_MIN else 0


def main() -> None:
    install_packages()
    for outline in (WORLD, STATES):
        text = json.dumps(make_topology(outline), separators=(",", ":"))
        (TARGET / f"{outline.collection}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
