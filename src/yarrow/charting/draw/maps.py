"""Points on the earth, over lines of latitude and longitude.

No coastlines: they would have to be fetched, and a chart of ours needs nothing from outside.
"""

from yarrow.charting.encode import color, tooltip
from yarrow.charting.errors import ChartWithoutRows
from yarrow.charting.frame import Drawing, Frame, number_in, require_measure
from yarrow.charting.model import Channel, VegaSpec
from yarrow.charting.palette import ORANGE
from yarrow.kit.json import JsonValue

PROJECTIONS = frozenset(
    {
        *("equalEarth", "naturalEarth1", "mercator", "equirectangular", "orthographic"),
        *("azimuthalEqualArea", "azimuthalEquidistant", "stereographic", "transverseMercator"),
        *("albers", "conicEqualArea", "conicConformal", "conicEquidistant", "gnomonic"),
    }
)
WORLD = ((-180.0, 180.0), (-90.0, 90.0))
STATES = ((-170.0, -60.0), (15.0, 72.0))
NO_OUTLINES = "the map shows latitudes and longitudes, no borders"


def world(frame: Frame) -> Drawing:
    """The whole globe."""
    frame = _within(frame, WORLD, "the globe")
    projection = _projection(frame, "equalEarth")
    ground: list[VegaSpec] = [
        {"data": {"sphere": True}, "mark": {"type": "geoshape", "fill": "#F3F7FA"}},
        _lines({"step": [30, 30]}),
    ]
    size = {"width": max(frame.size.width, 500), "height": frame.size.height}
    body: VegaSpec = {"layer": [*ground, _points(frame)], "projection": projection}
    return Drawing(body | size, frame.noted(NO_OUTLINES))


def united_states(frame: Frame) -> Drawing:
    """North America as the United States draw themselves."""
    frame = _within(frame, STATES, "the United States")
    window = {"extent": [[-126, 23], [-65, 51]], "step": [10, 5]}
    projection = _projection(frame, "albers")
    body: VegaSpec = {"layer": [_lines(window), _points(frame)], "projection": projection}
    size = {"width": max(frame.size.width, 500), "height": frame.size.height}
    return Drawing(body | size, frame.noted(NO_OUTLINES))


def _within(
    frame: Frame, window: tuple[tuple[float, float], tuple[float, float]], where: str
) -> Frame:
    require_measure(frame, Channel.LONGITUDE, Channel.LATITUDE)
    east, north = frame.need(Channel.LONGITUDE).key, frame.need(Channel.LATITUDE).key
    (west, east_end), (south, north_end) = window
    rows = [
        row
        for row in frame.rows
        if row.get(east) is not None
        and row.get(north) is not None
        and west <= number_in(row, east) <= east_end
        and south <= number_in(row, north) <= north_end
    ]
    if not rows:
        raise ChartWithoutRows(f"no row has a place on {where}")
    left = len(frame.rows) - len(rows)
    frame = frame.having(rows)
    return frame.noted(f"{left} rows lie outside {where}") if left else frame


def _projection(frame: Frame, usual: str) -> VegaSpec:
    told = frame.config.get("projection")
    found: VegaSpec = {"type": told if isinstance(told, str) and told in PROJECTIONS else usual}
    center = _pair(frame.config.get("projectionCenter"))
    return found | {"rotate": [-center[0], -center[1], 0]} if center else found


def _pair(told: JsonValue) -> tuple[float, float] | None:
    match told:
        case [int() | float() as longitude, int() | float() as latitude] if (
            abs(longitude) <= WORLD[0][1] and abs(latitude) <= WORLD[1][1]
        ):
            return float(longitude), float(latitude)
        case _:
            return None


def _lines(graticule: VegaSpec) -> VegaSpec:
    mark = {"type": "geoshape", "filled": False, "stroke": "#C9D3DB", "strokeWidth": 0.6}
    return {"data": {"graticule": graticule}, "mark": mark}


def _points(frame: Frame) -> VegaSpec:
    east, north = frame.need(Channel.LONGITUDE), frame.need(Channel.LATITUDE)
    hue, size = frame.get(Channel.COLOR), frame.get(Channel.SIZE)
    encoding: VegaSpec = {
        "longitude": {"field": east.key, "type": "quantitative"},
        "latitude": {"field": north.key, "type": "quantitative"},
        "tooltip": tooltip(frame, hue, size, north, east),
        "color": color(frame, hue) if hue else {"value": ORANGE},
    }
    if size is not None:
        encoding["size"] = {"field": size.key, "type": str(size.kind), "title": size.title}
        if size.measures:
            encoding["size"] |= {"scale": {"rangeMin": 10, "rangeMax": 600}}
    mark: VegaSpec = {"type": "circle", "opacity": 0.75, "stroke": "white", "strokeWidth": 0.5}
    return {"mark": mark | ({} if size else {"size": 45}), "encoding": encoding}
