"""Tell that the values of a chart are in several units, where a column of the table names them."""

from collections.abc import Collection
from typing import Final

from yarrow.charting.aggregate import COUNT_KEY, COUNTS
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import DType
from yarrow.charting.notes import Note
from yarrow.charting.reduce.source import ChartSource
from yarrow.kit.json import JsonValue
from yarrow.kit.sql_text import quote_name

CURRENCY_COLUMNS: Final = frozenset({"currency", "currency_code", "ccy", "币种", "货币", "幣種"})
UNIT_COLUMNS: Final = frozenset(
    {"unit", "units", "uom", "unit_of_measure", "measure_unit", "单位", "計量單位", "计量单位"}
)
KNOWN_UNITS: Final = frozenset(
    {
        *("%", "percent", "pct", "$", "€", "£", "¥", "usd", "eur", "gbp", "cny", "rmb", "jpy"),
        *("kg", "g", "mg", "lb", "lbs", "t", "ton", "tons", "tonnes", "km", "m", "cm", "mm", "mi"),
        *("miles", "ft", "l", "ml", "°c", "°f", "celsius", "fahrenheit", "k", "w", "kw", "kwh"),
        *("mwh", "s", "sec", "seconds", "min", "minutes", "h", "hours", "days", "years", "people"),
        *("persons", "pcs", "pieces", "items", "count", "ratio", "index", "hpa", "mm/h", "km/h"),
        *(
            "元",
            "万元",
            "亿元",
            "美元",
            "人",
            "个",
            "件",
            "台",
            "吨",
            "千克",
            "公斤",
            "公里",
            "米",
            "天",
        ),
    }
)
"""A column called `unit` may also hold business units; one of these shows that it does not."""
UNITS_TOLD = 4


def note_mixed_units(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """A note if the measured values are in several units and no channel shows which."""
    measured = next((f for f in frame.fields.values() if _is_measured(f, source)), None)
    shown = {field.name for field in frame.fields.values()}
    named = (name for name in source.columns if _names_units(name) and name not in shown)
    column = next((name for name in named if source.columns[name] is DType.STRING), None)
    if measured is None or column is None:
        return frame
    unit = quote_name(column)
    rows = source.run(
        f"SELECT {unit} FROM {source.relation} WHERE {unit} IS NOT NULL "
        f"AND {quote_name(measured.name)} IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 50"
    )
    units = [unit for (unit,) in rows]
    if len(units) < 2 or not (_is_currency(column) or _are_units(units)):
        return frame
    told = ", ".join(map(str, units[:UNITS_TOLD])) + (", …" if len(units) > UNITS_TOLD else "")
    return frame.with_note(Note.UNITS_MIXED, field=measured.title, column=column, units=told)


def _is_measured(field: ChartField, source: ChartSource) -> bool:
    is_column = field.key != COUNT_KEY and field.name in source.columns
    return is_column and field.measures and field.aggregate not in COUNTS


def _fold(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def _names_units(name: str) -> bool:
    return _fold(name) in UNIT_COLUMNS or _is_currency(name)


def _is_currency(name: str) -> bool:
    return _fold(name) in CURRENCY_COLUMNS


def _are_units(values: Collection[JsonValue]) -> bool:
    return any(str(value).strip().lower() in KNOWN_UNITS for value in values)
