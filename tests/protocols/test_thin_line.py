"""The whole road once: signup, run, stream, charge, history."""

from tests.serving import Served, run_body


async def test_a_run_streams_is_charged_and_is_remembered(served: Served) -> None:
    caller = await served.account()
    body = run_body("hello there")

    accepted = await caller.submit(body)
    frames = await caller.events(accepted["threadId"], accepted["runId"])

    assert [f.type for f in frames if f.type != "TEXT_MESSAGE_CONTENT"] == [
        "RUN_STARTED",
        "STEP_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    result = "".join(f.data["delta"] for f in frames if f.type == "TEXT_MESSAGE_CONTENT")
    assert result == "You said: hello there"
    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (80, 0)
    _, history = await caller.get("/api/v1/agent/history", threadId=body["threadId"])
    assert [m["role"] for m in history["messages"]] == ["user", "assistant"]
