"""Points on a map with borders.

The outlines are inside the spec, which must not load external data.
"""

from yarrow.charting.encode import encode_color, encode_tooltip
from yarrow.charting.frame import ChartFrame, ChartMarks
from yarrow.charting.map_outlines import Outline, load_outline
from yarrow.charting.model import ChartChannel, VegaSpec
from yarrow.charting.notes import Note
from yarrow.charting.number_formats import choose_axis_format
from yarrow.charting.palette import ORANGE
from yarrow.kit.json import JsonValue

PROJECTIONS = frozenset(
    {
        *("equalEarth", "naturalEarth1", "mercator", "equirectangular", "orthographic"),
        *("azimuthalEqualArea", "azimuthalEquidistant", "stereographic", "transverseMercator"),
        *("albers", "conicEqualArea", "conicConformal", "conicEquidistant", "gnomonic"),
    }
)
US_PROJECTION = "albersUsa"
"""Only for the map of the United States: it has no place for points elsewhere."""
WORLD_PROJECTION = "equalEarth"
WORLD = ((-180.0, 180.0), (-90.0, 90.0))


def draw_world_map(frame: ChartFrame) -> ChartMarks:
    """A map of the world."""
    projection = _build_projection(frame, WORLD_PROJECTION)
    if frame.config.get("projection") == US_PROJECTION:
        frame = frame.with_note(Note.US_ONLY, name=US_PROJECTION, done=WORLD_PROJECTION)
    ground: list[VegaSpec] = [
        {"data": {"sphere": True}, "mark": {"type": "geoshape", "fill": "#F3F7FA"}},
        _build_graticule_layer({"step": [30, 30]}),
        _build_outline_layer(Outline.COUNTRIES),
    ]
    size = {"width": max(frame.size.width, 500), "height": frame.size.height}
    body: VegaSpec = {"layer": [*ground, _build_point_layer(frame)], "projection": projection}
    return ChartMarks(body | size, frame)


def draw_us_map(frame: ChartFrame) -> ChartMarks:
    """A map of the United States, with Alaska and Hawaii beside the other states."""
    projection = _build_projection(frame, US_PROJECTION)
    body: VegaSpec = {
        "layer": [_build_outline_layer(Outline.STATES), _build_point_layer(frame)],
        "projection": projection,
    }
    size = {"width": max(frame.size.width, 500), "height": frame.size.height}
    return ChartMarks(body | size, frame)


def _build_projection(frame: ChartFrame, usual: str) -> VegaSpec:
    value = frame.config.get("projection")
    projection: VegaSpec = {
        "type": value if isinstance(value, str) and value in PROJECTIONS else usual
    }
    center = _parse_center(frame.config.get("projectionCenter"))
    if projection["type"] == US_PROJECTION:
        return projection  # it is composed of three, and cannot be rotated
    return projection | {"rotate": [-center[0], -center[1], 0]} if center else projection


def _parse_center(value: JsonValue) -> tuple[float, float] | None:
    match value:
        case [int() | float() as longitude, int() | float() as latitude] if (
            abs(longitude) <= WORLD[0][1] and abs(latitude) <= WORLD[1][1]
        ):
            return float(longitude), float(latitude)
        case _:
            return None


def _build_outline_layer(outline: Outline) -> VegaSpec:
    form = {"type": "topojson", "feature": str(outline)}
    data = {"values": load_outline(outline), "format": form}
    mark = {"type": "geoshape", "fill": "#E4E8EB", "stroke": "#A9B4BC", "strokeWidth": 0.5}
    return {"data": data, "mark": mark}


def _build_graticule_layer(graticule: VegaSpec) -> VegaSpec:
    mark = {"type": "geoshape", "filled": False, "stroke": "#C9D3DB", "strokeWidth": 0.6}
    return {"data": {"graticule": graticule}, "mark": mark}


def _build_point_layer(frame: ChartFrame) -> VegaSpec:
    east, north = frame.need(ChartChannel.LONGITUDE), frame.need(ChartChannel.LATITUDE)
    hue, size = frame.get(ChartChannel.COLOR), frame.get(ChartChannel.SIZE)
    encoding: VegaSpec = {
        "longitude": {"field": east.key, "type": "quantitative"},
        "latitude": {"field": north.key, "type": "quantitative"},
        "tooltip": encode_tooltip(frame, hue, size, north, east),
        "color": encode_color(frame, hue) if hue else {"value": ORANGE},
    }
    if size is not None:
        encoding["size"] = {"field": size.key, "type": str(size.kind), "title": size.title}
        if size.measures:
            encoding["size"] |= {"scale": {"rangeMin": 10, "rangeMax": 400}}
            encoding["size"] |= {
                "legend": choose_axis_format(size, frame.numbers(size), frame.words.language)
            }
    mark: VegaSpec = {"type": "circle", "opacity": 0.75, "stroke": "white", "strokeWidth": 0.5}
    return {"mark": mark | ({} if size else {"size": 45}), "encoding": encoding}
