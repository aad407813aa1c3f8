"""`python -m benchmarks.stories`: turns of stories over a stub model, with accounts on.

respond      one turn as a client sees it: 40 turns of history, a book of 200 entries
stream       the same as a stream of 50 chunks, until `done`; and the server's CPU for a chunk
thin proxy   the model's answer through `benchmarks.thin`, the ceiling of this machine
CPU          of the server and of PostgreSQL for a turn of `respond`, beside the thin proxy's
dry run      the prompt of that turn without a model; loaded: with memories, state and timers
long story   one turn of a story with 2,000 turns and a book of 2,000 entries, beside `respond`
saturated    turns a second over eight sessions that never wait
bytes        what a turn adds to the database
"""

import argparse
import asyncio
import random
import statistics
from collections.abc import Awaitable, Callable
from time import perf_counter

import aiohttp
import uvloop
from benchmarks.deployment import Deployment, deployed, opened, scratch
from benchmarks.processes import LOOPBACK, PYTHON, cpu_seconds, free_port, running
from benchmarks.prompting import book, history, preset, text
from msgspec import Struct
from tests.loose_json import JsonObject

from yarrow.db import Database
from yarrow.prompting.model import PromptRole

CHUNKS = 50
SESSIONS = 8
CONTEXT_TOKENS = 16_384
"""What a long story is trimmed to; a short one is not."""
MEMORIES = 50
"""Memories and values of session state of a loaded story, and messages that its timers run."""
WARM_UP = 10
GOALS = {
    "respond": "≤ 10 ms",
    "stream": "≤ 17 ms",
    "CPU a chunk": "≤ 0.15 ms",
    "thin proxy": "beside respond",
    "CPU a turn": "told",
    "dry run": "≤ 4 ms",
    "loaded": "≤ 4 ms",
    "long story": "≤ 2 × respond",
    "saturated": "≥ 100 turns/s",
    "bytes a turn": "told",
}


class StorySize(Struct, frozen=True):
    """How long a story is, and how large its book."""

    turns: int
    entries: int


SHORT, LONG = StorySize(40, 200), StorySize(2_000, 2_000)


