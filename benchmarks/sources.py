"""Load a million rows from PostgreSQL into a table: time, and peak memory of the connector.

    python -m benchmarks.sources [--rows 1000000]

A PostgreSQL of its own is started; rows have an id, a text, two numbers, a date and a timestamp.
"""

import argparse
import asyncio
import shutil
import tempfile
import time
from pathlib import Path

import asyncpg
import psutil
from tests.tcp_postgres import tcp_postgres

from yarrow.db.embedded.server import EmbeddedPostgres
from yarrow.sources.address import parse_source_address
from yarrow.sources.allowed_hosts import AllowedHosts
from yarrow.sources.connector.process import MODULE, Connector
from yarrow.sources.model import SourceQuery

ROWS = """
CREATE TABLE facts AS SELECT n AS id, 'customer ' || n % 1000 AS customer, n * 1.25 AS amount,
    random() AS share, date '2020-01-01' + n % 2000 AS day, now() - n * interval '1 minute' AS at
FROM generate_series(1, {rows}) n
"""


async def watch_memory(peak: dict[str, int]) -> None:
    """Keep the largest resident size of the connector process."""
    while True:
        for child in psutil.Process().children(recursive=True):
            try:
                if MODULE in child.cmdline():
                    peak["bytes"] = max(peak.get("bytes", 0), child.memory_info().rss)
            except psutil.Error:
                continue
        await asyncio.sleep(0.02)


async def measure(dsn: str, rows: int, folder: Path) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute(ROWS.format(rows=rows))
    await connection.close()
    connector = Connector(
        slots=1, per_account=1, timeout_s=600, max_rows=rows, max_bytes=4 * 1024**3
    )
    async with tcp_postgres(dsn) as proxy:
        address = await AllowedHosts().check(parse_source_address(proxy.url("yarrow")))
        for sql in ("SELECT 1 AS one", "SELECT * FROM facts"):
            peak: dict[str, int] = {}
            watching = asyncio.create_task(watch_memory(peak))
            start = time.perf_counter()
            file = folder / "out.parquet"
            result = await connector.query(address, SourceQuery(sql), file=file, owner="benchmark")
            seconds = time.perf_counter() - start
            watching.cancel()
            memory = f"connector at most {peak['bytes'] / 1e6:.0f} MB"
            print(f"{sql}: {result.row_count} rows in {seconds:.2f} s, {memory}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="yarrow-sources-"))
    with EmbeddedPostgres(folder) as server:
        asyncio.run(measure(server.start(), arguments.rows, folder))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
