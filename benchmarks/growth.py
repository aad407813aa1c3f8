"""`python -m benchmarks.growth`: what each read costs a small and a large account, side by side.

    python -m benchmarks.growth [--scale 0.1] [--rounds 15] [--only history]

One server and one database with a million messages, filled by SQL (`benchmarks.growth_rows`). Each
read is asked for both accounts in turn; printed are lower quartiles, since the machine is rarely
quiet, and their ratio. Reads above the limits are listed at the end and fail the command.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

import aiohttp
import uvloop
from benchmarks.deployment import Account, Deployment, Server, deployed, opened, scratch
from benchmarks.growth_rows import STORY_SHARE, GrowthSizes, fill_database
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running
from msgspec import Struct
from tests.loose_json import JsonObject

from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.sessions.read import search_messages

MAX_RATIO = 1.5
MAX_MS = 10.0
WARM = 3
PLENTY = 1_000_000


class Owner(Struct, frozen=True):
    """An account that is measured, and ids of things that belong to it."""

    account: Account
    sessions: int
    stories: int
    assets: int
    """Of one kind."""
    ids: JsonObject

    def path(self, template: str) -> str:
        last = {
            "last_session": max(0, self.sessions - 20),
            "last_story": max(0, self.stories - 50),
            "last_asset": max(0, self.assets - 50),
        }
        return template.format(**self.ids, **last)


READS: dict[str, str] = {
    "points": "/api/v1/points",
    "ledger, newest": "/api/v1/points/ledger",
    "ledger, oldest page": "/api/v1/points/ledger?before={old_entry}",
    "profile": "/api/v1/profile",
    "history, newest sessions": "/api/v1/agent/history",
    "history, last page": "/api/v1/agent/history?session_offset={last_session}",
    "history, behind a session": "/api/v1/agent/history?session_after={session}",
    "history, one session": "/api/v1/agent/history?threadId={session}",
    "history, newest day": "/api/v1/agent/history?scope=history_day",
    "history, a day before": "/api/v1/agent/history?threadId={session}&before={day}",
    "run, its events": "/api/v1/agent/runs/{run_session}/events",
    "run, its lines": "/api/agent/runs/{run_session}",
    "stories, newest": "/sessions",
    "stories, last page": "/sessions?offset={last_story}",
    "stories, by creation": "/sessions?sort_by=created_at&sort_order=asc",
    "stories, by title": "/sessions?sort_by=title",
    "stories, active": "/sessions?status=active",
    "stories, of a character": "/sessions?character_id={character}",
    "stories, search": "/sessions?search=%E5%B7%A5",
    "story": "/sessions/{story}",
    "timeline": "/sessions/{story}/timeline?limit=50",
    "floors": "/floors?session_id={story}",
    "floors of the longest story": "/floors?session_id={long_story}",
    "last floors of it": "/floors?session_id={long_story}&offset={last_floor}",
    "its timeline, last": "/sessions/{long_story}/timeline?limit=50&offset={last_floor}",
    "its branches": "/sessions/{long_story}/branches",
    "floor": "/floors/{floor}",
    "message": "/messages/{message}",
    "memories": "/memories?scope=chat&scope_id={story}&session_id={story}",
    "memories of all stories": "/memories",
    "memories, global": "/memories?scope=global",
    "memory jobs": "/memory/jobs",
    "memory jobs, succeeded": "/memory/jobs?status=succeeded",
    "memory jobs, failed": "/memory/jobs?status=failed",
    "memory jobs of a story": "/memory/jobs?session_id={story}",
    "all sessions": "/api/v1/sessions",
    "all runs": "/api/v1/runs",
    "tool calls of all stories": "/tool-executions",
    "tool calls of a story": "/tool-executions?session_id={story}",
    "variables": "/variables?scope=chat&session_id={story}&scope_id={story}",
    "assets, newest": "/characters",
    "assets, last page": "/characters?offset={last_asset}",
    "assets, by name": "/characters?sort_by=name&sort_order=asc",
    "assets, by creation": "/characters?sort_by=created_at",
    "assets, search": "/characters?search=9",
    "asset": "/characters/{character}",
    "asset, its versions": "/characters/{character}/versions",
    "tables, a page": "/api/tables/list-tables?limit=20",
    "tables, the last page": "/api/tables/list-tables?limit=20&after={table}",
    "tables, all of a workspace": "/api/tables/list-tables",
}

WHOLE = {"tables, all of a workspace"}
"""Answers that have everything in them, and are as long as that is: printed, not judged."""

SEARCHES = {
    "search, a common word": "天气",
    "search, two characters": "工作",
    "search, nothing found": "zebra",
}
"""Bounded, not flat: an account with few messages has less to look at than the bound."""

_IDS = """
SELECT
    (SELECT id FROM points_ledger WHERE user_id = $1 ORDER BY created_at OFFSET 60 LIMIT 1)
        AS old_entry,
    s.id AS session, (s.last_activity_at AT TIME ZONE 'UTC')::date::text AS day,
    f.session_id AS story, c.character_id AS character, l.session_id AS long_story,
    greatest(0, l.turns - 50) AS last_floor, l.turn_id AS floor,
    (SELECT id FROM messages WHERE turn_id = l.turn_id LIMIT 1) AS message,
    (SELECT count(*) FROM sessions WHERE user_id = $1) AS sessions,
    (SELECT count(*) FROM sessions JOIN session_bindings ON session_id = id WHERE user_id = $1)
        AS stories,
    (SELECT name FROM datasets WHERE account_id = $1 ORDER BY created_at DESC OFFSET 15 LIMIT 1)
        AS table,
    (SELECT count(*) FROM assets WHERE account_id = $1 AND kind = 'character') AS assets
