"""The HTTP cases of the oracle that can be asked of what there is."""

import json
from pathlib import Path

import pytest
from tests.loose_json import JsonObject
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller

CASES = json.loads((Path(__file__).parents[2] / "data/tavern/cases.json").read_text())["cases"]
HTTP_CASES = {case["id"]: case for case in CASES if case["kind"] == "http"}
TURNS = "{s}/respond", "nope/respond"


def needs_a_turn(case: JsonObject) -> bool:
    calls = json.dumps(case["given"]["steps"])
    return any(f'{path}"' in calls for path in TURNS)


@pytest.mark.parametrize("name", HTTP_CASES)
async def test_the_answer_is_the_oracles(caller: Caller, name: str) -> None:
    case = HTTP_CASES[name]
    if needs_a_turn(case):
        pytest.skip("chat turns are not served yet")
    session = (await create_session(caller))["id"]

    for step in case["given"]["steps"]:
        [(call, body)] = step.items()
        method, path = call.split(" ")
        status, answer = await caller.send(method, path.replace("{s}", session), json=body)

    assert status == case["expect"]["status"]
    assert answer["error"]["code"] == case["expect"]["code"]
