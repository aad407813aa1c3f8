"""Memories that turns make: when they count, and where they are in the prompt. Issue 14 §9."""

import json

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    edit,
    find_input,
    list_sent,
    regenerate,
    respond,
    retry,
)
from tests.protocols.tavern.memories.memory_calls import (
    WINDOW,
    create_memory,
    dry_run,
    list_contents,
    list_memories,
)
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller, Served

from yarrow.llm.errors import ModelRefused
from yarrow.llm.scripted import Call, Fail, Say, Turn

CONSOLIDATE: JsonObject = {"enableMemoryConsolidation": True}


def say_summary(text: str) -> Turn:
    return [Say(f"Text. <summary>{text}</summary>")]


def say_json(**fields: object) -> Turn:
    return [Say(f"```json\n{json.dumps(fields)}\n```")]


async def test_a_summary_counts_when_its_turn_is_not_in_the_prompt(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(say_summary("It began to rain."))
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


async def test_a_huge_importance_fails_no_turn(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    facts = [{"content": "rain", "importance": 10**400}]
    switchable.script([Say("Rain.")], say_json(factsAdd=facts))

    await respond(caller, session, "a", config=CONSOLIDATE)

    (memory,) = await list_memories(caller)
    assert (memory["content"], memory["importance"]) == ("rain", 1.0)


async def test_the_summary_of_a_trimmed_turn_takes_its_place(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    long = "Once more around the hill. " * 40
    replies: list[Turn] = [
        [Say(f"{long}<summary>Round {number}.</summary>")] for number in range(6)
    ]
    switchable.script(*replies)
    for number in range(6):
        await respond(caller, session, f"Go {number}.")

    prompt = await dry_run(caller, session, budget={"max_input_tokens": 900})

    text = "\n".join(str(each["content"]) for each in prompt["messages"])
    shown = {number for number in range(6) if f"Go {number}." in text}
    summarised = {number for number in range(6) if f"Round {number}." in text}
    assert shown
    assert summarised
    assert shown & summarised == set()
    assert shown | summarised == set(range(6))


@pytest.mark.parametrize("mode", ["compat_strict", "compat_plus", "native"])
async def test_memory_is_in_the_prompt_in_every_mode(
    served: Served, caller: Caller, switchable: SwitchableModel, mode: str
) -> None:
    session = await create_counting_session(served, caller)
    for path, body in (("", {"prompt_mode": mode}), ("/prompt-runtime/policy", WINDOW)):
        status, answer = await caller.send("PATCH", f"/sessions/{session}{path}", json=body)
        assert status == 200, answer
    model = switchable.script(say_summary("It rains."), [Say("Wet.")])
    await respond(caller, session, "a")

    await respond(caller, session, "b")

    assert "\n".join(list_sent(model.requests[1])).count("[Memory]\n- (summary) It rains.") == 1


async def test_a_replaced_turn_takes_its_memory_away(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script(*[say_summary(f"Version {number}.") for number in (1, 2, 3)])
    await respond(caller, session, "a")

    replaced = await regenerate(caller, session)
    after_regenerate = await dry_run(caller, session, **WINDOW)
    await retry(caller, replaced["floor_id"])
    after_retry = await dry_run(caller, session, **WINDOW)

    assert after_regenerate["memory_summary"] == "[Memory]\n- (summary) Version 2."
    assert after_retry["memory_summary"] == "[Memory]\n- (summary) Version 3."
    assert await list_contents(caller, session_id=session) == ["Version 3."]
    assert not any("Version" in text for request in model.requests for text in list_sent(request))


async def test_choosing_a_page_chooses_its_memory(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(say_summary("One."), say_summary("Two."))
    floor = (await respond(caller, session, "a"))["floor_id"]
    await retry(caller, floor)
    _, shown = await caller.get(f"/floors/{floor}")
    pages = [page for page in shown["data"]["pages"] if page["page_kind"] == "output"]
    first = next(page["id"] for page in pages if not page["is_active"])

    status, answer = await caller.send("PATCH", f"/pages/{first}/activate")

    assert status == 200, answer
    assert await list_contents(caller) == ["One."]


async def test_a_branch_has_the_memory_of_its_line_alone(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(*[say_summary(text) for text in ("One.", "Two.", "Edited.")])
    await respond(caller, session, "a")
    await respond(caller, session, "b")
    floors = await read_floors(caller, session)

    await edit(caller, find_input(floors[1]), "c", branch_id="other")

    async def summary(branch: str) -> str:
        body = {"text": "{{summary}}", "branch_id": branch, **WINDOW}
        _, answer = await caller.post(f"/sessions/{session}/prompt-runtime/preview", body)
        return str(answer["data"]["text"])

    assert await summary("main") == "[Memory]\n- (summary) Two.\n- (summary) One."
    assert await summary("other") == "[Memory]\n- (summary) Edited.\n- (summary) One."


async def test_a_list_of_a_branch_has_what_counts_there(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    rain, ended = {"key": "sky", "content": "Rain."}, {"key": "sky"}
    noted = (say_json(factsAdd=[rain]), say_json(factsDeprecate=[ended]), say_json(factsAdd=[]))
    switchable.script(*(turn for note in noted for turn in ([Say("Text.")], note)))
    first = await respond(caller, session, "a", config=CONSOLIDATE)
    side = {"source_floor_id": first["floor_id"], "branch_id": "side", "config": CONSOLIDATE}
    await respond(caller, session, "b", **side)
    on_main = {"session_id": session, "branch_id": "main", "type": "fact"}

    beside = [each["status"] for each in await list_memories(caller, **on_main)]
    await regenerate(caller, session, config=CONSOLIDATE)

    assert (beside, await list_memories(caller, **on_main)) == (["active"], [])


async def test_a_failed_turn_remembers_nothing(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(say_summary("Kept."), [Fail(ModelRefused(400))])
    await respond(caller, session, "a")

    status, _ = await caller.post(f"/sessions/{session}/regenerate", {})

    assert status == 500
    assert await list_contents(caller) == ["Kept."]


async def test_consolidation_adds_updates_and_deprecates(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    await create_memory(caller, "Oslo", fact_key="home", scope="chat", scope_id=session)
    await create_memory(caller, "a cat", fact_key="pet", scope="chat", scope_id=session)
    answer = say_json(
        turnSummary="She moved.",
        facts_add=[{"key": "job", "content": "smith", "importance": 0.9}],
        factsUpdate=[{"key": "home", "content": "Bergen"}],
        factsDeprecate=["pet"],
        openLoopsAdd=["Who sent the letter?"],
    )
    model = switchable.script([Say("She packs.")], answer)

    await respond(caller, session, "Go.", config=CONSOLIDATE)

    assert model.requests[1].sampler == {"temperature": 0.3, "max_tokens": 1000}
    active = await list_memories(caller, lifecycle="active")
    assert {(each["type"], each["fact_key"], each["content"]) for each in active} == {
        ("summary", None, "She moved."),
        ("fact", "job", "smith"),
        ("fact", "home", "Bergen"),
        ("open_loop", None, "Who sent the letter?"),
    }
    assert sorted(await list_contents(caller, status="deprecated")) == ["Oslo", "a cat"]


async def test_a_replaced_consolidation_is_undone(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    await create_memory(caller, "Oslo", fact_key="home", scope="chat", scope_id=session)
    moved = say_json(factsUpdate=[{"key": "home", "content": "Bergen"}], factsDeprecate=[])
    switchable.script([Say("She moves.")], moved, [Say("She stays.")])
    await respond(caller, session, "Go.", config=CONSOLIDATE)
    before = await list_contents(caller, lifecycle="active")

    await regenerate(caller, session)

    assert before == ["Bergen"]
    assert await list_contents(caller, lifecycle="active") == ["Oslo"]


@pytest.mark.parametrize(
    "answer", [[Fail(ModelRefused(400))], [Say("I cannot.")]], ids=["fail", "text"]
)
async def test_a_memory_model_that_fails_does_not_fail_the_turn(
    caller: Caller, switchable: SwitchableModel, answer: Turn
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(say_summary("Kept."), answer)

    reply = await respond(caller, session, "a", config=CONSOLIDATE)

    assert reply["memory"]["status"] == "applied"
    assert await list_contents(caller) == ["Kept."]


async def test_the_memory_model_is_asked_only_on_request(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Say("Rain.")])

    await respond(caller, session, "a")

    assert len(model.requests) == 1


async def test_old_summaries_are_compacted_and_come_back_with_a_rebuild(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script(*[say_summary(f"Turn {number}.") for number in range(8)], [Say("Long ago.")])
    for number in range(8):
        await respond(caller, session, f"{number}")
    scope = f"/memory/scopes/branch/{json.dumps([session, 'main'])}"

    _, early = await caller.post(f"{scope}/compact")
    await caller.send("PUT", "/llm-instances/memory", json={"enabled": False})
    _, disabled = await caller.post(f"{scope}/compact", {"force": True})
    await caller.send("DELETE", "/llm-instances/memory")
    _, forced = await caller.post(f"{scope}/compact", {"force": True})
    compacted = await list_memories(caller, lifecycle="compacted")
    (macro,) = await list_memories(caller, summary_tier="macro")
    shown = (await dry_run(caller, session, **WINDOW))["memory_summary"]
    _, rebuilt = await caller.post(f"{scope}/rebuild")

    assert early["data"]["outcome"]["compacted"] == 0
    assert disabled["data"]["outcome"] == {"compacted": 0, "reason": "the memory slot is disabled"}
    outcome = forced["data"]["outcome"]
    assert (forced["data"]["status"], outcome["compacted"]) == ("succeeded", 4)
    assert outcome["usage"]["total_tokens"] > outcome["usage"]["completion_tokens"] > 0
    assert sorted(each["content"] for each in compacted) == [f"Turn {n}." for n in range(4)]
    assert (macro["content"], len(macro["coverage_floor_ids"])) == ("Long ago.", 4)
    assert "Long ago." in shown
    assert "Turn 0." not in shown
    assert rebuilt["data"]["outcome"] == {"restored": 8, "removed": 1}
    assert len(await list_contents(caller, lifecycle="active")) == 8


async def test_twelve_turns_after_a_compaction_there_is_another(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    turns = [say_summary(f"Turn {number}.") for number in range(11)]
    plain: list[Turn] = [[Say("Rain.")]] * 9
    switchable.script(*turns[:8], [Say("Long ago.")], *turns[8:], *plain, [Say("Later.")])
    scope = f"/memory/scopes/branch/{json.dumps([session, 'main'])}"
    for _ in range(8):
        await respond(caller, session, "a")
    await caller.post(f"{scope}/compact", {"force": True})
    for _ in range(11):
        await respond(caller, session, "b")
    _, early = await caller.post(f"{scope}/compact")
    await respond(caller, session, "c")

    _, due = await caller.post(f"{scope}/compact")

    assert early["data"]["outcome"]["compacted"] == 0
    assert due["data"]["outcome"]["compacted"] == 3
    macros = await list_contents(caller, summary_tier="macro")
    assert sorted(macros) == ["Later.", "Long ago."]


async def test_a_compaction_does_not_outlive_a_turn_it_covers(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    turns = [say_summary(f"Turn {number}.") for number in range(8)]
    switchable.script(*turns, [Say("Long ago.")], say_summary("Another."))
    floors = [(await respond(caller, session, f"{number}"))["floor_id"] for number in range(8)]
    scope = f"/memory/scopes/branch/{json.dumps([session, 'main'])}"
    await caller.post(f"{scope}/compact", {"force": True})

    await retry(caller, floors[0])

    contents = await list_contents(caller, lifecycle="active")
    assert "Long ago." not in contents
    assert "Another." in contents
    assert "Turn 1." in contents
    assert "Turn 0." not in await list_contents(caller)


async def test_dual_summaries_have_sections(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    await create_memory(caller, "Oslo", fact_key="home")
    await create_memory(caller, "Who?", type="open_loop")
    await create_memory(caller, "Long ago.", type="summary", summary_tier="macro")
    await create_memory(caller, "Just now.", type="summary", summary_tier="micro")
    memory = {"layout": "dual_summary", "half_life_days": 30}

    shown = await dry_run(caller, session, source_selection={"memory": memory})

    assert shown["memory_summary"] == (
        "[Memory]\nFacts:\n- home: Oslo\nOpen loops:\n- Who?\n"
        "Recent events:\n- Just now.\nStory so far:\n- Long ago."
    )


async def test_the_policy_turns_memory_off(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    await create_memory(caller, "Oslo")

    shown = await dry_run(caller, session, source_selection={"memory": {"enabled": False}})

    assert shown["memory_summary"] is None
    assert not shown["assembly"]["memory_summary_injected"]


async def test_the_model_can_search_the_memory(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    for content in ("Oslo", "a cat"):
        await create_memory(caller, content, scope="chat", scope_id=session, importance=0.1)
    path = f"/sessions/{session}/tool-permissions"
    status, _ = await caller.send("PATCH", path, json={"enabled": True})
    call = Call("query_memory", {"query": "cat"})
    model = switchable.script([call], [Say("The cat.")])

    await respond(caller, session, "Which pet?", config={"enableTools": True})

    assert status == 200
    assert "a cat" in list_sent(model.requests[1])[-1]
    assert "Oslo" not in list_sent(model.requests[1])[-1]
