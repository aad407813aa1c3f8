"""A message becomes a reply: in the timeline, with its state, or nothing of it."""

import asyncio

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel, fail_at_once
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    read_variables,
    respond,
    stream_turn,
)
from tests.protocols.tavern.story_calls import (
    create_character,
    create_session,
    create_stored_asset,
    read_floors,
)
from tests.serving import Caller, Served, broken_rules_of

from yarrow.assets.model import AssetKind
from yarrow.llm.errors import ModelFailed, ModelTimeout
from yarrow.llm.model import FinishReason
from yarrow.llm.scripted import Hold, Say, Spend, Stop, Think

STOPS = ["a"] * 100_000
JSON_PATHS = (
    ("POST", "/sessions/{session}/respond"),
    ("POST", "/sessions/{session}/respond/stream"),
    ("POST", "/sessions/{session}/respond/dry-run"),
    ("POST", "/sessions/{session}/regenerate"),
    ("DELETE", "/sessions/{session}/state/values"),
    ("POST", "/import/character"),
)


def texts(floor: JsonObject) -> list[str]:
    return [message["content"] for message in floor["messages"]]


async def test_a_reply_is_in_the_timeline_with_its_number(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    broken_before = await broken_rules_of(served.product.database)
    character = await create_character(served, caller)
    session = (await create_session(caller, character_id=str(character.ref.id)))["id"]
    switchable.script([Say("The fire wavers."), Spend(7, 3)])

    answer = await respond(caller, session, "Go on.")

    floors = await read_floors(caller, session)
    assert answer == {
        "floor_id": floors[1]["id"],
        "floor_no": 1,
        "branch_id": "main",
        "generated_text": "The fire wavers.",
        "summaries": [],
        "total_usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        "memory": {"mode": "sync", "status": "applied", "job_id": None},
        "final_state": "committed",
    }
    assert texts(floors[1]) == ["Go on.", "The fire wavers."]
    assert [floor["state"] for floor in floors] == ["committed", "committed"]
    assert await broken_rules_of(served.product.database) == broken_before


async def test_the_model_gets_the_messages_of_the_dry_run(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    character = await create_character(served, caller)
    session = (await create_session(caller, character_id=str(character.ref.id)))["id"]
    model = switchable.script([Say("one")], [Say("two")])
    await respond(caller, session, "first")

    _, dry = await caller.post(f"/sessions/{session}/respond/dry-run", {"message": "second"})
    await respond(caller, session, "second")

    sent = [{"role": m.role.value, "content": m.text} for m in model.requests[1].messages]
    assert sent == dry["data"]["messages"]


async def test_writes_of_macros_are_stored_with_the_reply(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say("one")], [Say("two")])

    await respond(caller, session, "a")
    await respond(caller, session, "b")

    assert [request.messages[0].text for request in model.requests] == ["n=1", "n=2"]
    assert await read_variables(caller, session) == {"n": "2"}


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ModelTimeout(100), 504, "generation_timeout"),
        (ModelFailed(500), 500, "orchestration_failed"),
    ],
)
async def test_a_failed_turn_leaves_nothing(
    served: Served,
    caller: Caller,
    switchable: SwitchableModel,
    error: ModelTimeout | ModelFailed,
    status: int,
    code: str,
) -> None:
    broken_before = await broken_rules_of(served.product.database)
    session = await create_counting_session(served, caller)
    switchable.script([Say("one")], [Say("half a"), fail_at_once(error)], [Say("two")])
    await respond(caller, session, "a")
    before = await read_floors(caller, session), await read_variables(caller, session)

    failed = await caller.post(f"/sessions/{session}/respond", {"message": "lost"})

    assert (failed[0], failed[1]["error"]["code"]) == (status, code)
    assert (await read_floors(caller, session), await read_variables(caller, session)) == before
    assert (await respond(caller, session, "b"))["floor_no"] == 1
    assert await broken_rules_of(served.product.database) == broken_before


