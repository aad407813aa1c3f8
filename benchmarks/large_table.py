"""Upload a large CSV over HTTP, then preview, analyze and chart it: time and peak memory.

    python -m benchmarks.large_table [--rows 10000000]

Serves with the defaults on a folder of its own. Rows have an id, a date, two names, a whole number
and an amount. "peak" is the largest memory of one job, and of the server's own process.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import aiohttp
import duckdb
import psutil
from benchmarks.deployment import YARROW, scratch
from benchmarks.processes import LOOPBACK, MEGABYTE, free_port, running
from msgspec import Struct
from tests.loose_json import JsonObject

ROWS = """
COPY (SELECT range AS id, DATE '2020-01-01' + (range % 1461)::INTEGER AS day,
    'region ' || range % 7 AS region, 'product ' || range * 7919 % 1000 AS product,
    range % 13 AS quantity, round((range * 7919 % 100000) / 100.0, 2) AS amount
  FROM range({rows})) TO '{path}' (FORMAT csv)
"""
POLL_S = 0.05


class Peaks(Struct):
    """The largest resident sizes since the last reset, in bytes."""

    server: int = 0
    job: int = 0

    async def watch(self, pid: int) -> None:
        server = psutil.Process(pid)
        while True:
            with suppress(psutil.Error):
                self.server = max(self.server, server.memory_info().rss)
                for child in server.children(recursive=True):
                    if not child.name().startswith("postgres"):
                        self.job = max(self.job, child.memory_info().rss)
            await asyncio.sleep(POLL_S)


class LargeTable:
    """Requests about one table of a running server."""

    def __init__(self, url: str, http: aiohttp.ClientSession) -> None:
        self._url, self._http = url, http

    async def upload(self, file: Path) -> None:
        await self._send_file("create-table", file)

    async def preview(self, file: Path) -> None:
        await self._send_file("parse-file", file)

    async def analyze(self) -> None:
        await self._post("/api/tables/analyze", {"table_name": "facts"})

    async def sample(self) -> None:
        await self._post("/api/tables/sample-table", {"table": "facts", "method": "random"})

    async def chart(self) -> None:
        encodings = {"x": {"field": "region"}, "y": {"field": "amount", "aggregate": "sum"}}
        body = {"chart_type": "bar", "encodings": encodings, "table_ref": "facts"}
        async with self._http.post(f"{self._url}/api/agent/render-chart", json=body) as answer:
            data = await answer.read()
            if answer.status != 200 or answer.content_type.endswith("json"):
                raise SystemExit(f"the chart failed: {data[:500]!r}")

    async def _send_file(self, route: str, file: Path) -> None:
        with file.open("rb") as opened:
            form = aiohttp.FormData({"table_name": "facts"})
            form.add_field("file", opened, filename="facts.csv")
            async with self._http.post(f"{self._url}/api/tables/{route}", data=form) as answer:
                _require_success(await answer.json())

    async def _post(self, path: str, body: JsonObject) -> None:
        async with self._http.post(f"{self._url}{path}", json=body) as answer:
            _require_success(await answer.json())


def _require_success(answer: JsonObject) -> None:
    if answer.get("status") != "success":
        raise SystemExit(f"refused: {str(answer)[:500]}")


async def _time(name: str, peaks: Peaks, act: Callable[[], Awaitable[None]]) -> None:
    peaks.server = peaks.job = 0
    began = time.perf_counter()
    await act()
    seconds = time.perf_counter() - began
    server, job = peaks.server / MEGABYTE, peaks.job / MEGABYTE
    print(f"| {name} | {seconds:.1f} | {job:.0f} | {server:.0f} |", flush=True)


async def measure(rows: int, folder: Path) -> None:
    file, port = folder / "facts.csv", free_port()
    duckdb.execute(ROWS.format(rows=rows, path=file))
    command = [YARROW, "serve", "--port", str(port), "--data-dir", str(folder / "data")]
    url, peaks = f"http://{LOOPBACK}:{port}", Peaks()
    limit = aiohttp.ClientTimeout(total=3600)
    load = os.getloadavg()[0]
    print(f"{rows:,} rows, {file.stat().st_size / 1e6:.0f} MB of CSV, load {load:.1f} at the start")
    async with (
        running(command, log=folder / "log", port=port) as child,
        aiohttp.ClientSession(timeout=limit) as http,
    ):
        watching = asyncio.create_task(peaks.watch(child.pid))
        table = LargeTable(url, http)
        print("| request | seconds | peak of a job, MB | peak of the server, MB |")
        print("|---|---:|---:|---:|")
        await _time("upload (`create-table`)", peaks, lambda: table.upload(file))
        await _time("preview (`parse-file`)", peaks, lambda: table.preview(file))
        await _time("1,000 random rows (`sample-table`)", peaks, table.sample)
        await _time("`analyze`", peaks, table.analyze)
        await _time("chart grouped by region (`render-chart`)", peaks, table.chart)
        watching.cancel()
    print(f"load {os.getloadavg()[0]:.1f} at the end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    arguments = parser.parse_args()
    with scratch() as folder:
        asyncio.run(measure(arguments.rows, folder))


if __name__ == "__main__":
    main()