FROM (SELECT id, last_activity_at FROM sessions WHERE user_id = $1 AND message_count = $2
      ORDER BY created_at OFFSET 5 LIMIT 1) s,
     (SELECT session_id FROM sessions JOIN session_bindings ON session_id = id
      WHERE user_id = $1 AND message_count = $2 ORDER BY created_at OFFSET 5 LIMIT 1) f,
     (SELECT session_bindings.character_id FROM session_bindings JOIN sessions ON session_id = id
      WHERE user_id = $1 AND message_count = $2 LIMIT 1) c,
     (SELECT b.session_id, count(*) AS turns, (array_agg(t.id ORDER BY t.seq DESC))[1] AS turn_id
      FROM turns t JOIN session_bindings b USING (session_id)
      JOIN sessions s ON s.id = b.session_id WHERE s.user_id = $1
      GROUP BY b.session_id ORDER BY turns DESC LIMIT 1) l
"""


async def describe_owner(database: Database, account: Account, run_session: str) -> Owner:
    async with database.connection() as tx:
        row = await tx.fetchrow(_IDS, UUID(account.id), 50)
    assert row is not None
    ids = {name: str(value) for name, value in row.items()} | {"run_session": run_session}
    return Owner(account, row["sessions"], row["stories"], row["assets"], ids)


async def run_once(http: aiohttp.ClientSession, server: Server, account: Account) -> str:
    """A run of the assistant, to its end; returns its thread."""
    thread = str(uuid4())
    body = {
        "threadId": thread,
        "runId": uuid4().hex,
        "state": {},
        "messages": [{"id": "m1", "role": "user", "content": "hello there"}],
        "tools": [],
        "context": [],
        "forwardedProps": {},
    }
    headers = {**account.headers, "Accept": "text/event-stream"}
    async with http.post(f"{server.url}/api/v1/agent/runs", json=body, headers=headers) as answer:
        if answer.status != 200:
            raise RuntimeError(await answer.text())
        await answer.read()
    return thread


class ReadCost(Struct, frozen=True):
    """Lower quartiles of one read, in milliseconds."""

    name: str
    small: float
    large: float

    @property
    def ratio(self) -> float:
        return self.large / self.small

    @property
    def is_slow(self) -> bool:
        if self.name in WHOLE:
            return False
        return self.large > MAX_MS or (self.ratio > MAX_RATIO and self.name not in SEARCHES)


Read = Callable[[Owner], Awaitable[None]]


async def measure(name: str, read: Read, owners: tuple[Owner, Owner], rounds: int) -> ReadCost:
    """Ask for both in turn: what disturbs one disturbs the other."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(WARM + rounds):
        for owner, times in zip(owners, taken, strict=True):
            began = time.perf_counter()
            await read(owner)
            if number >= WARM:
                times.append((time.perf_counter() - began) * 1000)
    cost = ReadCost(name, *(statistics.quantiles(times, n=4)[0] for times in taken))
    mark = "  <- slow" if cost.is_slow else ""
    print(f"{name:30} {cost.small:8.1f} {cost.large:8.1f} {cost.ratio:7.2f}{mark}", flush=True)
    return cost


