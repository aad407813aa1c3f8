"""Whether percentages are stored as fractions (0.25) or as they are written (25)."""

from collections.abc import Mapping
from typing import Final

from yarrow.charting.columns import find_meaning_by_name
from yarrow.charting.model import PercentScale, SemanticType

PERCENT_UNIT: Final = "%"
FRACTION_LIMITS: Final[Mapping[SemanticType, float]] = {
    SemanticType.PERCENTAGE: 1.0,
    SemanticType.PERCENTAGE_CHANGE: 1.5,
}
"""Meanings in percent, and how large nine of ten fractions are at most."""
PERCENT_MIN = 1.5
"""Nine of ten values below it may be either."""
PERCENT_MAX = 100
"""A larger value shows that a share by its name only is none."""


def choose_scale(
    meaning: SemanticType, *, median: float, typical: float, largest: float
) -> PercentScale | None:
    """The scale by the value that nine of ten rows do not exceed; None if it cannot be told.

    One outlier says nothing about the other rows, except that no percentage exceeds 100. Changes
    may be larger than one in either scale.
    """
    if typical <= FRACTION_LIMITS[meaning]:
        return PercentScale.FRACTION
    is_clear = meaning is SemanticType.PERCENTAGE or median > 1
    is_percent = typical > PERCENT_MIN and largest <= PERCENT_MAX and is_clear
    return PercentScale.PERCENT if is_percent else None


def looks_like_fraction(name: str, typical: float) -> bool:
    """Whether charts take the values of a column for fractions, by its name."""
    meaning = find_meaning_by_name(name)
    return meaning is not None and typical <= FRACTION_LIMITS.get(meaning, -1)
