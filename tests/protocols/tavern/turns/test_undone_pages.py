"""Pages of a floor that were generated or chosen while another floor followed it, once that one is
taken away: the floor is the newest again, and replacing it takes its writes away."""

from collections.abc import Sequence

import pytest
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    read_variables,
    regenerate,
    respond,
    retry,
)
from tests.protocols.tavern.story_calls import read_floors
from tests.serving import Caller, Served

from yarrow.llm.scripted import Say


async def choose_pages(caller: Caller, session: str, numbers: Sequence[int]) -> None:
    """Choose pages of the first floor, one after the other, by the order of their replies."""
    (first, *_) = await read_floors(caller, session)
    pages = [page for page in first["pages"] if page["page_kind"] == "output"]
    pages.sort(key=lambda page: str(page["message"]["content"]))
    for number in numbers:
        status, answer = await caller.send("PATCH", f"/pages/{pages[number]['id']}/activate")
        assert status == 200, answer


@pytest.mark.parametrize("is_retried", [True, False])
@pytest.mark.parametrize("before, after", [((), ()), ((0, 1), ()), ((), (1,)), ((0,), (1,))])
async def test_pages_that_wrote_the_same_values_are_told_apart(
    served: Served,
    caller: Caller,
    switchable: SwitchableModel,
    before: Sequence[int],
    after: Sequence[int],
    is_retried: bool,
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script(*([Say(f"reply {number}")] for number in range(4)))
    first = (await respond(caller, session, "a"))["floor_id"]
    last = (await respond(caller, session, "b"))["floor_id"]
    await retry(caller, first)
    await choose_pages(caller, session, before)
    assert (await caller.send("DELETE", f"/floors/{last}"))[0] == 200
    await choose_pages(caller, session, after)

    await (retry(caller, first) if is_retried else regenerate(caller, session))

    assert model.requests[-1].messages[0].text == "n=1"
    assert (await read_variables(caller, session))["n"] == "1"


async def test_an_older_turn_is_retried_from_the_state_that_its_record_has(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script(*([Say(f"reply {number}")] for number in range(4)))
    first = (await respond(caller, session, "a"))["floor_id"]
    named = {"scope": "branch", "session_id": session, "branch_id": "main"}
    for key in ("n", "lamp"):
        await caller.send("PUT", "/variables", json={**named, "key": key, "value": 5})
    await retry(caller, first)
    await respond(caller, session, "b")
    await choose_pages(caller, session, [0])

    await retry(caller, first)

    _, explained = await caller.get(f"/floors/{first}/prompt-runtime/explain")
    assert model.requests[-1].messages[0].text == "n=6"
    assert explained["data"]["variables"] == {"n": "6", "lamp": 5}
