"""What a test leaves behind does not disturb the next one."""

from tests.browser.leftovers import end_leftovers
from tests.serving import Served, run_body

from yarrow.llm.scripted import Hold, Say


async def test_held_runs_end_and_the_script_is_dropped(served: Served) -> None:
    caller, hold, began_at = await served.account(), Hold(), served.product.engine.clock()
    served.model.play([Say("half of "), hold], [Say("never played")])
    body = run_body("left behind")
    await caller.submit(body)
    await hold.reached.wait()

    await end_leftovers(served, began_at)

    frames = await caller.events(body["threadId"], body["runId"])
    assert frames[-1].data["code"] == "AGENT_RUN_CANCELED"
    body = run_body("the next test")
    await caller.submit(body)
    text = "".join(
        frame.data["delta"]
        for frame in await caller.events(body["threadId"], body["runId"])
        if frame.type == "TEXT_MESSAGE_CONTENT"
    )
    assert text == "You said: the next test"
