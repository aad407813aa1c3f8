"""Pictures of specs, drawn in this process by the Vega that vl-convert carries.

Plain blocking functions: call them in a thread. Nothing is fetched: addresses are taken out of
the spec first, and none is allowed.
"""

import re

from vl_convert import svg_to_png, vegalite_to_svg

from yarrow.charting.safety import strip_external
from yarrow.kit.json import JsonObject, encode_json
from yarrow.rendering.fonts import cjk_font

UNDRAWABLE = re.compile(
    r"((?<!\\)(?:\\\\)*)\\(?:u00(?:0[0-8bBcCeEfF]|1[0-9a-fA-F])|[bf])|[\ufffe\uffff]"
)
"""Control characters as JSON writes them. They have no place in SVG, and vl-convert does not
refuse them: it ends the whole process."""
FALLBACKS = "system-ui, sans-serif"
"""For browsers that show the SVG where the font is not installed."""
VERSION = "6.4"
"""The newest Vega-Lite of vl-convert; the schema of altair is of the same series."""


def render_svg(spec: JsonObject) -> str:
    """The chart as SVG text."""
    return vegalite_to_svg(
        _ready(spec), vl_version=VERSION, allowed_base_urls=[], show_warnings=False
    )


def render_png(spec: JsonObject, scale: float = 1.0) -> bytes:
    """The chart as a PNG; scale 2 for screens with small pixels."""
    return rasterised(render_svg(spec), scale)


def rasterised(svg: str, scale: float = 1.0) -> bytes:
    """A PNG of an SVG that was drawn here."""
    return svg_to_png(svg, scale=scale)


def _ready(spec: JsonObject) -> str:
    """JSON text with a font that has all characters: encoding here is quicker than there."""
    clean = strip_external(spec)
    config = clean.get("config")
    font = cjk_font()
    if font is not None:
        family = f"{font}, {FALLBACKS}"
        kept = config if isinstance(config, dict) else {}
        clean = {**clean, "config": {**kept, "font": family}}
    return UNDRAWABLE.sub(r"\1", encode_json(clean).decode())
