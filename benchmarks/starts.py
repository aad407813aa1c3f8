"""`python -m benchmarks.starts`: what a start costs until the server answers `/healthz`.

first   an empty data dir: initdb, migrations
warm    a data dir that was used before

CPU and memory are those of the server's process, without PostgreSQL.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import aiohttp
import psutil
import uvloop
from benchmarks.deployment import scratch
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running
from msgspec import Struct

LIMITS = {"first": 6.0, "warm": 1.5}
CPU_LIMIT_S = 0.8


class Start(Struct, frozen=True):
    """One start, from the command to the first 200."""

    seconds: float
    cpu_s: float
    resident_mb: float


async def start_once(folder: Path) -> Start:
    """Start a server, ask it, end it."""
    port = free_port()
    yarrow = str(Path(PYTHON).with_name("yarrow"))
    command = [yarrow, "serve", "--port", str(port), "--data-dir", str(folder / "data")]
    began = perf_counter()
    async with (
        running(command, log=folder / "serve.log", port=port) as child,
        aiohttp.ClientSession() as http,
        http.get(f"http://{LOOPBACK}:{port}/healthz") as answer,
    ):
        answer.raise_for_status()
        seconds, process = perf_counter() - began, psutil.Process(child.pid)
        times = process.cpu_times()
        return Start(seconds, times.user + times.system, process.memory_info().rss / 2**20)


def describe(starts: Sequence[Start], read: Callable[[Start], float]) -> str:
    """Median and worst of one figure."""
    figures = [read(start) for start in starts]
    return f"median {median(figures):.2f} worst {max(figures):.2f}"


async def main() -> None:
    """Print one line for each kind of start."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.starts")
    parser.add_argument("--warm", type=int, default=5)
    given = parser.parse_args()
    with scratch() as folder:
        starts = {"first": [await start_once(folder)]}
        starts["warm"] = [await start_once(folder) for _ in range(given.warm)]
    for kind, made in starts.items():
        print(
            f"{kind:>5}  s: {describe(made, lambda start: start.seconds)} limit {LIMITS[kind]}  "
            f"CPU s: {describe(made, lambda start: start.cpu_s)} limit {CPU_LIMIT_S}  "
            f"MB: {describe(made, lambda start: start.resident_mb)}"
        )


if __name__ == "__main__":
    uvloop.run(main())
