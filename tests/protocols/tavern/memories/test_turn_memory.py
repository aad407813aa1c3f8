"""Memories that turns make: when they count, and where they are in the prompt. Issue 14 §9."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.story_calls import create_session
from tests.protocols.tavern.turns.turn_calls import (
    create_counting_session,
    list_sent,
    regenerate,
    respond,
    retry,
)
from tests.serving import Caller, Served

from yarrow.llm.scripted import Say

WINDOW: JsonObject = {"source_selection": {"history": {"mode": "windowed", "max_messages": 1}}}


async def dry_run(caller: Caller, session: str, **body: object) -> JsonObject:
    path = f"/sessions/{session}/respond/dry-run"
    status, answer = await caller.post(path, {"message": "And then?", **body})
    assert status == 200, answer
    return dict(answer["data"])


async def test_a_summary_counts_when_its_turn_is_not_in_the_prompt(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Rain. <summary>It began to rain.</summary>")])
    answer = await respond(caller, session, "Look up.")

    beside = await dry_run(caller, session)
    alone = await dry_run(caller, session, **WINDOW)

    assert answer["memory"] == {"mode": "sync", "status": "applied", "job_id": None}
    assert beside["memory_summary"] is None
    (omitted,) = beside["runtime_trace"]["memory"]["omitted"]
    assert omitted["reason"] == "verbatim_in_prompt"
    assert alone["memory_summary"] == "[Memory]\n- (summary) It began to rain."
    assert alone["assembly"]["memory_summary_injected"]
    assert alone["runtime_trace"]["memory"]["injected_ids"] == [omitted["memory_id"]]
    assert any("It began to rain." in each["content"] for each in alone["messages"])


@pytest.mark.parametrize("mode", ["compat_strict", "compat_plus", "native"])
async def test_memory_is_in_the_prompt_in_every_mode(
    served: Served, caller: Caller, switchable: SwitchableModel, mode: str
) -> None:
    session = await create_counting_session(served, caller)
    for path, body in (("", {"prompt_mode": mode}), ("/prompt-runtime/policy", WINDOW)):
        status, answer = await caller.send("PATCH", f"/sessions/{session}{path}", json=body)
        assert status == 200, answer
    model = switchable.script([Say("Rain. <memo>It rains.</memo>")], [Say("Wet.")])
    await respond(caller, session, "a")

    await respond(caller, session, "b")

    assert (
        sum(text.count("[Memory]\n- (summary) It rains.") for text in list_sent(model.requests[1]))
        == 1
    )


async def test_a_replaced_turn_takes_its_memory_away(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    texts = [f"Text. <summary>Version {number}.</summary>" for number in (1, 2, 3)]
    model = switchable.script(*[[Say(text)] for text in texts])
    await respond(caller, session, "a")

    replaced = await regenerate(caller, session)
    after_regenerate = await dry_run(caller, session, **WINDOW)
    await retry(caller, replaced["floor_id"])
    after_retry = await dry_run(caller, session, **WINDOW)

    assert after_regenerate["memory_summary"] == "[Memory]\n- (summary) Version 2."
    assert after_retry["memory_summary"] == "[Memory]\n- (summary) Version 3."
    assert not any("Version" in text for request in model.requests for text in list_sent(request))


async def test_the_macro_summary_is_what_is_injected(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("Rain. <summary>It rains.</summary>")])
    await respond(caller, session, "a")

    body = {"text": "<{{summary}}>", **WINDOW}
    status, answer = await caller.post(f"/sessions/{session}/prompt-runtime/preview", body)

    assert status == 200, answer
    assert answer["data"]["text"] == "<[Memory]\n- (summary) It rains.>"