class StoryClient:
    """One account's calls."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self._http = http

    async def post(self, path: str, body: JsonObject) -> JsonObject:
        async with self._http.post(path, json=body) as answer:
            sent: JsonObject = await answer.json()
            if answer.status >= 400:
                raise RuntimeError(f"{path}: {sent}")
            return dict(sent["data"])

    async def make_story(self, size: StorySize, *, sticky: int = 0) -> str:
        """A session with a preset, a book, a character and a history; returns its id."""
        dice = random.Random(20261116)
        own_preset = await self.post("/import/preset", {"name": "P", "data": preset(dice)})
        data = book(dice, size.entries)
        for entry in data["entries"]:
            entry["sticky"] = sticky
        lore = {"name": "Book", "data": data}
        own_book = await self.post("/import/worldbook", lore)
        card = {"spec": "chara_card_v2", "data": {"name": "Luna", "description": text(dice, 8)}}
        character = await self.post("/import/character", {"payload": card})
        lines: list[JsonObject] = [{"user_name": "Player", "character_name": "Luna"}]
        lines += [
            {"is_user": entry.role is PromptRole.USER, "mes": entry.content, "name": "x"}
            for entry in history(dice, 2 * size.turns)
        ]
        chat = {"data": lines, "character_id": character["character_id"]}
        session = str((await self.post("/import/chat", chat))["session_id"])
        bound = {
            "preset_id": own_preset["id"],
            "worldbook_profile_id": own_book["id"],
            "model_params": {"context_tokens": CONTEXT_TOKENS},
        }
        async with self._http.patch(f"/sessions/{session}", json=bound) as answer:
            answer.raise_for_status()
        return session

    async def make_loaded_story(self, size: StorySize) -> str:
        """A story with memories, session state and running timers of lore."""
        session = await self.make_story(size, sticky=MEMORIES)
        namespace = {"namespace": "inventory"}
        await self.post(f"/sessions/{session}/state/namespaces", namespace)
        for number in range(MEMORIES):
            fact = {"type": "fact", "content": f"Fact {number}: the well is {number} steps deep."}
            await self.post("/memories", {"scope": "chat", "scope_id": session, **fact})
            value = {**namespace, "slot": f"slot{number}", "value": {"count": number}}
            await self.post(f"/sessions/{session}/state/values/write", value)
        await self.post(f"/sessions/{session}/respond", {"message": "To place7x and place9x."})
        return session

    async def respond(self, session: str, number: int) -> None:
        await self.post(f"/sessions/{session}/respond", {"message": f"Go on, {number}."})

    async def dry_run(self, session: str, number: int) -> None:
        await self.post(f"/sessions/{session}/respond/dry-run", {"message": f"And {number}?"})

    async def stream(self, session: str, number: int) -> None:
        body = {"message": f"Tell {number}."}
        async with self._http.post(f"/sessions/{session}/respond/stream", json=body) as answer:
            received = await answer.read()
        if received.count(b"event: done") != 1 or received.count(b"event: chunk") < 1:
            raise RuntimeError(received[-500:].decode())


async def time_calls(call: Callable[[int], Awaitable[None]], rounds: int) -> float:
    """The median of so many calls, in milliseconds, after some that do not count."""
    times: list[float] = []
    for number in range(rounds + WARM_UP):
        began = perf_counter()
        await call(number)
        times.append((perf_counter() - began) * 1000)
    return statistics.median(times[WARM_UP:])


async def saturate(client: StoryClient, seconds: float) -> float:
    """Turns a second over sessions that each send the next message at once."""
    sessions = [await client.make_story(SHORT) for _ in range(SESSIONS)]
    deadline, done = perf_counter() + seconds, 0

    async def play(session: str) -> None:
        nonlocal done
        number = 0
        while perf_counter() < deadline:
            await client.respond(session, number)
            number, done = number + 1, done + 1

    began = perf_counter()
    await asyncio.gather(*map(play, sessions))
    return done / (perf_counter() - began)


async def measure_bytes(client: StoryClient, database: Database, rounds: int) -> float:
    """What one turn adds to all tables and indexes, over many turns of a short story."""
    session = await client.make_story(SHORT)
    before = await read_size(database)
    for number in range(rounds):
        await client.respond(session, number)
    return (await read_size(database) - before) / rounds


async def read_size(database: Database) -> int:
    async with database.connection() as tx:
        return int(await tx.fetchval("SELECT pg_database_size(current_database())"))


async def ask_thin(http: aiohttp.ClientSession, number: int) -> None:
    """One answer of the thin proxy, read to its end."""
    asked = [{"role": "user", "content": f"Go on, {number}."}]
    body = {"threadId": "t", "runId": str(number), "messages": asked}
    async with http.post("/", json=body) as answer:
        if (await answer.read()).count(b"TEXT_MESSAGE_CONTENT") != CHUNKS:
            raise RuntimeError("the thin proxy lost a chunk")


class StoryMeter:
    """Times calls, and reads the CPU of the processes behind them."""

    def __init__(self, deployment: Deployment, server_pid: int, thin_pid: int, rounds: int) -> None:
        self._deployment, self._rounds = deployment, rounds
        self._server_pid, self._thin_pid = server_pid, thin_pid

    async def measure(self, call: Callable[[int], Awaitable[None]]) -> "StoryCost":
        before = self._read()
        median = await time_calls(call, self._rounds)
        calls = self._rounds + WARM_UP
        server, database, thin = (
            (now - then) * 1000 / calls for now, then in zip(self._read(), before, strict=True)
        )
        return StoryCost(median, server, database, thin)

    def _read(self) -> tuple[float, float, float]:
        database = self._deployment.database_pids()
        return cpu_seconds([self._server_pid]), cpu_seconds(database), cpu_seconds([self._thin_pid])


class StoryCost(Struct, frozen=True):
    """What one call takes, in milliseconds: median time, and CPU of each process."""

    median: float
    server: float
    database: float
    thin: float


async def measure(
    client: StoryClient, thin: aiohttp.ClientSession, meter: StoryMeter
) -> dict[str, str]:
    story, long_story = await client.make_story(SHORT), await client.make_story(LONG)
    loaded_story = await client.make_loaded_story(SHORT)
    found: dict[str, str] = {}
    proxy = await meter.measure(lambda number: ask_thin(thin, number))
    dry = await meter.measure(lambda number: client.dry_run(story, number))
    loaded = await meter.measure(lambda number: client.dry_run(loaded_story, number))
    short = await meter.measure(lambda number: client.respond(story, number))
    stream = await meter.measure(lambda number: client.stream(story, number))
    long = await meter.measure(lambda number: client.respond(long_story, number))
    ratio = short.median / proxy.median
    found["respond"] = f"{short.median:.1f} ms, {ratio:.1f} × the thin proxy"
    found["stream"] = f"{stream.median:.1f} ms"
    chunk = stream.server / CHUNKS
    found["CPU a chunk"] = f"{chunk:.2f} ms, the whole turn divided by its chunks"
    found["thin proxy"] = f"{proxy.median:.1f} ms"
    found["CPU a turn"] = (
        f"server {short.server:.1f} ms, PostgreSQL {short.database:.1f} ms, "
        f"thin proxy {proxy.thin:.1f} ms; long story {long.server:.1f} and {long.database:.1f} ms"
    )
    found["dry run"] = f"{dry.median:.1f} ms, CPU {dry.server:.1f} and {dry.database:.1f} ms"
    found["loaded"] = (
        f"{loaded.median:.1f} ms, CPU {loaded.server:.1f} and {loaded.database:.1f} ms"
    )
    found["long story"] = f"{long.median:.1f} ms, {long.median / short.median:.1f} × respond"
    found["saturated"] = f"{await saturate(client, 5):.0f} turns/s"
    return found


async def main() -> None:
    """Print each figure beside its goal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stories")
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    port, thin_port = free_port(), free_port()
    model, thin_url = f"http://{LOOPBACK}:{port}/v1", f"http://{LOOPBACK}:{thin_port}"
    stub = [PYTHON, "-m", "benchmarks.stub", "--port", str(port), "--tokens", str(CHUNKS)]
    proxy = [PYTHON, "-m", "benchmarks.thin", "--port", str(thin_port), "--model", model]
    with scratch() as folder:
        async with (
            running(stub, log=folder / "stub.log", port=port),
            running(proxy, log=folder / "thin.log", port=thin_port) as thin_child,
            deployed(folder, model) as deployment,
            aiohttp.ClientSession(thin_url) as thin,
        ):
            server = await deployment.serve()
            async with opened(deployment) as database:
                account = await deployment.account(server, database, points=1_000)
                timeout = aiohttp.ClientTimeout(total=120)
                async with aiohttp.ClientSession(
                    server.url, headers=account.headers, timeout=timeout
                ) as http:
                    client, pids = StoryClient(http), (server.child.pid, thin_child.pid)
                    meter = StoryMeter(deployment, *pids, options.rounds)
                    rows = await measure(client, thin, meter)
                    size = await measure_bytes(client, database, 4 * options.rounds)
                    rows["bytes a turn"] = f"{size:,.0f}"
    for name, value in rows.items():
        print(f"{name:>13}  {value}  (goal {GOALS[name]})")


if __name__ == "__main__":
    uvloop.run(main())
