"""Tell names of totals, in the languages of tables that people keep."""

import re

TOTAL_PATTERN = (
    r"(?:.*\s)?(?:grand |sub[- ]?)?totals?|total general|sum|summe|gesamt|insgesamt"
    r"|totale|totaal|razem|итого|всего|합계|총계"
    r"|.*(?:合计|合計|总计|總計|総計|总和|總和|小计|小計|共计|共計)"
)
"""Of whole names in any case, for Python and DuckDB."""
_TOTAL = re.compile(TOTAL_PATTERN, re.IGNORECASE)
_AVERAGE = re.compile(
    r"(?:average|avg\.?|mean|durchschnitt|mittelwert|moyenne|promedio|平均(?:值|数|數)?|均值)",
    re.IGNORECASE,
)


def names_total(text: str) -> bool:
    """Whether a cell is called a total: `Grand Total`, `North Total:`, 华东小计."""
    return _TOTAL.fullmatch(text.strip().rstrip(":：")) is not None


def names_average(text: str) -> bool:
    """Whether a cell is called an average; it may also be the name of a level."""
    return _AVERAGE.fullmatch(text.strip().rstrip(":：")) is not None
