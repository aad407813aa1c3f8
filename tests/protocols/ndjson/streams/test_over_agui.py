"""The analyst is an agent like any other: AG-UI clients can ask it by its name."""

from tests.protocols.switchable_model import Stage
from tests.protocols.ndjson.analyst_client import SUMMARY, Lab, visualize
from tests.serving import run_body


async def test_a_run_by_the_agents_name_looks_at_the_default_workspace(
    lab: Lab, stage: Stage
) -> None:
    lab.workspace = "default"
    await lab.put("sales")
    stage.script([visualize()], [SUMMARY])
    body = run_body("Who sells most?")

    status, accepted = await lab.caller.post("/api/v1/agents/analyst/runs", body)
    frames = await lab.caller.events(accepted["threadId"], accepted["runId"])

    assert status == 202
    assert frames[-1].type == "RUN_FINISHED"
    made = [frame.data["name"] for frame in frames if frame.type == "CUSTOM"]
    assert [name for name in made if name != "PROGRESS"] == ["action", "result", "completion"]