async def test_summaries_are_kept_apart_from_the_reply(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("She waits. <summary>They met.</summary> It rains.")])

    frames = await stream_turn(caller, f"/sessions/{session}/respond/stream", {"message": "hi"})

    done = frames[-1].data
    assert (done["generated_text"], done["summaries"]) == (
        "She waits.  It rains.",
        ["They met."],
    )
    chunks = [frame.data["chunk"] for frame in frames if frame.event == "chunk"]
    assert "".join(chunks) == done["generated_text"]
    assert frames[-2].event == "summary"
    assert texts((await read_floors(caller, session))[0])[1] == done["generated_text"]


async def test_a_stream_tells_every_phase(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("The fire wavers.")])

    frames = await stream_turn(caller, f"/sessions/{session}/respond/stream", {"message": "hi"})

    assert [frames[0].event, frames[-1].event] == ["start", "done"]
    runs = [frame.data for frame in frames if frame.event == "run"]
    phases = list(dict.fromkeys((run["phase"], run["public_phase"]) for run in runs))
    assert phases == [
        ("input_recorded", "preparing"),
        ("semantic_resolved", "preparing"),
        ("prechecked", "preparing"),
        ("prompt_assembled", "preparing"),
        ("page_generating", "generating"),
        ("candidate_generated", "verifying"),
        ("verifier_checked", "verifying"),
        ("transaction_prepared", "committing"),
        ("transaction_committed", "committing"),
        ("post_commit_scheduled", "post_processing"),
    ]
    numbers = [run["phase_seq"] for run in runs]
    assert numbers == sorted(set(numbers))
    assert runs[-1]["pending_output"]["text"] == frames[-1].data["generated_text"]
    assert (runs[-1]["status"], runs[-1]["run_type"]) == ("completed", "respond")


async def test_a_failed_stream_ends_with_its_error(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("half a"), fail_at_once(ModelFailed(500))])

    frames = await stream_turn(caller, f"/sessions/{session}/respond/stream", {"message": "hi"})

    assert (frames[-1].event, frames[-1].data["code"]) == ("error", "orchestration_failed")
    assert await read_floors(caller, session) == []


async def test_reasoning_is_kept_out_of_the_reply(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Think("He lies."), Say("<think>Or not.</think>Hello.")])

    assert (await respond(caller, session, "hi"))["generated_text"] == "Hello."


@pytest.mark.parametrize("reply", ["", "<summary>They met.</summary>", "  \n"])
async def test_a_reply_without_text_is_an_error(
    caller: Caller, switchable: SwitchableModel, reply: str
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say(reply), Stop(FinishReason.STOP)])

    status, answer = await caller.post(f"/sessions/{session}/respond", {"message": "hi"})

    assert (status, answer["error"]["code"]) == (500, "orchestration_failed")
    assert await read_floors(caller, session) == []


async def test_parameters_reach_the_model(caller: Caller, switchable: SwitchableModel) -> None:
    params = {"temperature": 1.5, "top_p": 0.9}
    session = (await create_session(caller, model_params=params))["id"]
    model = switchable.script([Say("hello")])

    await respond(
        caller,
        session,
        "hi",
        generation_params={"temperature": 0.2, "stop_sequences": ["END"], "max_output_tokens": 9},
    )

    assert model.requests[0].sampler == {
        "temperature": 0.2,
        "top_p": 0.9,
        "stop": ["END"],
        "max_tokens": 9,
    }


async def test_debug_fields_are_only_there_on_request(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("one")], [Say("two")])
    plain = await respond(caller, session, "a")

    debug = {"include_prompt_snapshot": True, "include_runtime_trace": True}
    shown = await respond(caller, session, "b", debug_options=debug)

    assert set(shown) - set(plain) == {"prompt_snapshot", "runtime_trace"}
    assert shown["prompt_snapshot"]["prompt_digest"].startswith("sha256:")
    assert "visibility" not in shown["runtime_trace"]


