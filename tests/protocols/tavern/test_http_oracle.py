"""The HTTP cases of the oracle."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller

from yarrow.llm.scripted import Say

CASES = json.loads((Path(__file__).parents[2] / "data/tavern/cases.json").read_text())["cases"]
HTTP_CASES = {case["id"]: case for case in CASES if case["kind"] == "http"}


async def take_step(caller: Caller, session: str, step: JsonObject) -> list[tuple[int, JsonObject]]:
    """Send the calls of a step, those of a `parallel` one at once."""
    calls = step.get("parallel") or [step]
    requests = [next(iter(call.items())) for call in calls]
    return await asyncio.gather(
        *(
            caller.send(*path.replace("{s}", session).split(" "), json=body)
            for path, body in requests
        )
    )


@pytest.mark.parametrize("name", HTTP_CASES)
async def test_the_answer_is_the_oracles(
    caller: Caller, switchable: SwitchableModel, name: str
) -> None:
    case = HTTP_CASES[name]
    switchable.script([Say("a slow reply", delay_s=0.05)])
    session = (await create_session(caller))["id"]

    for step in case["given"]["steps"]:
        answers = await take_step(caller, session, step)

    statuses = case["expect"].get("statuses") or [case["expect"]["status"]]
    assert sorted(status for status, _ in answers) == statuses
    assert [a["error"]["code"] for s, a in answers if s >= 400] == [case["expect"]["code"]]
