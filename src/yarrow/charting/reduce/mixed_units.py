"""Tell that the values of a chart are in several units, where a column of the table names them."""

from collections.abc import Collection, Sequence
from typing import Final

from yarrow.charting.aggregate import COUNTS, choose_default_aggregate
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import Aggregate, DType, SemanticType
from yarrow.charting.notes import Note
from yarrow.charting.number_formats import MONEY
from yarrow.charting.reduce.source import ChartSource
from yarrow.charting.row_keys import COUNT_KEY
from yarrow.kit.sql_text import quote_name
from yarrow.language.chinese_script import fold_script

CURRENCY_COLUMNS: Final = frozenset({"currency", "currency_code", "ccy", "币种", "货币"})
UNIT_COLUMNS: Final = frozenset(
    {"unit", "units", "uom", "unit_of_measure", "measure_unit", "单位", "计量单位"}
)
"""Folded: in lower case and simplified script."""
KNOWN_UNITS: Final = frozenset(
    {
        *("%", "percent", "pct", "$", "€", "£", "¥", "usd", "eur", "gbp", "cny", "rmb", "jpy"),
        *("kg", "g", "mg", "lb", "lbs", "t", "ton", "tons", "tonnes", "km", "m", "cm", "mm", "mi"),
        *("miles", "ft", "l", "ml", "°c", "°f", "celsius", "fahrenheit", "k", "w", "kw", "kwh"),
        *("mwh", "s", "sec", "seconds", "min", "minutes", "h", "hours", "days", "years", "people"),
        *("persons", "pcs", "pieces", "items", "count", "ratio", "index", "hpa", "mm/h", "km/h"),
        *(
            "元",
            "千元",
            "百万元",
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
"""A column called `unit` may also hold business units; half of its values must be among these, and
one be more than a letter: S, M and L are sizes."""
NO_MONEY: Final = frozenset(
    {
        *(SemanticType.COUNT, SemanticType.QUANTITY, SemanticType.DURATION, SemanticType.SCORE),
        *(SemanticType.PERCENTAGE, SemanticType.PERCENTAGE_CHANGE, SemanticType.TEMPERATURE),
        *(SemanticType.RANK, SemanticType.ID, SemanticType.LATITUDE, SemanticType.LONGITUDE),
    }
)
"""Meanings of measures that have no currency."""
UNITS_TOLD = 4


def note_mixed_units(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """A note if measured values are in several units, which no channel shows."""
    shown = {field.name for field in frame.fields.values()}
    texts = (name for name, dtype in source.columns.items() if dtype is DType.STRING)
    columns = [name for name in texts if _names_units(name)]
    measured = {f.name: f for f in frame.fields.values() if _is_measured(f, source)}
    for field in measured.values() if columns else ():
        chosen = _choose_columns(field, columns)
        for column in chosen if shown.isdisjoint(chosen) else ():
            units = _read_units(column, field, source)
            if len(units) > 1 and (_is_currency(column) or _are_units(units)):
                told = ", ".join(units[:UNITS_TOLD]) + (", …" if len(units) > UNITS_TOLD else "")
                facts = {"field": field.title, "column": column, "units": told}
                return frame.with_note(Note.UNITS_MIXED, **facts)
    return frame


def _choose_columns(field: ChartField, columns: Sequence[str]) -> list[str]:
    """The columns that may say the unit of a measure; money has a currency, if a column says it."""
    currencies = [column for column in columns if _is_currency(column)]
    units = [column for column in columns if column not in currencies]
    if field.meaning in MONEY and currencies:
        return currencies
    return [*(currencies if _may_be_money(field) else ()), *units]


def _read_units(column: str, measured: ChartField, source: ChartSource) -> list[str]:
    """The units, the most frequent first; those that differ in case or spaces once."""
    unit = quote_name(column)
    rows = source.run(
        f"SELECT {unit} FROM {source.relation} WHERE {unit} IS NOT NULL "
        f"AND {quote_name(measured.name)} IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 50"
    )
    spellings = (str(spelled).strip() for (spelled,) in rows)
    return list({_fold_name(spelled): spelled for spelled in spellings if spelled}.values())


def _is_measured(field: ChartField, source: ChartSource) -> bool:
    is_column = field.key != COUNT_KEY and field.name in source.columns
    return is_column and field.measures and field.aggregate not in COUNTS


def _may_be_money(field: ChartField) -> bool:
    """Whether nothing says that the numbers are something else: `value` may be money, `quantity`
    and `goals` are none."""
    is_count = field.meaning is None and choose_default_aggregate(field.name)[0] is Aggregate.SUM
    return field.meaning not in NO_MONEY and not is_count


def _fold_name(name: str) -> str:
    return fold_script(name.strip().lower().replace(" ", "_"))


def _names_units(name: str) -> bool:
    return _fold_name(name) in UNIT_COLUMNS or _is_currency(name)


def _is_currency(name: str) -> bool:
    return _fold_name(name) in CURRENCY_COLUMNS


def _are_units(values: Collection[str]) -> bool:
    known = [value for value in map(_fold_name, values) if value in KNOWN_UNITS]
    is_clear = any(len(value) > 1 or not value.isascii() or not value.isalpha() for value in known)
    return is_clear and 2 * len(known) >= len(values)
