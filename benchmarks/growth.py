"""`python -m benchmarks.growth`: what each read costs a small and a large account, side by side.

    python -m benchmarks.growth [--scale 0.1] [--rounds 15] [--only history]

One server and one database with a million messages, filled by SQL (`benchmarks.growth_rows`). Each
read, and each write of the hot paths (`benchmarks.growth_reads`), is asked for both accounts in
turn; printed are lower quartiles, since the machine is rarely quiet, and their ratio. Those above
the limits are listed at the end; writes have only the ratio.
"""

import argparse
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from urllib.parse import unquote, urlsplit
from uuid import UUID, uuid4

import aiohttp
import uvloop
from benchmarks.deployment import Account, Deployment, Server, deployed, opened, scratch
from benchmarks.growth_reads import READS, SEARCHES, WHOLE, WRITES, Body
from benchmarks.growth_rows import STORY_SHARE, GrowthSizes, fill_database
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running
from msgspec import Struct
from tests.loose_json import JsonObject

from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.sessions.read import search_messages

MAX_RATIO = 1.5
MAX_MS = 10.0
SANDBOXED = {"table, a page", "table, a sample", "table, statistics", "table, export"}
"""A job of the sandbox takes longer than a read, whatever is stored: judged by the ratio alone."""
WARM = 3
PLENTY = 1_000_000
PICTURES = "/api/v1/agent/attachments"
SCRATCH = "/api/agent/workspace/scratch/upload"
TABLES = "/api/tables/create-table"


class Owner(Struct, frozen=True):
    """An account that is measured, and ids of things that belong to it."""

    account: Account
    sessions: int
    stories: int
    assets: int
    """Of one kind."""
    ids: JsonObject

    def fill_in(self, template: str) -> str:
        last = {
            "last_session": max(0, self.sessions - 20),
            "last_story": max(0, self.stories - 50),
            "last_asset": max(0, self.assets - 50),
        }
        return template.format(**self.ids, **last)


PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
CHAT_FILE = "\n".join(
    json.dumps({"name": "Ann", "is_user": number % 2 == 0, "mes": f"Line {number}"})
    for number in range(50)
)
CAST: JsonObject = {
    "divinationMethod": "手动起卦",
    "questionType": "事业",
    "question": "我最近换工作是否合适?",
    "divinationTimeIso": "2026-04-03T20:30:00+08:00",
    "yaoLines": ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"],
}


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
    (SELECT count(*) FROM assets WHERE account_id = $1 AND kind = 'character') AS assets,
    (SELECT id FROM memory_items WHERE account_id = $1 LIMIT 1) AS memory,
    (SELECT id FROM memory_jobs WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1) AS job,
    (SELECT id FROM runs WHERE account_id = $1 LIMIT 1) AS run
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


async def describe_owner(
    http: aiohttp.ClientSession, server: Server, database: Database, account: Account
) -> Owner:
    """Find the ids of an account, and make what has to be made over HTTP to be read."""
    async with database.connection() as tx:
        row = await tx.fetchrow(_IDS, UUID(account.id), 50)
    assert row is not None
    ids = {name: str(value) for name, value in row.items()}
    ids |= {"email": account.email, "chat_file": CHAT_FILE, "version": "1"}
    owner = Owner(account, row["sessions"], row["stories"], row["assets"], ids)
    ids["run_session"] = await run_once(http, server, owner)
    ids["divination"] = await run_once(
        http, server, owner, {"runtime_mode": "chat", "divinationPayload": CAST}
    )
    link = (await upload(http, server, owner, PICTURES, PNG))["attachment"]["url"]
    ids["file"] = urlsplit(link)._replace(scheme="", netloc="").geturl()
    ids["path"] = unquote(urlsplit(link).path).partition("/files/")[2]
    ids["scratch"] = (await upload(http, server, owner, SCRATCH, b"a,b"))["data"]["url"]
    table = await upload(http, server, owner, TABLES, b"a,b\n1,2\n")
    ids["made_table"] = table["data"]["table_name"]
    turn = await send(http, server, owner, *WRITES["write: a turn of a story"])
    ids["made_floor"] = json.loads(turn)["data"]["floor_id"]
    return owner


