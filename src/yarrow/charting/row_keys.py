"""Keys of values that are computed: `reduce` adds them to the rows of a chart, `draw` reads them.

Keys of columns have no leading underscore.
"""

from typing import Final

COUNT_KEY: Final = "_count"
RANK_KEY: Final = "_rank"
DENSITY: Final = "_density"
BIN_END: Final = "_to"
"""The upper edge of a bin; the lower one is under the key of the column."""
BIN_STEP: Final = "_step"
LOW, Q1, MEDIAN, Q3, HIGH = "_low", "_q1", "_middle", "_q3", "_high"
"""The whiskers and quartiles of a box."""
BOX_ROWS: Final = "_n"
