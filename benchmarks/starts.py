"""`python -m benchmarks.starts`: how long the server takes to answer `/healthz`.

first   an empty data dir: initdb, migrations
warm    a data dir that was used before
"""

import argparse
from pathlib import Path
from statistics import median
from time import perf_counter

import aiohttp
import uvloop
from benchmarks.deployment import scratch
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running

LIMITS = {"first": 6.0, "warm": 1.5}


async def start_once(folder: Path) -> float:
    """Seconds from the command to the first 200."""
    port = free_port()
    yarrow = str(Path(PYTHON).with_name("yarrow"))
    command = [yarrow, "serve", "--port", str(port), "--data-dir", str(folder / "data")]
    began = perf_counter()
    async with (
        running(command, log=folder / "serve.log", port=port),
        aiohttp.ClientSession() as http,
        http.get(f"http://{LOOPBACK}:{port}/healthz") as answer,
    ):
        answer.raise_for_status()
        return perf_counter() - began


async def main() -> None:
    """Print one line for each kind of start."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.starts")
    parser.add_argument("--warm", type=int, default=5)
    given = parser.parse_args()
    with scratch() as folder:
        times = {"first": [await start_once(folder)]}
        times["warm"] = [await start_once(folder) for _ in range(given.warm)]
    for kind, seconds in times.items():
        print(
            f"{kind:>5}  median {median(seconds):.2f} s  worst {max(seconds):.2f} s  "
            f"limit {LIMITS[kind]} s"
        )


if __name__ == "__main__":
    uvloop.run(main())
