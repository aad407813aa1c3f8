"""Every field that the routes of prompts and turns take, each with what it does.

Fields: seed 004 (TurnConfig, GenerationParams, debug_options); reference §3.1; issue 14 §3.
"""

import pytest
from msgspec import Struct
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.answer_parts import read_data
from tests.protocols.tavern.generation.turn_calls import find_input, respond, stream_turn
from tests.protocols.tavern.story_calls import create_session, create_stored_asset, read_floors
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.llm.scripted import Say

PARAMS: JsonObject = {
    "temperature": 0.3,
    "max_output_tokens": 77,
    "top_p": 0.9,
    "top_k": 40,
    "frequency_penalty": 0.1,
    "presence_penalty": 0.2,
    "stop_sequences": ["END", "\n\n"],
    "reasoning_effort": "low",
}
SENT_NAMES = {"max_output_tokens": "max_tokens", "stop_sequences": "stop"}
SENT = {SENT_NAMES.get(name, name): value for name, value in PARAMS.items()}
"""As `POST /chat/completions` names them."""
STRUCTURE: JsonObject = {
    "mode": "no_assistant",
    "merge_adjacent_same_role": True,
    "assistant_rewrite_strategy": "to_system",
    "preserve_system_messages": False,
}
DELIVERY = {"allow_assistant_prefill": False, "require_last_user": True, "no_assistant": True}
TURN: JsonObject = {
    "config": {
        "enableTools": True,
        "enableDirector": True,
        "enableVerifier": True,
        "enableMemoryConsolidation": True,
        "verifierFailStrategy": "block",
        "toolMode": "inline",
        "maxRetries": 0,
    },
    "generation_params": {**PARAMS, "stream": False},
    "session_state_writes": [
        {"namespace": "quest", "slot": "a", "value": None},
        {"namespace": "quest", "slot": "b", "delete": True},
    ],
    "debug_options": {
        "include_prompt_snapshot": True,
        "include_runtime_trace": True,
        "include_worldbook_matches": True,
    },
    "structure": STRUCTURE,
    "delivery": DELIVERY,
}
CONFIRMED = {"confirmed_execution_ids": ["x"], "confirmed_session_state_mutation_ids": ["y"]}
ADVICE, VERDICT = [Say('{"directive": "Be brief."}')], [Say('{"passed": true}')]
LORE: JsonObject = {"entries": {"1": {"uid": 1, "constant": True, "content": "Old lore."}}}


class Story(Struct, frozen=True):
    """A session with one floor."""

    session: str
    floor: JsonObject


@pytest.fixture
async def story(served: Served, caller: Caller, switchable: SwitchableModel) -> Story:
    book = await create_stored_asset(served, caller, AssetKind.WORLDBOOK, LORE, "Lore")
    session = str((await create_session(caller, worldbook_profile_id=str(book.id)))["id"])
    owner = {"logical_owner_type": "client", "logical_owner_id": "x"}
    await caller.post(f"/sessions/{session}/state/namespaces", {"namespace": "quest", **owner})
    switchable.script([Say("First.")])
    await respond(caller, session, "Hi.")
    (floor,) = await read_floors(caller, session)
    return Story(session, floor)


ROUTES = ("respond", "stream", "regenerate", "retry", "edit")


def make_call(story: Story, route: str) -> tuple[str, JsonObject]:
    """The path of a generating route, and the fields that not all of them have."""
    session, floor = f"/sessions/{story.session}", story.floor
    message = {"message": "Go.", "prompt_intent": "swipe", "source_floor_id": floor["id"]}
    respond_body = message | {"branch_id": "side"}
    calls: dict[str, tuple[str, JsonObject]] = {
        "respond": (f"{session}/respond", respond_body),
        "stream": (f"{session}/respond/stream", respond_body),
        "inspect": (f"{session}/prompt-runtime/inspect", message),
        "regenerate": (f"{session}/regenerate", {"branch_id": "main", **CONFIRMED}),
        "retry": (f"/floors/{floor['id']}/retry", CONFIRMED),
        "edit": (
            f"/messages/{find_input(floor)}/edit-and-regenerate",
            {"content": "Go.", "branch_id": "side", **CONFIRMED},
        ),
    }
    return calls[route]


INTENTS = {"edit": "normal", "regenerate": "regenerate"}
BRANCHES = dict.fromkeys(("respond", "stream", "edit"), "side")


async def generate(caller: Caller, path: str, body: JsonObject) -> JsonObject:
    if path.endswith("/stream"):
        return (await stream_turn(caller, path, body))[-1].data
    status, answer = await caller.post(path, body)
    assert status == 200, answer
    return dict(answer["data"])


