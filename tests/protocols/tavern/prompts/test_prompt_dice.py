"""The dice of a prompt: a dry run shows those that the next turn rolls. Issue 14 §3."""

from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import list_sent, regenerate, respond, retry
from tests.protocols.tavern.story_calls import create_session, create_stored_asset
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.llm.scripted import Say


async def create_rolling_session(served: Served, caller: Caller) -> str:
    dice = {"prompts": [{"identifier": "main", "content": "{{roll:1d1000000000}}"}]}
    preset = await create_stored_asset(served, caller, AssetKind.PRESET, dice, "Dice")
    return str((await create_session(caller, preset_id=str(preset.ref.id)))["id"])


async def preview_prompt(caller: Caller, session: str, message: str) -> list[str]:
    path = f"/sessions/{session}/respond/dry-run"
    status, answer = await caller.post(path, {"message": message})
    assert status == 200, answer
    return [each["content"] for each in answer["data"]["messages"]]


async def test_a_dry_run_rolls_the_dice_of_the_next_turn(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_rolling_session(served, caller)
    model = switchable.script([Say("One.")], [Say("Two.")])

    shown = []
    for message in ("a", "a"):
        shown += [await preview_prompt(caller, session, message) for _ in range(2)]
        await respond(caller, session, message)

    first, second = map(list_sent, model.requests)
    assert shown == [first, first, second, second]
    assert first[0] != second[0]


async def test_answering_again_rolls_again(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_rolling_session(served, caller)
    model = switchable.script(*([Say(text)] for text in "abcd"))

    floor = (await respond(caller, session, "a"))["floor_id"]
    await retry(caller, floor)
    last = (await regenerate(caller, session))["floor_id"]
    await caller.send("DELETE", f"/floors/{last}")
    await respond(caller, session, "a")

    assert len({list_sent(request)[0] for request in model.requests}) == 4
