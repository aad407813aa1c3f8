"""What is shown beside each page of a turn is that of its own run, and adds up to the ledger."""

from pathlib import Path

import pytest
from tests.loose_json import JsonObject
from tests.protocols.tavern.generation.turn_calls import (
    edit,
    find_input,
    read_frames,
    regenerate,
    respond,
    retry,
    stream_turn,
)
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller, serving

from yarrow.llm.scripted import Say, ScriptedModel, Spend


async def test_usage_of_replaced_replies_adds_up_to_the_ledger(  # seed 4; issue 17
    dsn: str, tmp_path: Path
) -> None:
    model = ScriptedModel(
        *((Say(f"R{number}"), Spend(1_000 * number, number)) for number in range(1, 6))
    )
    async with serving(dsn, model=model, data_dir=tmp_path, storyteller_price=3) as served:
        caller = await served.account()
        session = (await create_session(caller))["id"]
        first = await respond(caller, session, "a")
        await respond(caller, session, "b")
        await regenerate(caller, session)
        await retry(caller, first["floor_id"])
        floors = await read_floors(caller, session)
        await edit(caller, find_input(floors[-1]), "c", branch_id="alt")

        _, listed = await caller.get("/api/v1/runs", session=session)
        _, ledger = await caller.get("/api/v1/points/ledger")
        pages = [
            page["message"]
            for branch in ("main", "alt")
            for floor in await read_floors(caller, session, branch)
            for page in floor["pages"]
            if page["page_kind"] == "output"
        ]

    by_answer = {run["message_id"]: run for run in listed["runs"]}
    for page in pages:
        number = int(page["content"].removeprefix("R"))
        run = by_answer[page["id"]]
        assert (run["input_tokens"], run["output_tokens"]) == (1_000 * number, number)
    charges = {
        entry["metadata"]["run_id"]: (entry["amount"], entry["metadata"]["charge"]["input_tokens"])
        for entry in ledger["entries"]
        if entry["change_type"] == "consume"
    }
    shown = {run["run_id"]: (run["points"], run["input_tokens"]) for run in listed["runs"]}
    assert (len(shown), shown) == (5, charges)


@pytest.mark.parametrize(("price", "balance"), [(0, 100), (3, 91)])
async def test_every_wire_of_a_turn_has_its_cost_and_points(  # issue 15, 3
    dsn: str, tmp_path: Path, price: int, balance: int
) -> None:
    """1,000 tokens at 2 and 50 at 8 for a million cost 0.0024."""
    model = ScriptedModel(*((Say("The fire wavers."), Spend(1_000, 50)) for _ in range(3)))
    async with serving(
        dsn,
        model=model,
        data_dir=tmp_path,
        storyteller_price=price,
        llm_input_price=2,
        llm_output_price=8,
    ) as served:
        caller = await served.account()
        session = (await create_session(caller))["id"]
        first = await respond(caller, session, "a")
        frames = await stream_turn(caller, f"/sessions/{session}/respond/stream", {"message": "b"})
        retried = await retry(caller, first["floor_id"])
        floor = frames[-1].data["floor_id"]
        replayed = await read_run_frames(caller, floor)
        _, run = await caller.get(f"/floors/{floor}/run")
        _, result = await caller.get(f"/floors/{floor}/result")
        _, retried_result = await caller.get(f"/floors/{first['floor_id']}/result")
        points = await caller.points()

    charge = {"cost": "0.002400", "points": price}
    tokens = {"prompt_tokens": 1_000, "completion_tokens": 50, "total_tokens": 1_050}
    ended = [frame.data for frame in frames if frame.data.get("status") == "completed"]
    shown = [first, retried, frames[-1].data, replayed[-1], *ended, run["data"]]
    assert [data.get("charge") for data in shown] == [charge] * len(shown)
    for data in (first, result["data"], retried_result["data"]):
        assert (data["total_usage"], data["charge"]) == (tokens, charge)
    assert points["balance"] == balance
    assert not any("charge" in frame.data for frame in frames if frame.event == "chunk")


async def read_run_frames(caller: Caller, floor: str) -> list[JsonObject]:
    url = f"{caller.url}/floors/{floor}/run/events"
    async with caller.http.get(url, headers=caller.headers) as answer:
        return [frame.data for frame in await read_frames(answer)]


async def test_a_turn_that_cost_nothing_has_no_charge(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, model=None, data_dir=tmp_path, storyteller_price=3) as served:
        caller = await served.account()
        session = (await create_session(caller))["id"]
        answer = await respond(caller, session, "Hello")
        _, result = await caller.get(f"/floors/{answer['floor_id']}/result")
        points = await caller.points()

    assert "charge" not in answer
    assert "charge" not in result["data"]
    assert points["balance"] == 100
