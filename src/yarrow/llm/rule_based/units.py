"""Units of length, weight, volume, area, time, data and temperature. A table of data.

Each unit is a pair of whole numbers or decimals: so many of the base unit of its kind, divided by
so many. Units whose size depends on the country (gallon, pint, 斗) are left out.
"""

import re
from functools import cache
from typing import Final

from msgspec import Struct


class Unit(Struct, frozen=True):
    """A unit as answers name it; `factor` base units of its kind."""

    kind: str
    symbol: str
    factor: str


_UNITS: Final = {
    "length m": {
        "mm 0.001": "mm millimeters? millimetres? 毫米",
        "cm 0.01": "cm centimeters? centimetres? 厘米 公分",
        "m 1": "m meters? metres? 米 公尺",
        "km 1000": "km kms kilometers? kilometres? 公里 千米",
        "in 0.0254": "in inch inches 英寸",
        "ft 0.3048": "ft foot feet 英尺",
        "yd 0.9144": "yd yards? 码",
        "mi 1609.344": "mi miles? 英里",
        "nmi 1852": "nmi nautical_miles? 海里",
        "里 500": "华里",
    },
    "weight g": {
        "mg 0.001": "mg milligrams? 毫克",
        "g 1": "g grams? grammes? 克",
        "kg 1000": "kg kgs kilos? kilograms? 公斤 千克",
        "t 1000000": "tonnes? 吨 公吨",
        "st 6350.29318": "stones?",
        "oz 28.349523125": "oz ounces? 盎司",
        "lb 453.59237": "lbs? pounds? 磅",
        "斤 500": "斤 市斤",
        "两 50": "市两 两 兩",
    },
    "volume l": {
        "ml 0.001": "ml milliliters? millilitres? 毫升",
        "l 1": "l liters? litres? 升 公升",
    },
    "area m²": {
        "m² 1": "sqm m2 m² square_met(?:er|re)s? 平方米 平米",
        "km² 1000000": "km2 km² square_kilomet(?:er|re)s? 平方公里 平方千米",
        "ha 10000": "ha hectares? 公顷",
        "acres 4046.8564224": "acres? 英亩",
        "亩 (2000/3)": "亩 畝",
        "sq ft 0.09290304": "sqft square_(?:feet|foot) 平方英尺",
    },
    "speed km/h": {
        "km/h 1": "km/h kmh kph kmph kilomet(?:er|re)s?_per_hour 公里每小时 公里/小时",
        "mph 1.609344": "mph miles?_per_hour mi/h 英里每小时",
        "m/s 3.6": "m/s met(?:er|re)s?_per_second 米每秒",
        "kn 1.852": "knots?",
    },
    "time s": {
        "s 1": "s secs? seconds? 秒 秒钟",
        "min 60": "mins? minutes? 分钟 分鐘",
        "h 3600": "h hrs? hours? 小时 小時 个小时 個小時",
        "days 86400": "days? 天",
        "weeks 604800": "weeks? 周 星期 个星期",
    },
    "data byte": {
        "bytes 1": "bytes? 字节",
        "kB 1000": "kb kilobytes?",
        "MB 1000000": "mb megabytes? 兆",
        "GB 1000000000": "gb gigabytes?",
        "TB 1000000000000": "tb terabytes?",
        "KiB 1024": "kib",
        "MiB 1048576": "mib",
        "GiB 1073741824": "gib",
    },
    "temperature °C": {
        "°C 1": "°c c celsius degrees?_c(?:elsius)? centigrade 摄氏度 摄氏 攝氏度",
        "°F 1": "°f f fahrenheit degrees?_f(?:ahrenheit)? 华氏度 华氏 華氏度",
    },
}


_TEMPERATURES: Final = frozenset(("°C", "°F"))


@cache
def _list_unit_patterns() -> tuple[tuple[re.Pattern[str], Unit], ...]:
    """A pattern for the names of each unit."""
    known = []
    for kind, units in _UNITS.items():
        for unit, names in units.items():
            symbol, _, factor = unit.rpartition(" ")
            pattern = "|".join(names.split(" ")).replace("_", " ")
            known.append((re.compile(pattern), Unit(kind.split()[0], symbol, factor)))
    return tuple(known)


def find_unit(name: str) -> Unit | None:
    """The unit of this name, in lower case."""
    return next((unit for pattern, unit in _list_unit_patterns() if pattern.fullmatch(name)), None)


@cache
def build_unit_pattern() -> str:
    """A pattern that finds the name of any unit, the longest first."""
    names = [n for units in _UNITS.values() for names in units.values() for n in names.split(" ")]
    written = sorted((name.replace("_", " ") for name in names), key=len, reverse=True)
    return "|".join(rf"{name}(?![a-z²])" if name[0].isascii() else name for name in written)


def is_temperature(unit: Unit) -> bool:
    """Whether amounts of the unit are points of a scale, which do not add up."""
    return unit.symbol in _TEMPERATURES


def write_conversion(amounts: list[tuple[str, Unit]], target: Unit) -> str:
    """The expression for an amount in another unit of its kind; 0 °C is 32 °F."""
    value, source = amounts[0]
    if is_temperature(source):
        if source == target:
            return value
        return f"({value} - 32) * 5 / 9" if target.symbol == "°C" else f"{value} * 9 / 5 + 32"
    terms = [value if unit.factor == "1" else f"{value} * {unit.factor}" for value, unit in amounts]
    total = " + ".join(terms)
    if target.factor == "1":
        return total
    return f"({total}) / {target.factor}" if len(terms) > 1 else f"{total} / {target.factor}"
