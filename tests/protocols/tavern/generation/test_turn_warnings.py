"""What a turn did without is in its answer and stays with the reply. Issue 14 §3, §8."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    held_turn,
    respond,
    retry,
)
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller, Served

from yarrow.llm.errors import ModelRefused
from yarrow.llm.scripted import Fail, Hold, Say, Turn

REPLY = [Say("Rain.")]
FAILED: Turn = [Fail(ModelRefused(400))]
SCOPE_MAX = 1000


def list_codes(answer: JsonObject) -> list[str]:
    return [warning["code"] for warning in answer.get("warnings", [])]


async def read_result(caller: Caller, floor: str) -> JsonObject:
    status, answer = await caller.get(f"/floors/{floor}/result")
    assert status == 200, answer
    return dict(answer["data"])


@pytest.mark.parametrize(
    ("option", "script", "code"),
    [
        ("enableDirector", (FAILED, REPLY), "DIRECTOR_FAILED"),
        ("enableVerifier", (REPLY, FAILED), "VERIFIER_FAILED"),
        ("enableMemoryConsolidation", (REPLY, FAILED), "MEMORY_FAILED"),
    ],
)
async def test_a_module_that_fails_is_named(
    caller: Caller, switchable: SwitchableModel, option: str, script: tuple[Turn, ...], code: str
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(*script, REPLY)

    answer = await respond(caller, session, "a", config={option: True})

    assert list_codes(answer) == [code]
    assert await read_result(caller, answer["floor_id"]) == answer
    without = await retry(caller, answer["floor_id"])
    assert "warnings" not in without
    assert await read_result(caller, answer["floor_id"]) == without


async def test_each_disabled_module_is_named(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    for slot in ("director", "verifier", "memory"):
        await caller.send("PUT", f"/llm-instances/{slot}", json={"enabled": False})
    switchable.script(REPLY)
    config = {"enableDirector": True, "enableVerifier": True, "enableMemoryConsolidation": True}

    answer = await respond(caller, session, "a", config=config)

    assert list_codes(answer) == ["SLOT_DISABLED"] * 3
    assert await read_result(caller, answer["floor_id"]) == answer


async def test_a_reply_that_was_stopped_says_so(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session, hold = (await create_session(caller))["id"], Hold()
    switchable.script([Say("The fire"), hold])

    async with held_turn(caller, session, hold) as run:
        await caller.post(f"/floors/{run['floor_id']}/run/cancel", {"keep": True})

    assert list_codes(await read_result(caller, run["floor_id"])) == ["REPLY_STOPPED"]


async def test_a_variable_without_room_is_told(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    place = {"scope": "branch", "session_id": session, "branch_id": "main"}
    for first in range(0, SCOPE_MAX, 100):
        items = [place | {"key": f"k{at}", "value": at} for at in range(first, first + 100)]
        status, answer = await caller.send("PUT", "/variables/batch", json={"items": items})
        assert status == 200, answer
    switchable.script(REPLY)

    answer = await respond(caller, session, "a")

    assert list_codes(answer) == ["VARIABLES_FULL"]
    assert await read_result(caller, answer["floor_id"]) == answer