async def measure_all(
    http: aiohttp.ClientSession,
    server: Server,
    database: Database,
    *,
    owners: tuple[Owner, Owner],
    options: argparse.Namespace,
) -> list[ReadCost]:
    def ask(template: str) -> Read:
        async def read(owner: Owner) -> None:
            url = server.url + owner.path(template)
            async with http.get(url, headers=owner.account.headers) as answer:
                body = await answer.read()
                if answer.status != 200:
                    raise RuntimeError(f"{url}: {answer.status} {body[:300]!r}")

        return read

    def search(word: str) -> Read:
        async def read(owner: Owner) -> None:
            account_id, none = AccountId(UUID(owner.account.id)), SessionId(UUID(int=0))
            await search_messages(database, account_id, [word], besides=none, limit=5)

        return read

    reads = {name: ask(template) for name, template in READS.items()}
    reads |= {name: search(word) for name, word in SEARCHES.items()}
    print(f"{'':30} {'small ms':>8} {'large ms':>8} {'ratio':>7}")
    return [
        await measure(name, read, owners, options.rounds)
        for name, read in reads.items()
        if options.only in name
    ]


async def grow(deployment: Deployment, options: argparse.Namespace) -> list[ReadCost]:
    sizes = GrowthSizes().scaled(options.scale)
    server = await deployment.serve()
    async with opened(deployment) as database, aiohttp.ClientSession() as http:
        small, large = [await deployment.account(server, database, points=PLENTY) for _ in range(2)]
        began = time.perf_counter()
        await fill_database(await deployment.dsn(), small=small.id, large=large.id, sizes=sizes)
        print(
            f"{sizes.messages:,} messages, {sizes.runs:,} runs; the large account has "
            f"{sizes.sessions:,} sessions ({sizes.sessions // STORY_SHARE:,} stories), "
            f"{sizes.assets:,} assets, {sizes.tables:,} tables, the small one "
            f"{sizes.small_sessions} sessions; filled in {time.perf_counter() - began:.0f} s"
        )
        owners = [
            await describe_owner(database, each, await run_once(http, server, each))
            for each in (small, large)
        ]
        return await measure_all(
            http, server, database, owners=(owners[0], owners[1]), options=options
        )


async def measure_growth(options: argparse.Namespace) -> list[ReadCost]:
    with scratch() as folder:
        port = free_port()
        command = [PYTHON, "-m", "benchmarks.stub", "--port", str(port), "--tokens", "20"]
        async with (
            running(command, log=folder / "stub.log", port=port),
            deployed(folder, f"http://{LOOPBACK}:{port}/v1") as deployment,
        ):
            return await grow(deployment, options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="reads whose name contains this")
    costs = uvloop.run(measure_growth(parser.parse_args()))
    slow = [cost.name for cost in costs if cost.is_slow]
    print(f"above {MAX_RATIO} times or {MAX_MS:.0f} ms: {', '.join(slow) or 'none'}")
    sys.exit(bool(slow))


if __name__ == "__main__":
    main()
