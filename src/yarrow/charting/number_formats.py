"""How numbers are written on axes, in labels, tooltips and cards."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from yarrow.charting.columns import meaning_of_name
from yarrow.charting.dates import are_years
from yarrow.charting.fields import ChartField
from yarrow.charting.model import ChartLanguage, SemanticType, VegaSpec

SHARES: Final = frozenset({SemanticType.PERCENTAGE, SemanticType.PERCENTAGE_CHANGE})
MONEY: Final = frozenset({SemanticType.AMOUNT, SemanticType.PRICE, SemanticType.PROFIT})
FRACTION_MAX = 1.5
"""Percentages up to this value are fractions; growth rates may exceed 1."""
PERCENT_MAX = 100
"""A larger value shows that a share by its name only is none."""
NARROW_SHARES = 0.1
LONG_NUMBER = 10_000
SMALL_NUMBER = 0.01
"""With two decimals it would be written as 0."""
ROUNDING, DECIMALS_MAX = 1e-9, 8
"""Values so small beside the largest are what is left of sums of floats; decimals of the others."""
ROUNDED_UP = 0.99995
"""From this share on, rounding to one decimal reaches the next unit: 999,950 is 1M."""
HIDE_HALVES = "datum.value % 1 ? '' : datum.label"
"""Vega ignores a minimum step of one and uses halves, whose rounded labels would repeat."""
WHOLE: Final[VegaSpec] = {"format": ",d", "tickMinStep": 1, "labelExpr": HIDE_HALVES}
UNITS: Final[Mapping[ChartLanguage, tuple[tuple[float, str], ...]]] = {
    ChartLanguage.EN: ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")),
    ChartLanguage.ZH: ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
    ChartLanguage.HANT: ((1e12, "萬億"), (1e8, "億"), (1e4, "萬")),
}
"""Units of long numbers, the largest first."""


def add_percent_sign(field: ChartField, values: Sequence[float]) -> ChartField:
    """Append (%) to the title of percentages from 0 to 100.

    All rows of the table decide, not only the drawn values: a mean of 1.2 is no 120 %.
    """
    if field.meaning not in SHARES or is_fraction(field, values) or "%" in field.title:
        return field
    shown = (field.largest, *map(abs, values))
    if not field.is_registered and max(shown) > PERCENT_MAX:
        return field
    return replace(field, title=f"{field.title} (%)")


def is_fraction(field: ChartField, values: Sequence[float]) -> bool:
    """Whether percentages are stored as 0.25 and not as 25."""
    if field.meaning not in SHARES:
        return False
    if field.domain is not None:
        return field.domain[1] <= FRACTION_MAX
    return all(abs(value) <= FRACTION_MAX for value in (field.largest, *values))


def shorten_numbers(value: str, language: ChartLanguage, *, digits: str = ".6~r") -> str:
    """A Vega expression that writes a number as 12k, 3M or 4B, in Chinese as 1.2万 or 40亿."""
    text = f"format({value}, ',{digits}')"
    for size, unit in reversed(UNITS[language]):
        shortened = f"format({value} / {size:.0f}, ',{digits}') + '{unit}'"
        text = f"(abs({value}) < {size:.0f} ? {text} : {shortened})"
    return text


def choose_axis_format(
    field: ChartField, values: Sequence[float], language: ChartLanguage
) -> VegaSpec:
    """The number format of an axis or a legend."""
    if is_fraction(field, values):
        return {"format": ".0%" if max(map(abs, values), default=0) >= NARROW_SHARES else ".1%"}
    if values and max(map(abs, values)) >= LONG_NUMBER:
        return {"labelExpr": shorten_numbers("datum.value", language)}
    if values and all(float(value).is_integer() for value in values):
        spread = max(values) - min(values)
        definition: VegaSpec = dict(WHOLE) if spread < 10 else {"format": ",d"}
        return definition | {"format": "d"} if _are_years(field, values) else definition
    return {}


def _are_years(field: ChartField, values: Sequence[float]) -> bool:
    """Whether the numbers are years, which are written as 2020, not 2,020."""
    is_named = meaning_of_name(field.name) is SemanticType.YEAR
    return is_named or (field.meaning is None and are_years(values))


def choose_text_format(field: ChartField, values: Sequence[float]) -> str:
    """The number format of exact values in tooltips and labels."""
    if is_fraction(field, values):
        return "+.1%" if field.meaning is SemanticType.PERCENTAGE_CHANGE else ".1%"
    if values and all(float(value).is_integer() for value in values):
        return "d" if _are_years(field, values) else ",d"
    largest = max(map(abs, values), default=0)
    least = min((abs(v) for v in values if abs(v) > largest * ROUNDING), default=largest)
    if largest >= 1 and least < SMALL_NUMBER:
        return f",.{min(DECIMALS_MAX, 1 - math.floor(math.log10(least)))}~f"
    if field.meaning in MONEY and least >= SMALL_NUMBER:
        return ",.2f"
    return ",.2~f" if largest >= 1 else ",.3~g"


def format_short(
    value: float | None, field: ChartField, values: Sequence[float], language: ChartLanguage
) -> str:
    """A number as short text for cards and rings: 1.2M."""
    if value is None:
        return "–"
    if is_fraction(field, values):
        return f"{value:.1%}"
    if 0 < abs(value) < SMALL_NUMBER:
        return f"{value:.3g}"
    for size, unit in UNITS[language]:
        if abs(value) >= max(size, LONG_NUMBER) * ROUNDED_UP:
            decimals = 1 if language is ChartLanguage.EN else 2
            return f"{value / size:,.{decimals}f}".rstrip("0").rstrip(".") + unit
    return f"{value:,.2f}".rstrip("0").rstrip(".")
