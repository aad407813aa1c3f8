"""How numbers are written on axes, in tooltips and on labels."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from yarrow.charting.dates import are_years
from yarrow.charting.fields import Field
from yarrow.charting.model import SemanticType
from yarrow.kit.json import JsonObject

SHARES: Final = frozenset({SemanticType.PERCENTAGE, SemanticType.PERCENTAGE_CHANGE})
MONEY: Final = frozenset({SemanticType.AMOUNT, SemanticType.PRICE, SemanticType.PROFIT})
FRACTION_MAX = 1.5
"""Shares up to here are fractions of one; growth may pass it a little."""
NARROW_SHARES = 0.1
LONG_NUMBER = 10_000
SMALL_NUMBER = 0.01
"""With two digits after the point it would be nothing."""
ROUNDED_UP = 0.99995
"""From here on one digit after the point makes a number the next size: 999,950 is 1M."""
HALVES_UNTOLD = "datum.value % 1 ? '' : datum.label"
"""Vega takes no step below one, but half of it; rounded, its label would be there twice."""
WHOLE: Final[JsonObject] = {"format": ",d", "tickMinStep": 1, "labelExpr": HALVES_UNTOLD}
SHORT_LABELS = "replace(format(datum.value, '~s'), 'G', 'B')"


def marked_percent(field: Field, values: Sequence[float]) -> Field:
    """A share that is told in hundredths says so in its title."""
    if field.meaning not in SHARES or is_fraction(field, values) or "%" in field.title:
        return field
    return replace(field, title=f"{field.title} (%)")


def is_fraction(field: Field, values: Sequence[float]) -> bool:
    """Whether a share is told as 0.25 and not as 25."""
    if field.meaning not in SHARES:
        return False
    if field.domain is not None:
        return field.domain[1] <= FRACTION_MAX
    return all(abs(value) <= FRACTION_MAX for value in values)


def axis_format(field: Field, values: Sequence[float]) -> JsonObject:
    """What an axis or a legend of this measure is labelled by."""
    if is_fraction(field, values):
        return {"format": ".0%" if max(map(abs, values), default=0) >= NARROW_SHARES else ".1%"}
    if values and max(map(abs, values)) >= LONG_NUMBER:
        return {"labelExpr": SHORT_LABELS}
    if values and all(float(value).is_integer() for value in values):
        spread = max(values) - min(values)
        found: JsonObject = dict(WHOLE) if spread < 10 else {"format": ",d"}
        return found | {"format": "d"} if _are_years(field, values) else found
    return {}


def _are_years(field: Field, values: Sequence[float]) -> bool:
    """A year that is measured is still written as one: 2020, not 2,020."""
    return field.meaning in {None, SemanticType.YEAR} and are_years(values)


def text_format(field: Field, values: Sequence[float]) -> str:
    """The exact value, for tooltips and labels."""
    if is_fraction(field, values):
        return "+.1%" if field.meaning is SemanticType.PERCENTAGE_CHANGE else ".1%"
    if values and all(float(value).is_integer() for value in values):
        return "d" if _are_years(field, values) else ",d"
    if field.meaning in MONEY or (values and max(map(abs, values)) >= 1):
        return ",.2f" if field.meaning in MONEY else ",.2~f"
    return ",.3~g"


def written(value: float | None, field: Field, values: Sequence[float]) -> str:
    """A number as the text on a card: short when it is long."""
    if value is None:
        return "–"
    if is_fraction(field, values):
        return f"{value:.1%}"
    if 0 < abs(value) < SMALL_NUMBER:
        return f"{value:.3g}"
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size * ROUNDED_UP:
            scaled = value / (1e3 if letter == "k" else size)
            return f"{scaled:,.1f}".removesuffix(".0") + letter
    return f"{value:,.2f}".rstrip("0").rstrip(".")
