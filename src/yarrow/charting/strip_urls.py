"""Remove external addresses from specs that come from clients or models.

Neither the server nor a browser that shows a chart may be made to fetch a URL. Rows are data and
are not changed.
"""

from typing import Final

from yarrow.charting.model import VegaSpec
from yarrow.kit.json import JsonValue

EXTERNAL_KEYS: Final = frozenset({"url", "href", "src", "usermeta", "loader"})
"""Keys that hold URLs, or options of the page that embeds the chart."""
ROWS: Final = frozenset({"values", "datasets"})
SCHEMES: Final = ("http:", "https:", "file:", "ftp:", "data:", "javascript:", "//", "blob:")


def strip_urls(spec: VegaSpec) -> VegaSpec:
    """The spec without URLs; data that would be fetched is replaced by no rows.

    Rows are shared with the original, not copied.
    """
    stripped = _strip_object(spec)
    if "$schema" in spec:
        stripped = {"$schema": spec["$schema"], **stripped}
    return stripped


def _strip_value(value: JsonValue) -> JsonValue:
    match value:
        case dict():
            return _strip_object(value)
        case list():
            return [_strip_value(item) for item in value if not _is_external(item)]
        case _:
            return value


def _strip_object(value: VegaSpec) -> VegaSpec:
    kept: VegaSpec = {
        key: inner if key in ROWS and not _is_field_list(inner) else _strip_value(inner)
        for key, inner in value.items()
        if key not in EXTERNAL_KEYS and key != "$schema" and not _is_external(inner)
    }
    for key in ("data", "from"):
        source = value.get(key)
        if isinstance(source, dict) and "url" in source:
            kept[key] = kept.get(key, {}) | {"values": []}
            kept[key].pop("format", None)
    return kept


def _is_field_list(value: JsonValue) -> bool:
    """Whether it is a list of values, as of an axis, and not rows."""
    return isinstance(value, list) and not any(isinstance(item, dict) for item in value)


def _is_external(value: JsonValue) -> bool:
    return isinstance(value, str) and value.strip().lower().startswith(SCHEMES)
