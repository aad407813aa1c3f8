"""Global variables, which turns of many branches and stories write, undone in any order."""

import random

from msgspec import Struct, field
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import COUNTING_PRESET, regenerate, respond, retry
from tests.protocols.tavern.story_calls import create_stored_asset
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.llm.scripted import Call, Say

TOOLS = {"config": {"enableTools": True}}
GLOBAL = {"scope": "global", "key": "g"}
SEED = 1


class Write(Struct, eq=False):
    """A write in the order of commits; `value` is None if it deletes."""

    text: str
    value: str | None
    stands: bool = True


class Line(Struct, eq=False):
    """A branch: its floors, each with the writes of its pages; the chosen one stands."""

    session: str
    branch: str
    erases: bool = False
    floors: list[tuple[str, list[Write]]] = field(default_factory=list)


class Player:
    """Plays lines over HTTP, and keeps what they and a person wrote."""

    def __init__(self, caller: Caller, model: SwitchableModel, lines: list[Line]) -> None:
        self.caller, self.model, self.lines = caller, model, lines
        self.rng = random.Random(SEED)
        self.writes: list[Write] = []

    def expect(self) -> str | None:
        return next((write.value for write in reversed(self.writes) if write.stands), None)

    def prepare(self, line: Line) -> Write:
        text = f"reply {len(self.writes)}"
        value: JsonObject = {"name": "g", "value": text, "scope": "global"}
        calls = [] if line.erases else [[Call("set_variable", value)]]
        self.model.script(*calls, [Say(text)])
        self.writes.append(Write(text, None if line.erases else text))
        return self.writes[-1]

    async def respond(self, line: Line) -> None:
        write = self.prepare(line)
        told = await respond(self.caller, line.session, "Go on.", branch_id=line.branch, **TOOLS)
        line.floors.append((told["floor_id"], [write]))

    async def retry(self, line: Line) -> None:
        floor, pages = line.floors[-1]
        stand_down(pages)
        pages.append(self.prepare(line))
        await retry(self.caller, floor, **TOOLS)

    async def regenerate(self, line: Line) -> None:
        stand_down(line.floors.pop()[1])
        write = self.prepare(line)
        told = await regenerate(self.caller, line.session, branch_id=line.branch, **TOOLS)
        line.floors.append((told["floor_id"], [write]))

    async def choose(self, line: Line) -> None:
        floor, pages = line.floors[-1]
        stand_down(pages)
        chosen = self.rng.choice(pages)
        chosen.stands = True
        _, answer = await self.caller.get(f"/floors/{floor}")
        (page,) = [p for p in answer["data"]["pages"] if p["message"]["content"] == chosen.text]
        status, _ = await self.caller.send("PATCH", f"/pages/{page['id']}/activate")
        assert status == 200

    async def drop(self, line: Line) -> None:
        floor, pages = line.floors.pop()
        stand_down(pages)
        assert (await self.caller.send("DELETE", f"/floors/{floor}"))[0] == 200

    async def put(self) -> None:
        self.writes.append(Write("", f"person {len(self.writes)}"))
        status, _ = await self.caller.send(
            "PUT", "/variables", json=GLOBAL | {"value": self.writes[-1].value}
        )
        assert status in (200, 201)

    async def step(self) -> None:
        line = self.rng.choice(self.lines)
        acts = [self.retry, self.regenerate, self.choose, self.drop] if line.floors else []
        if self.rng.random() < 0.05:
            await self.put()
        else:
            await self.rng.choice([self.respond, *acts])(line)


def stand_down(pages: list[Write]) -> None:
    for page in pages:
        page.stands = False


async def create_story(served: Served, caller: Caller, text: str) -> str:
    """A session with this text in its prompt."""
    main, history = COUNTING_PRESET["prompts"]
    preset = COUNTING_PRESET | {"prompts": [main | {"content": text}, history]}
    asset = await create_stored_asset(served, caller, AssetKind.PRESET, preset)
    _, answer = await caller.post("/sessions", {"preset_id": str(asset.ref.id)})
    return str(answer["data"]["id"])


async def create_lines(served: Served, caller: Caller) -> list[Line]:
    """Two branches of a story that sets the variable, and a story that deletes it."""
    story = await create_story(served, caller, "Tell.")
    erasing = await create_story(served, caller, "{{deleteglobalvar::g}}")
    return [Line(story, "main"), Line(story, "b"), Line(erasing, "main", erases=True)]


async def read_global(caller: Caller) -> str | None:
    _, answer = await caller.get("/variables", scope="global")
    values: JsonObject = {each["key"]: each["value"] for each in answer["data"]}
    return values.get("g")


async def test_a_global_variable_has_what_the_last_standing_turn_or_a_person_wrote(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    lines = await create_lines(served, caller)
    player = Player(caller, switchable, lines)
    await respond(caller, lines[0].session, "Begin.")
    for number in range(40):
        await player.step()
        assert await read_global(caller) == player.expect(), number


async def test_a_replacement_reads_global_variables_without_the_turn_that_it_replaces(
    served: Served, caller: Caller
) -> None:
    first, second = [await create_story(served, caller, "{{incglobalvar::g}}") for _ in range(2)]
    for session in (first, second, first):
        await respond(caller, session, "Go on.")
    assert await read_global(caller) == "3"

    await regenerate(caller, first)
    after_regenerate = await read_global(caller)
    await regenerate(caller, second)

    assert (after_regenerate, await read_global(caller)) == ("3", "4")
