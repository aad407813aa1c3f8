"""Colours that colour-blind readers can distinguish, in print and on a screen.

Eight by Okabe and Ito with a darker yellow for white paper; beyond eight no palette is safe, so
their lighter tints follow.
"""

from typing import Final

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8C8C8C"
INK = "#333333"

SAFE: Final = (
    *(BLUE, "#E69F00", "#009E73", ORANGE, "#56B4E9", "#CC79A7", "#8C7A00", GREY),
    *("#66AAD1", "#F0C566", "#66C5AB", "#E69E66", "#9AD2F1", "#E0AFCA", "#BAAF66", "#C6C6C6"),
)

REST: Final = "#B0B0B0"
"""The rest of the series, gathered as one."""
SAFE_NAMES: Final = tuple(color for color in SAFE if color not in {GREY, "#C6C6C6"})
"""For names beside the rest: no grey."""

SEQUENTIAL, DIVERGING = "viridis", "blueorange"

SCHEMES: Final = frozenset(
    {
        *("viridis", "magma", "inferno", "plasma", "cividis", "turbo", "blues", "greens"),
        *("oranges", "reds", "purples", "greys", "teals", "tealblues", "warmgreys", "browns"),
        *("bluegreen", "bluepurple", "goldgreen", "goldorange", "goldred", "greenblue"),
        *("orangered", "purplebluegreen", "purpleblue", "purplered", "redpurple"),
        *("yellowgreenblue", "yellowgreen", "yelloworangebrown", "yelloworangered"),
        *("blueorange", "brownbluegreen", "purplegreen", "pinkyellowgreen", "purpleorange"),
        *("redblue", "redgrey", "redyellowblue", "redyellowgreen", "spectral", "rainbow"),
    }
)
"""Vega's continuous schemes that a config may name."""
