"""Specs that nobody of ours wrote: whatever would reach outside is taken out.

A picture must not make the server, or the browser that shows it, fetch an address. Rows are
data, not addresses, and stay as they are.
"""

from typing import Final

from yarrow.charting.model import VegaSpec
from yarrow.kit.json import JsonValue

OUTWARD: Final = frozenset({"url", "href", "src", "usermeta", "loader"})
"""Keys that hold addresses, or hand options to the page that embeds the chart."""
ROWS: Final = frozenset({"values", "datasets"})
SCHEMES: Final = ("http:", "https:", "file:", "ftp:", "data:", "javascript:", "//", "blob:")


def strip_external(spec: VegaSpec) -> VegaSpec:
    """The spec without addresses; data that had to be fetched becomes no rows.

    Rows are shared with the original, not copied.
    """
    found = _stripped_object(spec)
    if "$schema" in spec:
        found = {"$schema": spec["$schema"], **found}
    return found


def _stripped(value: JsonValue) -> JsonValue:
    match value:
        case dict():
            return _stripped_object(value)
        case list():
            return [_stripped(item) for item in value if not _leads_out(item)]
        case _:
            return value


def _stripped_object(value: VegaSpec) -> VegaSpec:
    kept: VegaSpec = {
        key: inner if key in ROWS and not _is_field_list(inner) else _stripped(inner)
        for key, inner in value.items()
        if key not in OUTWARD and key != "$schema" and not _leads_out(inner)
    }
    for key in ("data", "from"):
        source = value.get(key)
        if isinstance(source, dict) and "url" in source:
            kept[key] = kept.get(key, {}) | {"values": []}
            kept[key].pop("format", None)
    return kept


def _is_field_list(value: JsonValue) -> bool:
    """Axis values and the like: short, and not rows."""
    return isinstance(value, list) and not any(isinstance(item, dict) for item in value)


def _leads_out(value: JsonValue) -> bool:
    return isinstance(value, str) and value.strip().lower().startswith(SCHEMES)