async def send(
    http: aiohttp.ClientSession,
    server: Server,
    owner: Owner,
    method: str,
    path: str,
    body: Body | None = None,
) -> bytes:
    filled = None if body is None else {name: owner.fill_in(text) for name, text in body.items()}
    url, headers = server.url + owner.fill_in(path), owner.account.headers
    async with http.request(method, url, json=filled, headers=headers) as answer:
        content = await answer.read()
        if answer.status not in (200, 201):
            raise RuntimeError(f"{url}: {answer.status} {content[:300]!r}")
        return content


async def upload(
    http: aiohttp.ClientSession, server: Server, owner: Owner, path: str, content: bytes
) -> JsonObject:
    form = aiohttp.FormData()
    if path == PICTURES:
        form.add_field("threadId", owner.ids["session"])
    name = {PICTURES: "a.png", SCRATCH: "a.csv", TABLES: f"t{uuid4().hex}.csv"}[path]
    form.add_field("file", content, filename=name)
    async with http.post(server.url + path, data=form, headers=owner.account.headers) as answer:
        if answer.status not in (200, 201):
            raise RuntimeError(f"{path}: {answer.status} {await answer.text()}")
        made: JsonObject = await answer.json()
        return made


async def run_once(
    http: aiohttp.ClientSession,
    server: Server,
    owner: Owner,
    properties: JsonObject | None = None,
    *,
    thread: str = "",
) -> str:
    """A run of the assistant, or of the diviner, to its end; returns its thread."""
    thread = thread or str(uuid4())
    question = CAST["question"] if properties else "hello there"
    body = {
        "threadId": thread,
        "runId": uuid4().hex,
        "state": {},
        "messages": [{"id": "m1", "role": "user", "content": question}],
        "tools": [],
        "context": [],
        "forwardedProps": properties or {},
    }
    headers = {**owner.account.headers, "Accept": "text/event-stream"}
    async with http.post(f"{server.url}/api/v1/agent/runs", json=body, headers=headers) as answer:
        if answer.status != 200:
            raise RuntimeError(await answer.text())
        await answer.read()
    return thread


class ReadCost(Struct, frozen=True):
    """Lower quartiles of one read or write, in milliseconds."""

    name: str
    small: float
    large: float

    @property
    def ratio(self) -> float:
        return self.large / self.small

    @property
    def is_slow(self) -> bool:
        is_read = self.name not in SANDBOXED and not self.name.startswith("write")
        return self.ratio > MAX_RATIO or (is_read and self.large > MAX_MS)


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
    def ask(method: str, path: str, body: Body | None = None) -> Read:
        async def read(owner: Owner) -> None:
            await send(http, server, owner, method, path, body)

        return read

    def make(path: str, content: bytes) -> Read:
        async def write(owner: Owner) -> None:
            await upload(http, server, owner, path, content)

        return write

    async def run(owner: Owner) -> None:
        await run_once(http, server, owner)

    async def run_again(owner: Owner) -> None:
        await run_once(http, server, owner, thread=owner.ids["session"])

    def search(word: str) -> Read:
        async def read(owner: Owner) -> None:
            account_id, none = AccountId(UUID(owner.account.id)), SessionId(UUID(int=0))
            await search_messages(database, account_id, [word], besides=none, limit=5)

        return read

    reads = {
        name: ask("GET", read) if isinstance(read, str) else ask("POST", *read)
        for name, read in READS.items()
    }
    reads |= {name: search(word) for name, word in SEARCHES.items()}
    reads |= {name: ask(*write) for name, write in WRITES.items()}
    reads |= {
        "write: a picture": make(PICTURES, PNG),
        "write: a table": make(TABLES, b"a,b\n1,2\n"),
        "write: a run of a new session": run,
        "write: a run of a session": run_again,
    }
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
        await server.child.stop()
        operators = json.dumps([small.id, large.id])
        server = await deployment.serve(settings={"YARROW_OPERATORS": operators})
        owners = [await describe_owner(http, server, database, each) for each in (small, large)]
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
    parser.add_argument("--only", default="", help="reads and writes whose name contains this")
    costs = uvloop.run(measure_growth(parser.parse_args()))
    slow = [cost.name for cost in costs if cost.is_slow]
    grown = [name for name in slow if name not in WHOLE]
    print(f"above {MAX_RATIO} times or {MAX_MS:.0f} ms: {'; '.join(grown) or 'none'}")
    print(f"the same, with an answer that grows: {'; '.join(set(slow) & WHOLE) or 'none'}")


if __name__ == "__main__":
    main()