async def test_a_client_that_disconnects_abandons_its_turn(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    hold = Hold()
    model = switchable.script([Say("half"), hold], [Say("whole")])
    leaving = asyncio.create_task(respond(caller, session, "first"))
    await hold.reached.wait()

    leaving.cancel()
    while model.active:
        await asyncio.sleep(0.01)

    for _ in range(200):
        status, answer = await caller.post(f"/sessions/{session}/respond", {"message": "second"})
        if status == 200:
            break
        await asyncio.sleep(0.01)
    assert (answer["data"]["floor_no"], model.cancelled) == (0, 1)


async def test_a_repeated_call_gives_the_first_answer(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Say("once")])
    headers = caller.headers | {"Idempotency-Key": "k1"}
    path = f"/sessions/{session}/respond"

    first = await caller.send("POST", path, json={"message": "hi"}, headers=headers)
    again = await caller.send("POST", path, json={"message": "hi"}, headers=headers)
    other = await caller.send("POST", path, json={"message": "ho"}, headers=headers)

    assert first == again
    assert len(model.requests) == 1
    assert (other[0], other[1]["error"]["code"]) == (409, "idempotency_conflict")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"message": "x", "visibility": {}}, "validation_error"),
        ({"message": "x", "config": {"toolMode": "both"}}, "invalid_tool_mode"),
        ({"message": "x", "config": {"maxRetries": 6}}, "validation_error"),
        ({"message": "x", "generation_params": {"temperature": 3}}, "validation_error"),
        (
            {"message": "x", "generation_params": {"stop_sequences": ["a"] * 100_000}},
            "validation_error",
        ),
    ],
)
async def test_bad_input_is_refused_before_the_model(
    caller: Caller, switchable: SwitchableModel, body: JsonObject, code: str
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script()

    status, answer = await caller.post(f"/sessions/{session}/respond", body)

    assert (status, answer["error"]["code"]) == (400, code)
    assert model.requests == []
    assert await read_floors(caller, session) == []


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
@pytest.mark.parametrize(("method", "path"), JSON_PATHS)
async def test_a_body_that_is_not_declared_as_json_is_refused(
    caller: Caller, switchable: SwitchableModel, method: str, path: str, content_type: str
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script()
    headers = caller.headers | {"Content-Type": content_type}

    status, answer = await caller.send(
        method, path.format(session=session), data=b'{"message": "x"}', headers=headers
    )

    assert (status, answer["error"]["code"]) == (400, "validation_error")
    assert [each["path"] for each in answer["error"]["details"]] == ["content-type"]
    assert (model.requests, await read_floors(caller, session)) == ([], [])


async def test_a_runaway_script_for_replies_is_stopped_and_named(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    scripts = [
        {"scriptName": "slow", "findRegex": "/(a+)+$/", "replaceString": "", "placement": [2]},
        {"scriptName": "pets", "findRegex": "/cat/", "replaceString": "dog", "placement": [2]},
    ]
    kind, content = AssetKind.REGEX_PROFILE, {"scripts": scripts}
    profile = await create_stored_asset(served, caller, kind, content, "Slow")
    session = (await create_session(caller, regex_profile_id=str(profile.id)))["id"]
    reply = "a" * 5000 + "b"
    switchable.script([Say(f"cat {reply}")])

    answer = await respond(caller, session, "hi")

    assert answer["generated_text"] == f"dog {reply}"
    [warning] = answer["warnings"]
    assert (warning["code"], warning["message"].split(": ")[-1]) == ("SCRIPT_STOPPED", "slow")


@pytest.mark.parametrize("route", ["respond", "respond/dry-run"])
async def test_a_message_of_which_scripts_leave_nothing_is_not_sent(
    served: Served, caller: Caller, switchable: SwitchableModel, route: str
) -> None:
    erase = {"scriptName": "all", "findRegex": "/.+/", "replaceString": " ", "placement": [1]}
    kind, content = AssetKind.REGEX_PROFILE, {"scripts": [erase]}
    profile = await create_stored_asset(served, caller, kind, content, "Erase")
    session = (await create_session(caller, regex_profile_id=str(profile.id)))["id"]
    model = switchable.script()

    status, answer = await caller.post(f"/sessions/{session}/{route}", {"message": "hi"})

    # Reference §9: no effective user message.
    assert (status, answer["error"]["code"]) == (409, "missing_effective_user_tail")
    assert (model.requests, await read_floors(caller, session)) == ([], [])
