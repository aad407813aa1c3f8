"""Render specs in this process with vl-convert, which contains Vega.

Blocking functions that hold the GIL; the server calls them in child processes only. Nothing is
fetched: URLs are removed from the spec, and none is allowed.
"""

import re

from vl_convert import svg_to_png, vegalite_to_svg

from yarrow.charting.strip_urls import strip_urls
from yarrow.kit.json import JsonObject, encode_json
from yarrow.rendering.fonts import find_cjk_font

CONTROL_CHARACTERS = re.compile(
    r"((?<!\\)(?:\\\\)*)\\(?:u00(?:0[0-8bBcCeEfF]|1[0-9a-fA-F])|[bf])|[\ufffe\uffff]"
)
"""Control characters as JSON escapes them. SVG cannot contain them, and vl-convert does not
refuse them but ends the process."""
FALLBACKS = "Noto Sans CJK SC, system-ui, sans-serif"
"""For browsers without the font."""
VERSION = "6.4"
"""The newest Vega-Lite in vl-convert; the schema of the tests is of the same series."""


def render_svg(spec: JsonObject) -> str:
    """The chart as SVG text."""
    return vegalite_to_svg(
        _prepare_spec(spec), vl_version=VERSION, allowed_base_urls=[], show_warnings=False
    )


def rasterise_svg(svg: str, scale: float = 1.0) -> bytes:
    """A PNG of an SVG that was rendered here; scale 2 for high-density screens."""
    return svg_to_png(svg, scale=scale)


def _prepare_spec(spec: JsonObject) -> str:
    """The spec as JSON with a font for Chinese; encoding here is faster than in vl-convert."""
    clean = strip_urls(spec)
    config = clean.get("config")
    font = find_cjk_font()
    if font is not None:
        family = f"{font}, {FALLBACKS}"
        other = config if isinstance(config, dict) else {}
        clean = {**clean, "config": {**other, "font": family}}
    return CONTROL_CHARACTERS.sub(r"\1", encode_json(clean).decode())