@pytest.mark.parametrize("route", ROUTES)
async def test_every_field_of_a_generating_route_reaches_the_turn(
    caller: Caller, switchable: SwitchableModel, story: Story, route: str
) -> None:
    path, own = make_call(story, route)
    model = switchable.script(ADVICE, [Say("Second.")], VERDICT, [Say("{}")])

    result = await generate(caller, path, own | TURN)

    directed, told, verified, consolidated = model.requests
    assert told.sampler == SENT
    assert {"get_variable", "set_variable"} <= {tool.name for tool in told.tools}
    assert all(not each.tools for each in (directed, verified, consolidated))
    trace = result["runtime_trace"]
    assert [each["content_preview"] for each in trace["worldbook"]["matches"]] == ["Old lore."]
    assert trace["structure"]["mode"] == "no_assistant"
    assert trace["structure"]["merge_adjacent_same_role"] is True
    assert result["prompt_snapshot"]["worldbook_activated_entry_uids"] == [1]
    floor = result["floor_id"]
    assert [
        (each["slot"], each["present"])
        for each in await read_data(caller, f"/floors/{floor}/session-state/snapshots")
    ] == [("a", True), ("b", False)]
    explained = await read_data(caller, f"/floors/{floor}/prompt-runtime/explain")
    assert explained["resolved_policy"] == {"structure": STRUCTURE, "delivery": DELIVERY}
    assert explained["governance"]["prompt_intent"] == INTENTS.get(route, "swipe")
    assert explained["floor"]["branch_id"] == BRANCHES.get(route, "main")


@pytest.mark.parametrize("route", ROUTES)
async def test_no_generating_route_takes_an_unknown_field(
    caller: Caller, switchable: SwitchableModel, story: Story, route: str
) -> None:
    path, own = make_call(story, route)
    model = switchable.script([Say("x")])
    parts = ("config", "generation_params", "debug_options", "structure", "delivery")
    bodies = [own | {"nobody": 1}, *(own | {part: {"nobody": 1}} for part in parts)]
    write = {"namespace": "quest", "slot": "a", "value": 1, "nobody": 1}
    bodies.append(own | {"session_state_writes": [write]})

    for body in bodies:
        status, refused = await caller.post(path, body)
        (detail,) = refused["error"]["details"]
        assert (status, refused["error"]["code"]) == (400, "validation_error")
        assert detail["path"].split(".")[-1] == "nobody"
        assert set(detail) == {"path", "message", "code"}
    status, refused = await caller.post(path, own, on_disconnect="stay")
    assert (status, refused["error"]["code"]) == (400, "validation_error")
    assert model.requests == []


POLICY: JsonObject = {
    "structure": STRUCTURE,
    "delivery": DELIVERY,
    "budget": {
        "max_input_tokens": 900,
        "reserved_completion_tokens": 90,
        "lore_percent": 40,
    },
    "source_selection": {
        "history": {"mode": "windowed", "max_messages": 3},
        "memory": {
            "enabled": True,
            "max_tokens": 100,
            "max_items": 5,
            "min_importance": 0.1,
            "layout": "dual_summary",
            "half_life_days": 2.5,
        },
        "worldbook": {"enabled": False},
        "examples": {"enabled": False},
    },
    "visibility": {
        "mode": "allow_all_except_hidden",
        "hidden_floor_ranges": [{"start_floor_no": 5, "end_floor_no": 6}],
        "visible_floor_ranges": [{"start_floor_no": 0, "end_floor_no": 4}],
        "hidden_floor_ids": [],
    },
}


async def test_every_field_of_the_policy_is_taken_by_the_session_and_by_requests(
    caller: Caller, story: Story
) -> None:
    path = f"/sessions/{story.session}"
    place = {"branch_id": "main", "source_floor_id": story.floor["id"]}
    preview, message = {"text": "x", **place, **POLICY}, {"message": "Go.", **place, **POLICY}

    _, previewed = await caller.post(f"{path}/prompt-runtime/preview", preview)
    debug = {"debug_options": {"include_worldbook_matches": True}, "prompt_intent": "quiet"}
    _, tried = await caller.post(f"{path}/respond/dry-run", message | debug)
    status, changed = await caller.send("PATCH", f"{path}/prompt-runtime/policy", json=POLICY)

    assert previewed["data"]["policy"] == POLICY
    assert (status, changed["data"]["policy"]) == (200, POLICY)
    shown = tried["data"]
    assert shown["assembly"]["prompt_intent"] == "quiet"
    assert shown["assembly"]["worldbook_matches"] == []
    budgets = shown["runtime_trace"]["budgets"]
    # The input has what the reply does not reserve.
    assert (budgets["max_input_tokens"], budgets["reserved_completion_tokens"]) == (900, 90)
    assert shown["runtime_trace"]["visibility"]["mode"] == "allow_all_except_hidden"
    excluded = shown["runtime_trace"]["source_selection"]["excluded_sources"]
    assert {"worldbook", "examples"} <= {
        each["source"] for each in excluded if each["reason"] == "disabled_by_policy"
    }


async def test_an_inspection_takes_every_field_of_a_message(caller: Caller, story: Story) -> None:
    path, own = make_call(story, "inspect")

    status, answer = await caller.post(path, own | TURN)

    assert status == 200, answer
    assert answer["data"]["generation_params"] == SENT
    assert answer["data"]["resolved_policy"] == {"structure": STRUCTURE, "delivery": DELIVERY}
    assert answer["data"]["governance"]["prompt_intent"] == "swipe"
