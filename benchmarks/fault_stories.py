"""Faults while turns of a story are replaced: rivals, kills, cancels, clients that leave.

The prompt of every story counts its turns in the variable `n`, each turn writes a slot of session
state and remembers its summary, and the last one starts a timer of lore. So timeline, variables,
state, timers, memory and explanation can be compared after each fault: they are what they were
before or what they should be after.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from time import perf_counter
from uuid import uuid4

import aiohttp
from benchmarks.client import LOST, PATIENCE_S, PAUSE_S, Client, Stuck
from benchmarks.fault_bed import Bed, Layout, Outcome, judged
from msgspec import Struct
from tests.loose_json import JsonObject

AWAY = 503
FREE_S = 10.0
"""Within this time a branch is free again after any fault."""
QUICK = "[[say=It begins. <memo>The beginning.</memo>]]"
SLOW_REPLY = f"[[delay=10]] [[say={'It goes on. ' * 8}<memo>More of it.</memo>]]"
CREATE = '[[tool=create_worldbook {"name": "Lore"}]]'
TOOLS = {"enableTools": True}
COUNTING: JsonObject = {
    "prompts": [
        {"identifier": "main", "role": "system", "content": "n={{incvar::n}}"},
        {"identifier": "chatHistory", "marker": True},
        {"identifier": "worldInfoAfter", "marker": True},
    ]
}
LORE = "It is dark."
NIGHT: JsonObject = {
    "entries": {
        "0": {"uid": 0, "key": ["delay=10"], "scanDepth": 1, "sticky": 3, "position": 1}
        | {"content": LORE}
    }
}
"""The slow message, the last one of every story, starts a timer that is active in the next turn."""
TURN_FAULTS = (
    "[[status=500]]",
    "[[cut=3]]",
    "[[error=3]]",
    "[[garbage=3]]",
    "[[hang=3]]",
    "[[finish=content_filter tokens=5]]",
    f"{CREATE} [[cut=0]]",
)
REFUSALS = frozenset(
    {"generation_conflict", "generation_target_stale", "invalid_state", "commit_conflict"}
)
"""How one of several rivals may lose."""


class Story(Struct, frozen=True):
    """A session of two turns, and the ids of the second one."""

    client: Client
    session: str
    floor: str
    message: str

    async def read(self, path: str) -> JsonObject:
        return await ask(self.client, "GET", path)

    def list_replacements(self) -> list[tuple[str, JsonObject]]:
        """The calls that answer the second turn again."""
        writes, edited = write_slot(2), {"content": SLOW_REPLY}
        return [
            (f"/sessions/{self.session}/regenerate", writes),
            (f"/floors/{self.floor}/retry", writes),
            (f"/messages/{self.message}/edit-and-regenerate", edited | writes),
        ]


def write_slot(number: int) -> JsonObject:
    """The part of a body that writes the slot of a turn."""
    slot = {"namespace": "turns", "slot": str(number), "value": number}
    return {"session_state_writes": [slot]}


async def ask(client: Client, method: str, path: str, body: JsonObject | None = None) -> JsonObject:
    """A request that has to succeed; a read is repeated while the database is away."""
    deadline = perf_counter() + PATIENCE_S
    while True:
        status, answer = await client.call(method, path, body=body)
        if status in (200, 201):
            return answer
        if method != "GET" or status != AWAY or perf_counter() > deadline:
            raise Stuck(f"{method} {path}: {status} {answer}")
        await asyncio.sleep(PAUSE_S)


async def make_story(client: Client, last: str = SLOW_REPLY) -> Story:
    """A story with two turns; the second one is the slow one when it is answered again."""
    preset = await ask(client, "POST", "/import/preset", {"name": "Count", "data": COUNTING})
    book = await ask(client, "POST", "/import/worldbook", {"name": "Night", "data": NIGHT})
    bound = {"preset_id": preset["data"]["id"], "worldbook_profile_id": book["data"]["id"]}
    made = await ask(client, "POST", "/sessions", bound)
    session = made["data"]["id"]
    await ask(client, "POST", f"/sessions/{session}/state/namespaces", {"namespace": "turns"})
    for number, text in enumerate((QUICK, last), start=1):
        body = {"message": text} | write_slot(number)
        turn = await ask(client, "POST", f"/sessions/{session}/respond", body)
    timeline = await ask(client, "GET", f"/sessions/{session}/timeline")
    inputs = [each for each in timeline["data"]["floors"][-1]["messages"] if each["role"] == "user"]
    return Story(client, session, turn["data"]["floor_id"], inputs[0]["id"])


async def judge_story(outcome: Outcome, story: Story, *, floors: int = 2) -> None:
    """Timelines, state and explanations agree on every branch, and the branch is free."""
    await _wait_until_free(story)
    branches = await story.read(f"/sessions/{story.session}/branches")
    for branch in branches["data"]:
        name, query = branch["id"], f"session_id={story.session}&branch_id={branch['id']}"
        shown = await story.read(f"/sessions/{story.session}/timeline?branch_id={name}")
        resolved = await story.read(f"/variables/resolve?{query}")
        states = [floor["state"] for floor in shown["data"]["floors"]]
        values = {each["key"]: each["value"] for each in resolved["data"]["resolved"]}
        if states != ["committed"] * floors or values.get("n") != str(floors):
            outcome.wrong.append(f"{story.session}/{name}: {states}, n={values.get('n')}")
            continue
        last = shown["data"]["floors"][-1]
        explained = await story.read(f"/floors/{last['id']}/prompt-runtime/explain")
        if explained["data"]["messages"][0]["content"] != f"n={floors}":
            outcome.wrong.append(f"{story.session}/{name}: explains another prompt")
        result = explained["data"]["result"]["generated_text"]
        if result != last["messages"][-1]["content"]:
            outcome.wrong.append(f"{story.session}/{name}: the reply is not the one explained")
        ids = [floor["id"] for floor in shown["data"]["floors"]]
        for text in await _find_wrong_state(story, name, ids):
            outcome.wrong.append(f"{story.session}/{name}: {text}")


async def _find_wrong_state(story: Story, branch: str, floors: Sequence[str]) -> list[str]:
    """Session state, memories and timers that are not those of the turns on a branch."""
    path = f"/sessions/{story.session}"
    present = await story.read(f"{path}/state/resolve?branch_id={branch}")
    left = await story.read(f"{path}/state/resolve?source_floor_id={floors[-1]}")
    waiting = await _list_waiting_floors(story)
    body = {"message": "What comes next?", "branch_id": branch}
    dry = (await ask(story.client, "POST", f"{path}/respond/dry-run", body))["data"]
    listed = await story.read(f"/memories?session_id={story.session}&limit=200")
    sources = {each["id"]: each["source_floor_id"] for each in listed["data"]}
    omitted = dry["runtime_trace"]["memory"]["omitted"]
    remembered = {sources.get(each["memory_id"]) for each in omitted}
    slots = {each["slot"]: each["value"] for each in present["data"]}
    wrong = []
    if slots != {str(number): number for number in range(1, len(floors) + 1)}:
        wrong.append(f"the state has {slots}")
    if present["data"] != left["data"]:
        wrong.append("the last floor left another state")
    if not (remembered <= set(floors) <= remembered | waiting):
        wrong.append(f"remembers {remembered}, not {floors}")
    if not any(LORE in each["content"] for each in dry["messages"]):
        wrong.append("the timer of the last turn is lost")
    return wrong


async def _list_waiting_floors(story: Story) -> set[str]:
    """The floors whose memories are stored by a job that has not ended."""
    listed = await story.read(f"/memory/jobs?session_id={story.session}&limit=200")
    is_open = ("queued", "running")
    return {job["floor_id"] for job in listed["data"] if job["status"] in is_open}


async def _wait_until_free(story: Story) -> None:
    deadline = perf_counter() + FREE_S
    while perf_counter() < deadline:
        active = await story.read(f"/sessions/{story.session}/active-run")
        if active["data"] is None:
            return
        await asyncio.sleep(PAUSE_S)
    raise Stuck(f"{story.session}: the branch is not free after {FREE_S:.0f} s")


async def rivals_replace(bed: Bed, trials: int) -> Outcome:
    """Two clients regenerate, retry and edit the same floor at once, at two servers."""
    outcome = Outcome("rivals replace the same floor")
    client = await bed.client(*(await bed.use(Layout.PAIR)).servers)
    for _ in range(trials):
        with judged(outcome):
            story = await make_story(client)
            calls = story.list_replacements() * 2
            answers = await asyncio.gather(
                *(client.call("POST", path, body=body) for path, body in calls)
            )
            outcome.runs += len(answers)
            for status, answer in answers:
                code = "won" if status == 200 else str(answer["error"]["code"])
                outcome.note(code)
                if code != "won" and code not in REFUSALS:
                    outcome.wrong.append(f"{story.session}: {status} {answer}")
            await judge_story(outcome, story)
        outcome.trials += 1
    return outcome


async def replacement_worker_killed(bed: Bed, trials: int) -> Outcome:
    """kill -9 of a worker at any time while turns are replaced, with tools among them."""
    outcome = Outcome("a worker is killed while turns are replaced")
    processes = await bed.use(Layout.WORKERS)
    client = await bed.client(*processes.servers)
    for trial in range(trials):
        with judged(outcome):
            stories = [await make_story(client) for _ in range(3)]
            calls = [story.list_replacements()[place] for place, story in enumerate(stories)]
            tool_story = await make_story(client, QUICK)
            before = await _count_books(client)
            creating: JsonObject = {"message": f"{CREATE} {SLOW_REPLY}", "config": TOOLS}
            creating |= write_slot(3)
            calls.append((f"/sessions/{tool_story.session}/respond", creating))
            async with asyncio.TaskGroup() as tasks:
                for path, body in calls:
                    tasks.create_task(_repeat(outcome, client, path, body))
                await asyncio.sleep(bed.dice.uniform(0.05, 0.35))
                await processes.workers[trial % 2].kill()
                processes.workers[trial % 2] = await bed.deployment.worker()
            for story in stories:
                await judge_story(outcome, story)
            await judge_story(outcome, tool_story, floors=3)
            if (made := await _count_books(client) - before) != 1:
                outcome.wrong.append(f"{tool_story.session}: its tool made {made} worldbooks")
            outcome.runs += len(calls)
        outcome.trials += 1
    return outcome


async def _count_books(client: Client) -> int:
    listed = await ask(client, "GET", "/worldbooks?limit=1")
    return int(listed["meta"]["total"])


async def _repeat(outcome: Outcome, client: Client, path: str, body: JsonObject) -> None:
    """Send a request under one key until it is answered."""
    with judged(outcome):
        floor = await repeat_until_answer(client, path, body)
        run = await ask(client, "GET", f"/floors/{floor}/run")
        outcome.note("restarted" if run["data"]["attempt_no"] > 1 else "not hit")


async def repeat_until_answer(client: Client, path: str, body: JsonObject) -> str:
    """Send a request under one key until it is answered; returns its floor."""
    key, deadline = uuid4().hex, perf_counter() + PATIENCE_S
    while perf_counter() < deadline:
        with suppress(*LOST):
            status, answer = await client.call(
                "POST", f"{path}?on_disconnect=continue", body=body, key=key
            )
            if status == 200:
                return str(answer["data"]["floor_id"])
            if status < 500:
                raise Stuck(f"{path}: {status} {answer}")
        await asyncio.sleep(PAUSE_S)
    raise Stuck(f"{path} was not answered")


async def replacement_cancelled(bed: Bed, trials: int) -> Outcome:
    """A cancel arrives, at either server, about when the replacement commits."""
    outcome = Outcome("cancel races the commit of a replacement")
    client = await bed.client(*(await bed.use(Layout.PAIR)).servers)

    async def cancel(story: Story) -> None:
        await asyncio.sleep(bed.dice.uniform(0.25, 0.4))
        active = await story.read(f"/sessions/{story.session}/active-run")
        if active["data"] is not None:
            await client.call("POST", f"/floors/{active['data']['floor_id']}/run/cancel", body={})

    for _ in range(trials):
        with judged(outcome):
            story = await make_story(client)
            path, body = bed.dice.choice(story.list_replacements())
            (status, answer), _ = await asyncio.gather(
                client.call("POST", path, body=body), cancel(story)
            )
            outcome.runs += 1
            outcome.note("committed" if status == 200 else "cancelled")
            if status not in (200, 499):
                outcome.wrong.append(f"{story.session}: {status} {answer}")
            await judge_story(outcome, story)
        outcome.trials += 1
    return outcome


async def turn_client_leaves(bed: Bed, trials: int) -> Outcome:
    """The client leaves before the first byte, in the middle of the reply, or while it commits."""
    outcome = Outcome("the client leaves a turn")
    client = await bed.client(*(await bed.use(Layout.PAIR)).servers)
    for trial in range(trials):
        with judged(outcome):
            story = await make_story(client)
            path, body = story.list_replacements()[trial % 2]
            leaves_after = bed.dice.choice([0.0, 0.15, bed.dice.uniform(0.28, 0.36)])
            was_answered = await _leave(client.call("POST", path, body=body), leaves_after)
            outcome.runs += 1
            outcome.note("answered" if was_answered else "left")
            await judge_story(outcome, story)
        outcome.trials += 1
    return outcome


async def _leave(calling: Awaitable[tuple[int, JsonObject]], seconds: float) -> bool:
    """Wait so long for an answer, then disconnect; says whether it came."""
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(seconds):
            await calling
            return True
    return False


async def turn_model_fails(bed: Bed, trials: int) -> Outcome:
    """The model refuses, stalls, breaks off in a word or a tool call: the story is as before."""
    outcome = Outcome("the model fails in a turn")
    client = await bed.client(*(await bed.use(Layout.PAIR)).servers)
    for trial in range(trials):
        fault = TURN_FAULTS[trial % len(TURN_FAULTS)]
        with judged(outcome):
            story = await make_story(client)
            path = f"/messages/{story.message}/edit-and-regenerate"
            body: JsonObject = {"content": fault, "config": TOOLS} | write_slot(9)
            if trial // len(TURN_FAULTS) % 2:
                path, body = f"/sessions/{story.session}/respond", {"message": fault} | body
                del body["content"]
            status, answer = await client.call("POST", path, body=body)
            outcome.runs += 1
            outcome.note(str(answer.get("error", {}).get("code", status)))
            if status < 400:
                outcome.wrong.append(f"{story.session} {fault}: {status} {answer}")
            await judge_story(outcome, story)
        outcome.trials += 1
    return outcome


async def turn_database_lost(bed: Bed, trials: int) -> Outcome:
    """All of PostgreSQL is killed at any time while turns are replaced, and comes back."""
    outcome = Outcome("the database is killed while turns are replaced")
    client = await bed.client(*(await bed.use(Layout.ALONE)).servers)
    for _ in range(trials):
        with judged(outcome):
            stories = [await make_story(client) for _ in range(3)]
            calls = [story.list_replacements()[place] for place, story in enumerate(stories)]
            async with asyncio.TaskGroup() as tasks:
                for path, body in calls:
                    tasks.create_task(_repeat(outcome, client, path, body))
                await asyncio.sleep(bed.dice.uniform(0.0, 0.4))
                bed.kill_database()
            for story in stories:
                await judge_story(outcome, story)
            outcome.runs += len(calls)
        outcome.trials += 1
    return outcome
