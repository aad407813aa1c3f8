"""Tell names of totals, in the languages of tables that people keep."""

import re

TOTAL_PATTERN = (
    r"(?:.*\s)?(?:grand |sub[- ]?)?totals?|total general|sum|summe|gesamt|insgesamt"
    r"|.*(?:合计|合計|总计|總計|总和|總和|小计|小計|共计|共計)"
)
"""Of whole names in any case, for Python and DuckDB."""
_TOTAL = re.compile(TOTAL_PATTERN, re.IGNORECASE)


def names_total(text: str) -> bool:
    """Whether a cell is called a total: `Grand Total`, `North Total:`, 华东小计."""
    return _TOTAL.fullmatch(text.strip().rstrip(":：")) is not None
