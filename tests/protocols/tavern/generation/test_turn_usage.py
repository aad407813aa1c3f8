"""What is shown beside each page of a turn is that of its own run, and adds up to the ledger."""

from pathlib import Path

from tests.protocols.tavern.generation.turn_calls import (
    edit,
    find_input,
    regenerate,
    respond,
    retry,
)
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import serving

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
