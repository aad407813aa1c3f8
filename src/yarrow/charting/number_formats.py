"""How numbers are written on axes, in labels, tooltips and cards."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from yarrow.charting.columns import find_meaning_by_name
from yarrow.charting.dates import are_years
from yarrow.charting.fields import ChartField
from yarrow.charting.model import ChartLanguage, PercentScale, SemanticType, VegaSpec

MONEY: Final = frozenset({SemanticType.AMOUNT, SemanticType.PRICE, SemanticType.PROFIT})
STEPS = 10
"""Of an axis."""
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


def add_percent_sign(field: ChartField) -> ChartField:
    """Append (%) to the title of percentages from 0 to 100."""
    if field.scale is not PercentScale.PERCENT or "%" in field.title:
        return field
    return replace(field, title=f"{field.title} (%)")


def is_fraction(field: ChartField) -> bool:
    """Whether percentages are stored as 0.25 and not as 25, whatever was computed of them."""
    return field.scale is PercentScale.FRACTION


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
    if is_fraction(field):
        return {"format": _format_steps(values)}
    if values and max(map(abs, values)) >= LONG_NUMBER:
        return {"labelExpr": shorten_numbers("datum.value", language)}
    if values and all(float(value).is_integer() for value in values):
        spread = max(values) - min(values)
        definition: VegaSpec = dict(WHOLE) if spread < 10 else {"format": ",d"}
        return definition | {"format": "d"} if _are_years(field, values) else definition
    return {}


def _format_steps(values: Sequence[float]) -> str:
    """Of fractions as percent: as many decimals as the steps of an axis need, which are a tenth of
    the largest value, or of the range of the values if the axis does not begin at zero."""
    largest = max(map(abs, values), default=1.0)
    spread = max(values, default=0.0) - min(values, default=0.0)
    from_zero, in_range = _count_step_decimals(largest), _count_step_decimals(spread)
    if in_range <= from_zero:
        return f".{from_zero}%"
    return f".{min(in_range, from_zero + 3)}~%"


def _count_step_decimals(size: float) -> int:
    """Decimals of a tenth of a fraction, in percent."""
    percent = size * 100 / STEPS
    return min(DECIMALS_MAX, max(0, -math.floor(math.log10(percent)))) if percent > 0 else 0


def _drop_noise(values: Sequence[float]) -> list[float]:
    """The sizes of the values without zeros and what is left of sums of floats."""
    largest = max(map(abs, values), default=0)
    return [abs(v) for v in values if abs(v) > largest * ROUNDING]


def count_decimals(fraction: float) -> int:
    """Decimals of a fraction in percent: one, below 1 % as many as show three digits that count."""
    percent = abs(fraction) * 100
    if percent >= 1 or not percent:
        return 1
    return min(DECIMALS_MAX, 2 - math.floor(math.log10(percent)))


def write_percent(fraction: float) -> str:
    """A fraction as text: 3.2%, and 0.0725% instead of 0.1%."""
    decimals = count_decimals(fraction)
    text = f"{fraction * 100:,.{decimals}f}"
    return f"{text.rstrip('0') if decimals > 1 else text}%"


def _are_years(field: ChartField, values: Sequence[float]) -> bool:
    """Whether the numbers are years, which are written as 2020, not 2,020."""
    is_named = find_meaning_by_name(field.name) is SemanticType.YEAR
    return is_named or (field.meaning is None and are_years(values))


def choose_text_format(field: ChartField, values: Sequence[float]) -> str:
    """The number format of exact values in tooltips and labels."""
    if is_fraction(field):
        sign = "+" if field.meaning is SemanticType.PERCENTAGE_CHANGE else ""
        decimals = max((count_decimals(value) for value in _drop_noise(values)), default=1)
        return f"{sign}.{decimals}{'~' * (decimals > 1)}%"
    if values and all(float(value).is_integer() for value in values):
        return "d" if _are_years(field, values) else ",d"
    sizes = _drop_noise(values)
    largest, least = max(sizes, default=0), min(sizes, default=0)
    if largest >= 1 and least < SMALL_NUMBER:
        return f",.{min(DECIMALS_MAX, 1 - math.floor(math.log10(least)))}~f"
    if field.meaning in MONEY and least >= SMALL_NUMBER:
        return ",.2f"
    return ",.2~f" if largest >= 1 else ",.3~g"


def format_short(value: float | None, field: ChartField, language: ChartLanguage) -> str:
    """A number as short text for cards and rings: 1.2M."""
    if value is None:
        return "–"
    if is_fraction(field):
        return write_percent(value)
    if 0 < abs(value) < SMALL_NUMBER:
        return f"{value:.3g}"
    for size, unit in UNITS[language]:
        if abs(value) >= max(size, LONG_NUMBER) * ROUNDED_UP:
            decimals = 1 if language is ChartLanguage.EN else 2
            return f"{value / size:,.{decimals}f}".rstrip("0").rstrip(".") + unit
    return f"{value:,.2f}".rstrip("0").rstrip(".")
