"""`python -m benchmarks.stories`: turns of stories over a stub model, with accounts on.

respond      one turn as a client sees it: 40 turns of history, a book of 200 entries
stream       the same as a stream of 50 chunks, until `done`; and the server's CPU for a chunk
dry run      the prompt of that turn without a model
long story   one turn of a story with 2,000 turns and a book of 2,000 entries, beside `respond`
saturated    turns a second over eight sessions that never wait
bytes        what a turn adds to the database
"""

import argparse
import asyncio
import random
import statistics
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter

import aiohttp
import psutil
import uvloop
from benchmarks.deployment import deployed, opened, scratch
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running
from benchmarks.prompting import book, history, preset, text
from tests.loose_json import JsonObject

from yarrow.db import Database
from yarrow.prompting.assembly import EntryRole

CHUNKS = 50
SESSIONS = 8
CONTEXT_TOKENS = 16_384
"""What a long story is trimmed to; a short one is not."""
WARM_UP = 10
GOALS = {
    "respond": "≤ 10 ms",
    "stream": "≤ 17 ms",
    "CPU a chunk": "≤ 0.15 ms",
    "dry run": "≤ 4 ms",
    "long story": "≤ 2 × respond",
    "saturated": "≥ 100 turns/s",
    "bytes a turn": "told",
}


@dataclass(frozen=True, slots=True)
class StorySize:
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

    async def make_story(self, size: StorySize) -> str:
        """A session with a preset, a book, a character and a history; returns its id."""
        dice = random.Random(20261116)
        own_preset = await self.post("/import/preset", {"name": "P", "data": preset(dice)})
        lore = {"name": "Book", "data": book(dice, size.entries)}
        own_book = await self.post("/import/worldbook", lore)
        card = {"spec": "chara_card_v2", "data": {"name": "Luna", "description": text(dice, 8)}}
        character = await self.post("/import/character", {"payload": card})
        lines: list[JsonObject] = [{"user_name": "Player", "character_name": "Luna"}]
        lines += [
            {"is_user": entry.role is EntryRole.USER, "mes": entry.content, "name": "x"}
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


def read_cpu(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


async def measure(
    client: StoryClient, database: Database, server_pid: int, rounds: int
) -> dict[str, str]:
    story, long_story = await client.make_story(SHORT), await client.make_story(LONG)
    found: dict[str, str] = {}
    dry = await time_calls(lambda number: client.dry_run(story, number), rounds)
    short = await time_calls(lambda number: client.respond(story, number), rounds)
    cpu = read_cpu(server_pid)
    stream = await time_calls(lambda number: client.stream(story, number), rounds)
    cpu = (read_cpu(server_pid) - cpu) * 1000 / ((rounds + WARM_UP) * CHUNKS)
    long = await time_calls(lambda number: client.respond(long_story, number), rounds)
    found["respond"] = f"{short:.1f} ms"
    found["stream"] = f"{stream:.1f} ms"
    found["CPU a chunk"] = f"{cpu:.2f} ms, the whole turn divided by its chunks"
    found["dry run"] = f"{dry:.1f} ms"
    found["long story"] = f"{long:.1f} ms, {long / short:.1f} × respond"
    found["saturated"] = f"{await saturate(client, 5):.0f} turns/s"
    found["bytes a turn"] = f"{await measure_bytes(client, database, 4 * rounds):,.0f}"
    return found


async def main() -> None:
    """Print each figure beside its goal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stories")
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    port = free_port()
    stub = [PYTHON, "-m", "benchmarks.stub", "--port", str(port), "--tokens", str(CHUNKS)]
    with scratch() as folder:
        async with (
            running(stub, log=folder / "stub.log", port=port),
            deployed(folder, f"http://{LOOPBACK}:{port}/v1") as deployment,
        ):
            server = await deployment.serve()
            async with opened(deployment) as database:
                account = await deployment.account(server, database, points=1_000)
                timeout = aiohttp.ClientTimeout(total=120)
                async with aiohttp.ClientSession(
                    server.url, headers=account.headers, timeout=timeout
                ) as http:
                    pid = server.child.pid
                    rows = await measure(StoryClient(http), database, pid, options.rounds)
    for name, value in rows.items():
        print(f"{name:>13}  {value}  (goal {GOALS[name]})")


if __name__ == "__main__":
    uvloop.run(main())
