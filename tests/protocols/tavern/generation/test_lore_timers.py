"""Timers of lore are part of a turn's state. Issue 14 §11."""

from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel, fail_at_once
from tests.protocols.tavern.generation.turn_calls import (
    edit,
    find_input,
    list_sent,
    regenerate,
    respond,
    retry,
)
from tests.protocols.tavern.story_calls import create_session, create_stored_asset, read_floors
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.llm.errors import ModelFailed
from yarrow.llm.model import ChatRequest
from yarrow.llm.scripted import Say


def entry(uid: int, key: str, content: str, **timer: int) -> JsonObject:
    return {"uid": uid, "key": [key], "content": content, "order": uid, **timer}


BOOK: JsonObject = {
    "entries": {
        "0": entry(0, "dragon", "STICKY", sticky=3) | {"scanDepth": 1},
        "1": entry(1, "rain", "COOLING", cooldown=3) | {"scanDepth": 1},
        "2": {"uid": 2, "key": [], "constant": True, "content": "LATE", "order": 2, "delay": 3},
    }
}


async def create_timed_session(served: Served, caller: Caller) -> str:
    book = await create_stored_asset(served, caller, AssetKind.WORLDBOOK, BOOK, "Timed")
    return str((await create_session(caller, worldbook_profile_id=str(book.ref.id)))["id"])


def list_lore(request: ChatRequest) -> set[str]:
    sent = "\n".join(list_sent(request))
    return {word for word in ("STICKY", "COOLING", "LATE") if word in sent}


async def dry_lore(caller: Caller, session: str, message: str, **body: object) -> set[str]:
    _, answer = await caller.post(
        f"/sessions/{session}/respond/dry-run", {"message": message, **body}
    )
    sent = "\n".join(message["content"] for message in answer["data"]["messages"])
    return {word for word in ("STICKY", "COOLING", "LATE") if word in sent}


async def test_timers_count_messages(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_timed_session(served, caller)
    model = switchable.script(*([Say(f"reply {number}")] for number in range(4)))

    for message in ("a dragon in the rain", "rain", "rain", "quiet"):
        await respond(caller, session, message)

    assert [list_lore(request) for request in model.requests] == [
        {"STICKY", "COOLING"},
        {"STICKY", "LATE"},
        {"COOLING", "LATE"},
        {"LATE"},
    ]


async def test_a_timer_is_undone_with_its_turn(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_timed_session(served, caller)
    model = switchable.script(*([Say(f"reply {number}")] for number in range(4)))
    await respond(caller, session, "rain")
    first = await regenerate(caller, session)
    await retry(caller, first["floor_id"])

    assert [list_lore(request) for request in model.requests] == [{"COOLING"}] * 3
    assert await dry_lore(caller, session, "rain") == {"LATE"}


async def test_an_earlier_turn_is_answered_again_with_the_timers_of_its_time(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_timed_session(served, caller)
    model = switchable.script(*([Say(f"reply {number}")] for number in range(5)))
    for message in ("dragon", "quiet", "quiet"):
        await respond(caller, session, message)
    second = (await read_floors(caller, session))[1]

    await retry(caller, second["id"])
    await edit(caller, find_input(second), "still")

    lore = [list_lore(request) for request in model.requests]
    assert lore == [{"STICKY"}, {"STICKY", "LATE"}, {"LATE"}, *[{"STICKY", "LATE"}] * 2]


async def test_dry_runs_and_failed_turns_start_no_timer(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_timed_session(served, caller)
    switchable.script([Say("one")], [Say("half"), fail_at_once(ModelFailed(500))])
    await respond(caller, session, "hello")

    seen = [await dry_lore(caller, session, "rain") for _ in range(2)]
    status, _ = await caller.post(f"/sessions/{session}/respond", {"message": "rain"})

    assert status == 500
    assert seen == [{"COOLING", "LATE"}] * 2
    assert await dry_lore(caller, session, "rain") == {"COOLING", "LATE"}


async def test_a_branch_inherits_the_timers_of_its_source_floor(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_timed_session(served, caller)
    model = switchable.script(*([Say(f"reply {number}")] for number in range(4)))
    first = await respond(caller, session, "dragon")
    await respond(caller, session, "quiet")
    await respond(caller, session, "quiet")
    source = {"source_floor_id": first["floor_id"]}

    seen = await dry_lore(caller, session, "quiet", **source)
    await respond(caller, session, "quiet", **source)

    assert seen == {"STICKY", "LATE"}
    assert list_lore(model.requests[3]) == {"STICKY", "LATE"}
    assert await dry_lore(caller, session, "quiet") == {"LATE"}
