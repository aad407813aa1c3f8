"""Limits of one chart.

What a spec declares is checked before it is rendered. The size of the whole chart is known only
after Vega's layout, and is checked before it is rasterised.
"""

import re
from collections.abc import Iterator
from typing import Final

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.rendering.errors import ChartUndrawable

SPEC_BYTES: Final = 5 * 1024 * 1024
ROWS: Final = 50_000
GENERATED: Final = 10_000
"""Rows, bins or ticks that a spec lets Vega generate."""
SIDE_PX: Final = 4_000
AREA_PX: Final = 16_000_000
GRATICULE_DEGREES: Final = 1.0
"""Least distance between lines of latitude or longitude."""
TOO_LARGE: Final = f"the picture has more than {SIDE_PX} pixels on a side, or {AREA_PX} in all"

_COUNTS: Final = frozenset({"steps", "minsteps", "maxsteps", "maxbins", "tickCount"})
_SIDES: Final = frozenset({"width", "height"})
_GRATICULE_STEPS: Final = frozenset({"step", "stepMinor", "stepMajor"})
_ROW_KEYS: Final = frozenset({"values", "datasets"})
_SIZE = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"')


def require_within_limits(spec: JsonObject, *, size: int, scale: float) -> None:
    """Raise `ChartUndrawable` for a spec above the limits; `size` is its size in bytes."""
    if size > SPEC_BYTES:
        raise ChartUndrawable(f"the chart's spec has more than {SPEC_BYTES} bytes")
    rows = 0
    for part in _iterate_parts(spec):
        rows += _count_rows(part)
        _require_part_within_limits(part, scale)
    if rows > ROWS:
        raise ChartUndrawable(f"the chart has {rows} rows, more than {ROWS}")


def is_size_allowed(svg: str, scale: float) -> bool:
    """Whether an SVG at this scale is within the limits of pixels."""
    size = _SIZE.search(svg)
    if size is None:
        return False
    width, height = (float(side) * scale for side in size.groups())
    return max(width, height) <= SIDE_PX and width * height <= AREA_PX


def _iterate_parts(spec: JsonObject) -> Iterator[JsonObject]:
    """Every object of a spec, without the rows in it."""
    pending: list[JsonValue] = [spec]
    while pending:
        match pending.pop():
            case dict() as part:
                yield part
                pending += [value for key, value in part.items() if key not in _ROW_KEYS]
            case list() as items:
                pending += items
            case _:
                pass


def _count_rows(part: JsonObject) -> int:
    values, datasets = part.get("values"), part.get("datasets")
    tables = [values, *(datasets.values() if isinstance(datasets, dict) else ())]
    return sum(len(rows) for rows in tables if isinstance(rows, list))


def _require_part_within_limits(part: JsonObject, scale: float) -> None:
    for key, value in part.items():
        if key in _COUNTS and not _is_at_most(value, GENERATED):
            raise ChartUndrawable(f"{key} is more than {GENERATED}")
        if key in _SIDES and not _is_at_most(value, SIDE_PX / scale):
            raise ChartUndrawable(TOO_LARGE)
    for key in ("sequence", "keyvals"):
        if isinstance(sequence := part.get(key), dict) and not _is_short(sequence):
            raise ChartUndrawable(f"a sequence may have at most {GENERATED} rows")
    if isinstance(graticule := part.get("graticule"), dict) and not _is_wide(graticule):
        raise ChartUndrawable(
            f"a graticule may have at least {GRATICULE_DEGREES} degrees between lines"
        )


def _is_at_most(value: JsonValue, limit: float) -> bool:
    return not isinstance(value, int | float) or value <= limit


def _is_short(sequence: JsonObject) -> bool:
    match sequence.get("start", 0), sequence.get("stop"), sequence.get("step", 1):
        case (int() | float() as start, int() | float() as stop, int() | float() as step):
            return step != 0 and abs(stop - start) / abs(step) <= GENERATED
        case _:
            return False


def _is_wide(graticule: JsonObject) -> bool:
    steps = (
        step
        for key in _GRATICULE_STEPS & graticule.keys()
        for step in _wrap_in_list(graticule[key])
    )
    return all(isinstance(step, int | float) and step >= GRATICULE_DEGREES for step in steps)


def _wrap_in_list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]
