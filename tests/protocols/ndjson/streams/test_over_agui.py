"""The analyst is an agent like any other: AG-UI clients can ask it by its name."""

from tests.protocols.ndjson.analyst_client import SUMMARY, AnalystClient, visualize
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import run_body


async def test_a_run_by_the_agents_name_looks_at_the_default_workspace(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    analyst.workspace = "default"
    await analyst.create_table("sales")
    switchable.script([visualize()], [SUMMARY])
    body = run_body("Who sells most?")

    status, accepted = await analyst.caller.post("/api/v1/agents/analyst/runs", body)
    frames = await analyst.caller.events(accepted["threadId"], accepted["runId"])

    assert status == 202
    assert frames[-1].type == "RUN_FINISHED"
    made = [frame.data["name"] for frame in frames if frame.type == "CUSTOM"]
    assert [name for name in made if name != "PROGRESS"] == ["action", "result", "completion"]
