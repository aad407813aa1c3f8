"""What the analyst is asked in the benchmark, what its model says, and what must come of it."""

import random
from collections import Counter

TABLE = "sales"
ROWS = 2_000
REGIONS = ("north", "east", "south", "west")
CHARTED = "Totals by region, as scripted"
DELTAS = 2_000


def sales_csv() -> bytes:
    """The table: the same rows each time."""
    lines = ["region,month,product,amount"]
    lines += [",".join(map(str, row)) for row in _rows()]
    return ("\n".join(lines) + "\n").encode()


def _rows() -> list[tuple[str, str, str, int]]:
    dice = random.Random(20260430)
    return [
        (
            dice.choice(REGIONS),
            f"2026-{dice.randint(1, 12):02d}",
            f"p{dice.randint(1, 40):02d}",
            dice.randint(1, 500),
        )
        for _ in range(ROWS)
    ]


def _totals() -> dict[str, int]:
    found: Counter[str] = Counter()
    for region, _month, _product, amount in _rows():
        found[region] += amount
    return dict(found)


TOTALS = _totals()
"""What every chart must show: reckoned here, without a table engine."""

_VISUALIZE = {
    "action": "visualize",
    "display_instruction": CHARTED,
    "input_tables": [TABLE],
    "output_variable": "region_totals",
    "chart": {"chart_type": "Bar Chart", "encodings": {"x": "region", "y": "amount"}, "config": {}},
    "field_metadata": {"region": "Category", "amount": "Amount"},
    "field_display_names": {"region": "Region", "amount": "Amount"},
}
CHART = {
    **_VISUALIZE,
    "code": (
        "import pandas as pd\n"
        f"sales = pd.read_parquet('data/{TABLE}.parquet')\n"
        "region_totals = sales.groupby('region', as_index=False)['amount'].sum()\n"
    ),
}
SQL = {
    **_VISUALIZE,
    "sql": f"SELECT region, sum(amount) AS amount FROM {TABLE} GROUP BY region ORDER BY region",
}
SUMMARY = {"action": "summary", "summary": "The regions sell about the same."}
EXPLAIN = {"action": "explain", "explanation": "Each row is one sale of a product in a region."}
READY = "I have seen enough to write."
REPORT = ["# Sales\n\n", *(f"w{place} " for place in range(1, DELTAS))]
"""No two neighbours alike: one client library takes a repeated chunk for a model in a loop."""
