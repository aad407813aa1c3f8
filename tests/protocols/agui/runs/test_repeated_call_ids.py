"""Models that number their tool calls anew in each answer."""

from tests.protocols.agui.stock_client import StockClient
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, run_body

from yarrow.llm.scripted import Call, Say, Turn

TWICE: tuple[Turn, ...] = (
    [Call("current_time", id="call_0")],
    [Call("current_time", id="call_0")],
    [Say("Noon.")],
)


async def test_both_calls_are_kept(caller: Caller, switchable: SwitchableModel) -> None:
    switchable.script(*TWICE)
    body = run_body()
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])

    _, history = await caller.get("/api/v1/agent/history", threadId=body["threadId"])

    assert [m["role"] for m in history["messages"]] == ["user", "tool", "tool", "assistant"]


async def test_stream_is_what_a_stock_client_accepts(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script(*TWICE)
    body = run_body()
    await caller.submit(body)

    frames = await caller.events(body["threadId"], body["runId"], profile="agui")

    client = StockClient().feed(frames)
    calls = [call["id"] for m in client.messages.values() for call in m.get("toolCalls", ())]
    assert len(set(calls)) == 2
