"""The analyst is an agent like any other: AG-UI clients can ask it by its name."""

from tests.protocols.ndjson.analyst_client import SUMMARY, AnalystClient, visualize
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import run_body

from yarrow.agents.analyst.chart.prompt import FORMAT_ONLY
from yarrow.llm.scripted import Say


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


async def test_the_messages_to_the_model_are_in_no_frame_and_no_history(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    """They are stored for later turns, which repeat them, and stay on the server."""
    analyst.workspace = "default"
    await analyst.create_table("sales")
    caller, thread = analyst.caller, ""
    answers: list[object] = []
    for _ in range(2):
        model = switchable.script([Say("no object")], [SUMMARY])
        body = run_body("Who sells most?", thread=thread)
        _, accepted = await caller.post("/api/v1/agents/analyst/runs", body)
        thread, run = accepted["threadId"], accepted["runId"]
        answers.append(await caller.events(thread, run))
        answers.append(await caller.events(thread, run, profile="agui"))
        answers.append(await caller.events(thread, run, profile="agui", after=2))
        answers.append(await analyst.attach(thread))
    for scope in ({"threadId": thread}, {}, {"threadId": thread, "scope": "history_day"}):
        status, history = await caller.get("/api/v1/agent/history", **scope)
        assert status == 200
        answers.append(history)

    shown = [str(answer) for answer in answers]
    assert any("MESSAGES_SNAPSHOT" in answer for answer in shown)
    assert any("agent_output" in answer for answer in shown)
    first, *_ = (message.text for message in model.requests[0].messages)
    assert sum(FORMAT_ONLY in message.text for message in model.requests[0].messages) == 1
    for secret in (first.splitlines()[0], FORMAT_ONLY, "no object", "transcript", "described"):
        assert [answer for answer in shown if secret in answer] == []
