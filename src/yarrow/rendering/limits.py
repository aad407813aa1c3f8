"""How much one picture may be, decided before it costs anything.

What a spec says is bounded before it is drawn. The size of the whole is known only once Vega has
laid it out, and is looked at before pixels are made of it.
"""

import re
from collections.abc import Iterator
from typing import Final

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.rendering.errors import ChartUndrawable

SPEC_BYTES: Final = 5 * 1024 * 1024
ROWS: Final = 50_000
MADE: Final = 10_000
"""Rows, bins or ticks that a spec lets Vega make."""
SIDE_PX: Final = 4_000
AREA_PX: Final = 16_000_000
NET_DEGREES: Final = 1.0
"""The narrowest net of latitudes and longitudes."""
TOO_LARGE: Final = f"the picture has more than {SIDE_PX} pixels on a side, or {AREA_PX} in all"

_COUNTS: Final = frozenset({"steps", "minsteps", "maxsteps", "maxbins", "tickCount"})
_SIDES: Final = frozenset({"width", "height"})
_NETS: Final = frozenset({"step", "stepMinor", "stepMajor"})
_HOLD_ROWS: Final = frozenset({"values", "datasets"})
_SIZE = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"')


def require_modest(spec: JsonObject, *, size: int, scale: float) -> None:
    """Raises `ChartUndrawable`; `size` is that of the spec in bytes."""
    if size > SPEC_BYTES:
        raise ChartUndrawable(f"the chart's spec has more than {SPEC_BYTES} bytes")
    rows = 0
    for part in _parts(spec):
        rows += _rows_in(part)
        _require_modest_part(part, scale)
    if rows > ROWS:
        raise ChartUndrawable(f"the chart has {rows} rows, more than {ROWS}")


def is_modest_size(svg: str, scale: float) -> bool:
    """Whether a picture that was laid out may be made of so many pixels."""
    found = _SIZE.search(svg)
    if found is None:
        return False
    width, height = (float(side) * scale for side in found.groups())
    return max(width, height) <= SIDE_PX and width * height <= AREA_PX


def _parts(spec: JsonObject) -> Iterator[JsonObject]:
    """Every object of a spec; of rows only the object that holds them."""
    waiting: list[JsonValue] = [spec]
    while waiting:
        match waiting.pop():
            case dict() as part:
                yield part
                waiting += [value for key, value in part.items() if key not in _HOLD_ROWS]
            case list() as several:
                waiting += several
            case _:
                pass


def _rows_in(part: JsonObject) -> int:
    values, named = part.get("values"), part.get("datasets")
    several = [values, *(named.values() if isinstance(named, dict) else ())]
    return sum(len(rows) for rows in several if isinstance(rows, list))


def _require_modest_part(part: JsonObject, scale: float) -> None:
    for key, value in part.items():
        if key in _COUNTS and not _at_most(value, MADE):
            raise ChartUndrawable(f"{key} is more than {MADE}")
        if key in _SIDES and not _at_most(value, SIDE_PX / scale):
            raise ChartUndrawable(TOO_LARGE)
    if isinstance(made := part.get("sequence"), dict) and not _is_short(made):
        raise ChartUndrawable(f"a sequence may have at most {MADE} rows")
    if isinstance(made := part.get("keyvals"), dict) and not _is_short(made):
        raise ChartUndrawable(f"a sequence may have at most {MADE} rows")
    if isinstance(net := part.get("graticule"), dict) and not _is_wide(net):
        raise ChartUndrawable(f"a graticule may have at least {NET_DEGREES} degrees between lines")


def _at_most(value: JsonValue, most: float) -> bool:
    return not isinstance(value, int | float) or value <= most


def _is_short(made: JsonObject) -> bool:
    match made.get("start", 0), made.get("stop"), made.get("step", 1):
        case (int() | float() as start, int() | float() as stop, int() | float() as step):
            return step != 0 and abs(stop - start) / abs(step) <= MADE
        case _:
            return False


def _is_wide(net: JsonObject) -> bool:
    steps = (step for key in _NETS & net.keys() for step in _pair(net[key]))
    return all(isinstance(step, int | float) and step >= NET_DEGREES for step in steps)


def _pair(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]
