"""A run that an earlier test left behind takes no script."""

from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, run_body

from yarrow.llm.scripted import Say


async def ask(caller: Caller) -> str:
    body = run_body("hello")
    await caller.submit(body)
    frames = await caller.events(body["threadId"], body["runId"])
    return "".join(f.data["delta"] for f in frames if f.type == "TEXT_MESSAGE_CONTENT")


async def test_a_late_run_of_an_earlier_test_takes_no_script(
    served: Served, switchable: SwitchableModel
) -> None:
    earlier, caller = await served.account(), await served.account()
    switchable.leave_accounts([earlier.id])
    model = switchable.script([Say("an answer")])

    assert await ask(earlier) == "You said: hello"
    assert await ask(caller) == "an answer"
    assert len(model.requests) == 1
