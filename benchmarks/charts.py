"""`python -m benchmarks.charts`: charts over many rows beside DuckDB alone, in processor time.

One thread each, the best of three. A chart may take twice the time of its one query plus 50 ms.
"""

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from yarrow.charting import compile_chart, parse_intent
from yarrow.kit.json import JsonObject
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.chart_source import open_parquet

SIZES = (100_000, 1_000_000, 10_000_000)
FACTOR, EXTRA_MS = 2, 50
ROWS = """
COPY (SELECT (['North', 'South', 'East', 'West'])[1 + (hash(range) % 4)::INT] AS region,
  (hash(range + 1) % 1000) / 10.0 AS price, (hash(range + 2) % 100)::BIGINT AS revenue,
  TIMESTAMP '2024-01-01' + INTERVAL (range * 63072000 // {rows}) SECOND AS moment
  FROM range({rows})) TO '{path}'
"""
CASES: dict[str, tuple[JsonObject, str]] = {
    "Bar Chart": ({"x": "region", "y": "revenue"}, "region, sum(revenue)"),
    "Line Chart": (
        {"x": "moment", "y": "price", "color": "region"},
        "date_trunc('day', moment), region, avg(price)",
    ),
    "Histogram": ({"x": "price"}, "floor(price / 5) * 5, count(*)"),
    "Boxplot": ({"x": "region", "y": "price"}, "region, quantile_cont(price, [0.25, 0.5, 0.75])"),
}


def measure_ms(act: Callable[[], object]) -> float:
    """Processor time, the best of three."""
    times = []
    for _ in range(3):
        began = time.process_time()
        act()
        times.append(time.process_time() - began)
    return min(times) * 1000


def main() -> None:
    database = duckdb_session.connect_database()
    with tempfile.TemporaryDirectory() as folder:
        for rows in SIZES:
            path = str(Path(folder) / f"{rows}.parquet")
            duckdb.connect().execute(ROWS.format(rows=rows, path=path))
            for chart, (encodings, query) in CASES.items():
                report(database, path, rows, chart, encodings, query)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"peak memory of this process: {peak} MB")


def report(
    database: duckdb.DuckDBPyConnection,
    path: str,
    rows: int,
    chart: str,
    encodings: JsonObject,
    query: str,
) -> None:
    alone = duckdb.connect(config={"threads": 1})
    sql = f"SELECT {query} FROM read_parquet('{path}') GROUP BY ALL"
    least = measure_ms(lambda: alone.execute(sql).fetchall())
    intent = parse_intent({"chart_type": chart, "encodings": encodings})
    ours = measure_ms(lambda: compile_chart(intent, open_parquet(database, path, rows)))
    verdict = "met" if ours <= FACTOR * least + EXTRA_MS else "missed"
    beyond = (ours - EXTRA_MS) / least
    print(
        f"{rows:>10,} rows, {chart}: DuckDB {least:.0f} ms, chart {ours:.0f} ms, "
        f"{ours / least:.1f} times, {max(beyond, 0):.1f} times without {EXTRA_MS} ms: {verdict}"
    )


if __name__ == "__main__":
    main()
