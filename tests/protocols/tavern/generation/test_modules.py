"""Director and verifier. Issue 14 §8."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    list_sent,
    list_texts,
    read_variables,
    respond,
    stream_turn,
)
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller, Served

from yarrow.llm.errors import ModelRefused
from yarrow.llm.scripted import Fail, Say, Spend, Turn

ADVICE = (
    '```json\n{"directive": "Let the storm break.", "tone": "tense", "focusElements": ["sky"]}\n```'
)
PASSED = [Say('{"passed": true, "issues": [], "suggestion": ""}')]
REJECTED = [
    Say(
        '{"passed": false, "suggestion": "Keep her silent.", '
        '"issues": [{"description": "She speaks.", "severity": "error"}]}'
    )
]
FAILED: Turn = [Fail(ModelRefused(400))]


def verify(strategy: str, **more: object) -> JsonObject:
    return {"enableVerifier": True, "verifierFailStrategy": strategy, **more}


async def test_the_directors_advice_reaches_the_narrator(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    model = switchable.script([Say(ADVICE), Spend(5, 2)], [Say("Thunder."), Spend(7, 3)])
    debug = {"include_runtime_trace": True, "include_prompt_snapshot": True}

    answer = await respond(
        caller, session, "a", config={"enableDirector": True}, debug_options=debug
    )

    advice = "[Direction for the next reply]\nLet the storm break.\nTone: tense\nFocus: sky"
    assert list_sent(model.requests[1]) == [f"n=1\n\n{advice}", "a"]
    assert model.requests[0].sampler == {"temperature": 0.4}
    assert answer["runtime_trace"]["director"] == {
        "directive": "Let the storm break.",
        "tone": "tense",
        "focus_elements": ["sky"],
    }
    assert answer["total_usage"]["total_tokens"] == 17
    _, shown = await caller.get(f"/floors/{answer['floor_id']}/prompt-runtime/explain")
    assert [each["content"] for each in shown["data"]["messages"]] == list_sent(model.requests[1])
    assert shown["data"]["prompt_snapshot"] == answer["prompt_snapshot"]


async def test_advice_before_the_message_moves_the_sources_of_the_message(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say('{"directive": "雨 🌧 now"}')], [Say("Rain.")])
    structure = {"mode": "flattened", "preserve_system_messages": False}
    config = {"enableDirector": True}

    answer = await respond(caller, session, "Look up.", config=config, structure=structure)

    _, shown = await caller.get(f"/floors/{answer['floor_id']}/prompt-runtime/explain")
    [message], [source] = shown["data"]["messages"], shown["data"]["sources"]
    units = message["content"].encode("utf-16-le")
    found = units[2 * source["char_start"] : 2 * source["char_end"]].decode("utf-16-le")
    assert (source["place"], found) == ("history", "Look up.")


@pytest.mark.parametrize("director", [FAILED, [Say("I have no idea.")]])
async def test_a_director_that_fails_does_not_fail_the_turn(
    caller: Caller, switchable: SwitchableModel, director: Turn
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script(director, [Say("Thunder.")])

    answer = await respond(caller, session, "a", config={"enableDirector": True})

    assert answer["generated_text"] == "Thunder."
    assert not any("[Direction" in text for text in list_sent(model.requests[1]))


async def test_a_warning_is_shown_and_the_reply_stored(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Say("She speaks.")], REJECTED)
    body = {"message": "a", "config": verify("warn")}

    frames = await stream_turn(caller, f"/sessions/{session}/respond/stream", body)

    runs = [frame.data for frame in frames if frame.event == "run"]
    assert runs[0]["verifier"]["status"] == "pending"
    assert runs[-1]["verifier"] == {
        "status": "warned",
        "suggestion": "Keep her silent.",
        "issues": [{"description": "She speaks.", "severity": "error"}],
    }
    assert frames[-1].data["generated_text"] == "She speaks."
    assert list_sent(model.requests[1])[1].endswith("[reply to check]\nShe speaks.")


async def test_a_blocked_reply_leaves_nothing(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script([Say("one")], [Say("bad")], REJECTED)
    await respond(caller, session, "a")

    body = {"message": "b", "config": verify("block")}
    frames = await stream_turn(caller, f"/sessions/{session}/respond/stream", body)

    code, message = "orchestration_failed", "The verifier rejected the reply."
    assert (frames[-1].event, frames[-1].data) == ("error", {"code": code, "message": message})
    runs = [frame.data for frame in frames if frame.event == "run"]
    assert runs[-1]["verifier"]["status"] == "blocked"
    assert list_texts(await read_floors(caller, session)) == [["a", "one"]]
    assert await read_variables(caller, session) == {"n": "1"}


async def test_a_rejected_attempt_is_taken_back_and_repeated(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Say("bad one")], REJECTED, [Say("good one")], PASSED)
    body = {"message": "a", "config": verify("retry")}

    frames = await stream_turn(caller, f"/sessions/{session}/respond/stream", body)

    assert frames[-1].data["generated_text"] == "good one"
    assert len(model.requests) == 4
    runs = [frame.data for frame in frames if frame.event == "run"]
    taken_back = next(run for run in runs if run["attempt_no"] == 2)
    assert (taken_back["phase"], taken_back["pending_output"]["text"]) == ("page_generating", "")
    assert (runs[-1]["attempt_no"], runs[-1]["verifier"]["status"]) == (2, "passed")
    numbers = [run["phase_seq"] for run in runs]
    assert numbers == sorted(set(numbers))
    after = frames[frames.index(next(f for f in frames if f.data is taken_back)) :]
    chunks = [frame.data["chunk"] for frame in after if frame.event == "chunk"]
    assert "".join(chunks) == "good one"
    assert list_texts(await read_floors(caller, session)) == [["a", "good one"]]


@pytest.mark.parametrize("retries", [0, 2])
async def test_attempts_are_bounded(
    caller: Caller, switchable: SwitchableModel, retries: int
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script(*[[Say("bad")], REJECTED] * 8)
    config = verify("retry", maxRetries=retries)

    status, answer = await caller.post(
        f"/sessions/{session}/respond", {"message": "a", "config": config}
    )

    assert (status, answer["error"]["code"]) == (500, "orchestration_failed")
    assert len(model.requests) == 2 * (1 + retries)
    assert await read_floors(caller, session) == []


@pytest.mark.parametrize(
    ("verdict", "strategy", "status"),
    [
        ([Say("Looks fine to me.")], "block", 200),
        (FAILED, "warn", 200),
        (FAILED, "retry", 200),
        (FAILED, "block", 500),
    ],
)
async def test_a_verifier_that_says_nothing_usable(
    caller: Caller, switchable: SwitchableModel, verdict: Turn, strategy: str, status: int
) -> None:
    session = (await create_session(caller))["id"]
    switchable.script([Say("one")], verdict)

    answer = await caller.post(
        f"/sessions/{session}/respond", {"message": "a", "config": verify(strategy)}
    )

    assert answer[0] == status
