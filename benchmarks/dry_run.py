"""`python -m benchmarks.dry_run`: how long a dry run takes, inside the server and over HTTP.

inside   from the request's values to the answer's bytes: database, assembly, encoding
http     the same as a client sees it, one request at a time, over a connection that is kept

The book has 200 entries, the chat 40 turns, the preset 25 entries; every message is a new one.
"""

import argparse
import asyncio
import random
import statistics
from pathlib import Path
from time import perf_counter

import aiohttp
import uvloop
from benchmarks.deployment import scratch
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running
from benchmarks.prompting import SIZES, book, history, messages, preset, text
from tests.loose_json import JsonObject

from yarrow.clock import system_clock
from yarrow.db import open_database
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import encode_json
from yarrow.prompting.model import PromptRole
from yarrow.protocols.tavern.ids import parse_session_id
from yarrow.protocols.tavern.prompts.encode import encode_dry_run
from yarrow.server import tune_gc
from yarrow.stories.prompts import PromptPosition, PromptQuery, StoryPrompts

LIMITS = {"inside": 2.0, "http": 4.0}
SIZE = SIZES["small"]
WARM_UP = 20
YARROW = str(Path(PYTHON).with_name("yarrow"))


async def post(http: aiohttp.ClientSession, path: str, body: JsonObject) -> JsonObject:
    async with http.post(path, json=body) as answer:
        answer.raise_for_status()
        return (await answer.json())["data"]  # type: ignore[no-any-return]


async def make_story(http: aiohttp.ClientSession) -> str:
    """A session with a preset, a book, a character and a history; gives back its id."""
    dice = random.Random(20260403)
    given = await post(http, "/import/preset", {"name": "Preset", "data": preset(dice)})
    lore = await post(http, "/import/worldbook", {"name": "Book", "data": book(dice, SIZE.entries)})
    card = {
        "name": "Luna",
        "description": text(dice, 8),
        "mes_example": f"<START>\n{text(dice, 4)}",
    }
    character = await post(
        http, "/import/character", {"payload": {"spec": "chara_card_v2", "data": card}}
    )
    lines: list[JsonObject] = [{"user_name": "Player", "character_name": "Luna"}]
    lines += [
        {"is_user": one.role is PromptRole.USER, "mes": one.content, "name": one.role.value}
        for one in history(dice, SIZE.messages)
    ]
    chat = await post(
        http, "/import/chat", {"data": lines, "character_id": character["character_id"]}
    )
    bindings = {"preset_id": given["id"], "worldbook_profile_id": lore["id"]}
    session = str(chat["session_id"])
    async with http.patch(f"/sessions/{session}", json=bindings) as answer:
        answer.raise_for_status()
    return session


async def over_http(http: aiohttp.ClientSession, session: str, said: list[str]) -> list[float]:
    times = []
    for message in said:
        began = perf_counter()
        made = await post(http, f"/sessions/{session}/respond/dry-run", {"message": message})
        times.append((perf_counter() - began) * 1000)
        assert len(made["messages"]) > SIZE.messages
    return times[WARM_UP:]


async def inside(dsn: str, session: SessionId, said: list[str]) -> list[float]:
    async with open_database(dsn, size=4) as database:
        prompts = StoryPrompts(database, system_clock)
        async with database.connection() as tx:
            owner = await tx.fetchval("SELECT user_id FROM sessions WHERE id = $1", session)
        position = PromptPosition(AccountId(owner), session)
        times = []
        tune_gc()  # as the server does when it has started
        for message in said:
            began = perf_counter()
            run = await prompts.dry_run(position, PromptQuery(message))
            encode_json(encode_dry_run(run, with_matches=False))
            times.append((perf_counter() - began) * 1000)
    return times[WARM_UP:]


async def database_url(data: Path) -> str:
    process = await asyncio.create_subprocess_exec(
        YARROW, "db", "url", "--data-dir", str(data), stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await process.communicate()
    return printed.decode().strip()


async def main() -> None:
    """Print the median and the slow end of both."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dry_run")
    parser.add_argument("--rounds", type=int, default=300)
    given = parser.parse_args()
    said = messages(SIZE, given.rounds + WARM_UP)
    port = free_port()
    with scratch() as folder:
        data = folder / "data"
        command = [YARROW, "serve", "--port", str(port), "--data-dir", str(data)]
        async with (
            running(command, log=folder / "serve.log", port=port),
            aiohttp.ClientSession(f"http://{LOOPBACK}:{port}") as http,
        ):
            session = await make_story(http)
            found = {
                "http": await over_http(http, session, said),
                "inside": await inside(await database_url(data), parse_session_id(session), said),
            }
    for kind, times in found.items():
        slow = statistics.quantiles(times, n=20)[-1]
        print(
            f"{kind:>6}  median {statistics.median(times):.2f} ms  p95 {slow:.2f} ms  "
            f"limit {LIMITS[kind]} ms"
        )


if __name__ == "__main__":
    uvloop.run(main())
