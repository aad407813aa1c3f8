"""What a test leaves behind does not disturb the next one."""

import pytest
from tests.browser.bound_model import BoundModel, Site
from tests.browser.leftovers import end_leftovers
from tests.serving import run_body

from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, TextChunk
from yarrow.llm.scripted import Hold, Say


async def ask(model: BoundModel, message: str) -> str:
    request = ChatRequest((ChatMessage(ChatRole.USER, message),))
    chunks = [chunk async for chunk in model.stream(request)]
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk))


async def test_held_runs_end(served: Site) -> None:
    caller, hold, began_at = await served.account(), Hold(), served.product.engine.clock()
    served.model.answer("left behind", [Say("half of "), hold])
    body = run_body("left behind")
    await caller.submit(body)
    await hold.reached.wait()

    await end_leftovers(served, began_at)

    frames = await caller.events(body["threadId"], body["runId"])
    assert frames[-1].data["code"] == "AGENT_RUN_CANCELED"


async def test_no_other_request_takes_the_turn_of_a_message() -> None:
    model = BoundModel()
    model.answer("Break out", [Say("An answer.")])

    assert await ask(model, "a late one of an earlier test") == (
        "You said: a late one of an earlier test"
    )
    assert await ask(model, "Break out") == "An answer."
    assert model.forget_turns() == []


async def test_turns_that_are_left_and_turns_that_are_missing_are_told() -> None:
    model = BoundModel()
    model.answer("once", [Say("An answer.")])
    model.answer("never", [Say("An answer.")])

    await ask(model, "once")
    await ask(model, "once")

    assert model.forget_turns() == ["not asked: never", "asked too often: once"]
    assert model.forget_turns() == []


@pytest.mark.parametrize("is_bound", [True, False])
async def test_a_message_of_an_earlier_test_cannot_be_bound(is_bound: bool) -> None:
    model, message = BoundModel(), "Count"
    if is_bound:
        model.answer(message, [Say("An answer.")])
    await ask(model, message)
    model.forget_turns()

    with pytest.raises(AssertionError, match="an earlier test"):
        model.answer(message, [Say("Another answer.")])
