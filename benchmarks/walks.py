"""`python -m benchmarks.walks`: how many of our files one request passes through.

A profile hook over the real product: HTTP, PostgreSQL, a scripted model; caches are warm. A
reader who follows a request has to open that many files. `--list` prints the functions in the
order of their first call. Exits with 1 if a walk is longer than its limit.
"""

import argparse
import asyncio
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType

import aiohttp
from benchmarks.dry_run import make_story
from msgspec import Struct, field
from tests.protocols.ndjson.analyst_client import DATA_AGENT, SALES, SUMMARY, visualize
from tests.serving import RUNS, Caller, Served, run_body, serving

import yarrow
from yarrow.db.embedded.server import EmbeddedPostgres
from yarrow.db.migrate import upgrade_if_behind
from yarrow.journal.journal import LINGER_S
from yarrow.llm.scripted import Say, ScriptedModel

PACKAGE = str(Path(yarrow.__file__).parent)
BACKGROUND_S = 6
"""Longer than the longest interval of a background loop."""
LIMITS = {"ag-ui run with SSE": 42, "question with one SQL chart": 65, "dry run": 60}


class Walk(Struct):
    """The functions of ours that ran, in the order of their first call."""

    functions: dict[tuple[str, str], None] = field(default_factory=dict)

    def see(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            path = frame.f_code.co_filename[len(PACKAGE) + 1 :]
            self.functions.setdefault((path, frame.f_code.co_qualname))

    def without(self, idle: "Walk") -> "Walk":
        """The walk without files of which only background loops ran."""
        busy = {path for path, _ in self.functions.keys() - idle.functions.keys()}
        return Walk({step: None for step in self.functions if step[0] in busy})

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(path for path, _ in self.functions))

    @property
    def jumps(self) -> int:
        paths = [path for path, _ in self.functions]
        return sum(a != b for a, b in pairwise(paths))


@contextmanager
def watching() -> Iterator[Walk]:
    walk = Walk()
    threading.setprofile(walk.see)
    sys.setprofile(walk.see)
    try:
        yield walk
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


async def read_all(caller: Caller, path: str, body: object, accept: str) -> bytes:
    headers = {**caller.headers, "Accept": accept}
    async with caller.http.post(caller.url + path, json=body, headers=headers) as answer:
        data = await answer.read()
        assert answer.status == 200, data
        return data


async def agui_run(caller: Caller, served: Served) -> None:
    served.model.play([Say("It is noon.")])
    assert b"RUN_FINISHED" in await read_all(caller, RUNS, run_body(), "text/event-stream")


async def sql_chart(caller: Caller, served: Served) -> None:
    served.model.play([visualize()], [SUMMARY])
    body = {"input_tables": [{"name": "sales"}], "user_question": "Revenue by region?"}
    lines = await read_all(caller, DATA_AGENT, body, "application/x-ndjson")
    assert b'"completion"' in lines, lines


async def upload_sales(caller: Caller) -> None:

    form = aiohttp.FormData()
    form.add_field("file", SALES.encode(), filename="sales.csv", content_type="text/csv")
    form.add_field("table_name", "sales")
    url = f"{caller.url}/api/tables/create-table"
    async with caller.http.post(url, data=form, headers=caller.headers) as answer:
        assert answer.status == 200, await answer.text()


async def walks(served: Served) -> dict[str, Walk]:
    caller = await served.account(points=1_000)
    await upload_sales(caller)

    async with aiohttp.ClientSession(base_url=served.url, headers=caller.headers) as http:
        story = await make_story(http)

    async def dry_run(caller: Caller, _: Served) -> None:
        path = f"/sessions/{story}/respond/dry-run"
        await read_all(caller, path, {"message": "Where is the moon?"}, "application/json")

    requests: dict[str, Callable[[Caller, Served], Awaitable[None]]] = {
        "ag-ui run with SSE": agui_run,
        "question with one SQL chart": sql_chart,
        "dry run": dry_run,
    }
    with watching() as idle:
        await asyncio.sleep(BACKGROUND_S)
    seen = {}
    for name, request in requests.items():
        await request(caller, served)
        await asyncio.sleep(LINGER_S + 0.5)  # until the journal has discarded the log of its run
        with watching() as walk:
            await request(caller, served)
            await asyncio.sleep(0.2)
        seen[name] = walk.without(idle)
    return seen


async def measure() -> dict[str, Walk]:
    with (
        tempfile.TemporaryDirectory(prefix="yarrow-walks-") as folder,
        EmbeddedPostgres(Path(folder)) as server,
    ):
        dsn = server.start()
        await upgrade_if_behind(dsn)
        async with serving(
            dsn,
            model=ScriptedModel(),
            data_dir=Path(folder),
            llm_base_url="http://127.0.0.1:9/v1",
        ) as served:
            return await walks(served)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print every function")
    options = parser.parse_args()
    seen = asyncio.run(measure())
    for name, walk in seen.items():
        print(
            f"{name}: {len(walk.functions)} functions, {len(walk.files)} files "
            f"(limit {LIMITS[name]}), {walk.jumps} jumps"
        )
        by_package: dict[str, int] = {}
        for path in walk.files:
            package = path.partition("/")[0]
            by_package[package] = by_package.get(package, 0) + 1
        print("   ", ", ".join(f"{p} {n}" for p, n in sorted(by_package.items())))
        if options.list:
            for path, function in walk.functions:
                print("     ", path, function)
    sys.exit(any(len(walk.files) > LIMITS[name] for name, walk in seen.items()))


if __name__ == "__main__":
    main()
