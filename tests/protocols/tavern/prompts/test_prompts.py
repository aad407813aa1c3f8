"""Dry runs and previews over HTTP (seed 004, prompt dry-run and macro debugging)."""

import asyncio
import hashlib
from typing import Any

import pytest
from tests.loose_json import JsonObject
from tests.protocols.tavern.asset_files import patch_asset
from tests.protocols.tavern.generation.turn_calls import respond
from tests.protocols.tavern.story_calls import (
    CARD,
    create_session,
    create_stored_asset,
    edit_content,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind

ENTRIES: dict[str, JsonObject] = {
    "main": {"role": "system", "content": "You are {{char}}.{{setvar::mood::warm}}"},
    "mood": {"role": "system", "content": "The mood is {{getvar::mood}}."},
    "quietPrompt": {"role": "system", "content": "Quiet.", "injection_trigger": ["quiet"]},
    "continueHint": {
        "role": "system",
        "content": "Go on.",
        "injection_position": 1,
        "injection_depth": 0,
    },
    "worldInfoBefore": {"marker": True},
    "charDescription": {"marker": True},
    "chatHistory": {"marker": True},
}
PRESET: JsonObject = {
    "prompts": [{"identifier": name, **entry} for name, entry in ENTRIES.items()],
    "prompt_order": [
        {"character_id": 100000, "order": [{"identifier": n, "enabled": True} for n in ENTRIES]},
        {"character_id": 200001, "order": []},
    ],
    "names_behavior": 2,
    "openai_max_context": 4000,
    "openai_max_tokens": 500,
    "bias_preset_selected": "Default (none)",
}
BOOK: JsonObject = {
    "entries": {
        "7": {
            "uid": 7,
            "key": ["campfire"],
            "comment": "Campfire Lore",
            "content": "The northern pass is watched by old sentries.",
        }
    }
}
HEADER: JsonObject = {"user_name": "Ada", "character_name": "Mira"}
MESSAGE = "Please continue the campfire scene."


async def tell(served: Served, caller: Caller, *lines: JsonObject, **body: object) -> str:
    """A session with all that a prompt is made of; gives back its id."""
    assets = {
        "preset_id": await create_stored_asset(served, caller, AssetKind.PRESET, PRESET, "Preset"),
        "worldbook_profile_id": await create_stored_asset(
            served, caller, AssetKind.WORLDBOOK, BOOK, "Fires"
        ),
        "user_id": await create_stored_asset(served, caller, AssetKind.PERSONA, {"name": "Ada"}),
        "character_id": await create_stored_asset(served, caller, AssetKind.CHARACTER, CARD),
    }
    bindings = {name: str(asset.id) for name, asset in assets.items()}
    if not lines:
        return str((await create_session(caller, **bindings, **body))["id"])
    session = await import_lines(caller, list(lines), character_id=bindings["character_id"])
    status, answer = await patch_asset(caller, f"/sessions/{session}", bindings | body)
    assert status == 200, answer
    return session


async def dry_run(caller: Caller, session: str, **body: object) -> dict[str, Any]:
    sent = {"message": MESSAGE, **body}
    status, answer = await caller.post(f"/sessions/{session}/respond/dry-run", sent)
    assert status == 200, answer
    return dict(answer["data"])


async def preview(caller: Caller, session: str, text: str, **body: object) -> dict[str, Any]:
    path = f"/sessions/{session}/prompt-runtime/preview"
    status, answer = await caller.post(path, {"text": text, **body})
    assert status == 200, answer
    return dict(answer["data"])


async def test_the_prompt_has_preset_lore_card_greeting_and_message(
    served: Served, caller: Caller
) -> None:
    session = await tell(served, caller)

    made = await dry_run(caller, session)

    assert made["messages"] == [
        {
            "role": "system",
            "content": "You are Mira.\n\nThe mood is warm.\n\n"
            "The northern pass is watched by old sentries.\n\nA ranger.",
        },
        {"role": "assistant", "content": "Mira: Mira nods at Ada."},
        {"role": "user", "content": f"Ada: {MESSAGE}"},
        {"role": "system", "content": "Go on."},
    ]
    assert made["memory_summary"] is None
    assert made["available_for_reply"] == 4000 - made["token_estimate"]


async def test_a_greetings_macros_have_run_before_the_model_reads_it(
    served: Served, caller: Caller
) -> None:
    greeting = "Hi <USER>, I am <BOT>. {{newline}}x {{setvar::mood::calm}}"
    card: JsonObject = {"name": "Mira", "first_mes": greeting}
    character = await create_stored_asset(served, caller, AssetKind.CHARACTER, {"data": card})
    preset: JsonObject = {"prompts": [{"identifier": "main", "content": "{{getvar::mood}}"}]}
    expected_value = await create_stored_asset(served, caller, AssetKind.PRESET, preset, "Moody")
    session = await create_session(
        caller, character_id=str(character.id), preset_id=str(expected_value.id)
    )

    made = await dry_run(caller, session["id"])

    assert [one["content"] for one in made["messages"]][:2] == [
        "calm",
        "Hi User, I am Mira. \nx ",
    ]
    [floor] = await read_floors(caller, session["id"])
    assert "Hi User, I am Mira." in str(floor)


async def test_every_field_of_the_seeds_assembly_is_there(served: Served, caller: Caller) -> None:
    session = await tell(served, caller)

    made = await dry_run(caller, session, prompt_intent="continue")

    assembly = made["assembly"]
    assert assembly.pop("preset_warnings") != []
    assert assembly.pop("ignored_preset_fields") == ["top_level.bias_preset_selected"]
    assert assembly == {
        "mode": "preset",
        "prompt_intent": "continue",
        "assistant_prefill_applied": False,
        "assistant_prefill_strategy": "none",
        "preset_used": True,
        "selected_prompt_order_character_id": 100000,
        "ignored_prompt_order_character_ids": [200001],
        "continue_nudge_applied": True,
        "continue_nudge_text": "[Continue your last message without repeating its original "
        "content.]",
        "names_behavior_applied": "always",
        "trigger_filtered_entry_ids": ["quietPrompt"],
        "in_chat_inserted_entry_ids": ["continueHint"],
        "worldbook_hits": 1,
        "regex_pre_rules": [],
        "regex_post_rules": [],
        "memory_summary_injected": False,
        "reserved_variable_collisions": [],
        "unsupported_preset_fields": [],
        "unresolved_preset_markers": [],
        "preprocessed_user_message": MESSAGE,
    }


async def test_matches_are_included_on_request(served: Served, caller: Caller) -> None:
    session = await tell(served, caller)

    silent = await dry_run(caller, session)
    made = await dry_run(caller, session, debug_options={"include_worldbook_matches": True})

    [match] = made["assembly"]["worldbook_matches"]
    assert match["uid"] == 7
    assert match["source"]["kind"] == "session_worldbook"
    assert match["source"]["worldbook_name"] == "Fires"
    assert match["insertion"] == {"position": "before"}
    assert match["activation"]["first_match"] == {  # the example in seed 004
        "source_kind": "message",
        "message_index_from_latest": 0,
        "matched_key": "campfire",
        "matched_key_scope": "primary",
        "matched_key_type": "plain",
        "char_start": 20,
        "char_end": 28,
        "excerpt": MESSAGE,
    }
    assert made["runtime_trace"]["worldbook"]["matches"] == [match]
    assert "worldbook_matches" not in silent["assembly"]
    assert "matches" not in silent["runtime_trace"]["worldbook"]


async def test_the_snapshot_names_versions_and_digests_the_messages(
    served: Served, caller: Caller
) -> None:
    session = await tell(served, caller)

    made = await dry_run(caller, session)

    snapshot = made["prompt_snapshot"]
    whole = "".join(f"{one['role']}\0{one['content']}\1" for one in made["messages"])
    assert snapshot["prompt_digest"] == f"sha256:{hashlib.sha256(whole.encode()).hexdigest()}"
    assert snapshot["token_estimate"] == made["token_estimate"]
    assert (snapshot["preset_version"], snapshot["regex_profile_id"]) == (1, None)
    assert snapshot["worldbook_activated_entry_uids"] == [7]
    assert not {name for name in snapshot if name.startswith("macro_")}


async def test_macro_writes_are_only_in_the_trace(served: Served, caller: Caller) -> None:
    session = await tell(served, caller)

    macro = (await dry_run(caller, session))["runtime_trace"]["macro"]

    assert macro["used_names"][:3] == ["char", "user", "setvar"]
    expected_value = {"kind": "set", "scope": "branch", "key": "mood", "value": "warm"}
    assert macro["mutation_preview"] == [expected_value]
    assert macro["staged_mutations"] == []
    assert {trace["phase"] for trace in macro["traces"]} == {"dry_run"}
    status, answer = await caller.get("/variables/resolve", session_id=session)
    assert (status, answer["data"]["resolved"]) == (200, [])


async def test_a_dry_run_leaves_no_floor(served: Served, caller: Caller) -> None:
    session = await tell(served, caller)
    before = await read_floors(caller, session)

    await dry_run(caller, session)

    assert await read_floors(caller, session) == before


async def test_an_edited_asset_is_used_at_once(served: Served, caller: Caller) -> None:
    book = await create_stored_asset(served, caller, AssetKind.WORLDBOOK, BOOK, "Fires")
    session = await create_session(caller, worldbook_profile_id=str(book.id))
    first = await dry_run(caller, session["id"])

    await edit_content(
        served, book, entries={"1": {"uid": 1, "constant": True, "content": "It snows."}}
    )
    second = await dry_run(caller, session["id"])

    assert first["prompt_snapshot"]["worldbook_activated_entry_uids"] == [7]
    assert second["prompt_snapshot"]["worldbook_activated_entry_uids"] == [1]
    assert second["prompt_snapshot"]["worldbook_version"] == 2


async def test_hidden_messages_and_inactive_pages_are_left_out(
    served: Served, caller: Caller
) -> None:
    lines = [
        HEADER,
        user_line("one"),
        reply_line("shown", swipes=["other", "shown"], swipe_id=1),
        user_line("secret", is_system=True),
    ]
    session = await tell(served, caller, *lines)

    result = " ".join(one["content"] for one in (await dry_run(caller, session))["messages"])

    assert "one" in result
    assert "shown" in result
    assert "other" not in result
    assert "secret" not in result


async def test_the_newest_turns_stay_when_the_budget_is_short(
    served: Served, caller: Caller
) -> None:
    lines = [HEADER]
    for at in range(30):
        lines += [
            user_line(f"question {at} " + "word " * 20),
            reply_line(f"answer {at} " + "word " * 20),
        ]
    session = await tell(served, caller, *lines)

    made = await dry_run(caller, session, budget={"max_input_tokens": 400})

    assert made["token_estimate"] <= 400
    result = " ".join(one["content"] for one in made["messages"])
    assert "answer 29" in result
    assert "question 0 " not in result
    [reason] = made["runtime_trace"]["budgets"]["trim_reasons"]
    assert (reason["group"], reason["reason"]) == ("history", "budget_exceeded")
    assert made["runtime_trace"]["source_selection"]["excluded_sources"][0]["source"] == "history"


async def test_prompt_that_cannot_be_trimmed_to_fit_is_an_error(
    served: Served, caller: Caller
) -> None:
    session = await tell(served, caller)
    body = {"message": "word " * 100, "budget": {"max_input_tokens": 50}}

    status, answer = await caller.post(f"/sessions/{session}/respond/dry-run", body)

    assert (status, answer["error"]["code"]) == (400, "prompt_too_large")
    assert "50" in answer["error"]["message"]


async def test_the_sessions_policy_holds_and_the_request_beats_it(
    served: Served, caller: Caller
) -> None:
    session = await tell(served, caller)
    policy = {
        "structure": {"mode": "flattened"},
        "source_selection": {"worldbook": {"enabled": False}},
    }
    await patch_asset(caller, f"/sessions/{session}/prompt-runtime/policy", policy)

    kept = await dry_run(caller, session)
    sent = await dry_run(caller, session, structure={"mode": "default"})

    assert [one["role"] for one in kept["messages"]] == ["system", "system", "user"]
    assert kept["runtime_trace"]["structure"]["transcriptized"] is True
    assert "transcriptized" not in sent["runtime_trace"]["structure"]
    assert sent["assembly"]["worldbook_hits"] == 0


@pytest.mark.parametrize(
    "body, path",
    [
        ({"message": ""}, "message"),
        ({}, "message"),
        ({"message": "x", "session_state_writes": []}, "session_state_writes"),
        ({"message": "x", "prompt_intent": "shout"}, "prompt_intent"),
        ({"message": "x", "budget": {"max_input_tokens": 0}}, "budget.max_input_tokens"),
        ({"message": "x", "debug_options": {"include_prompt_snapshot": True}}, None),
        (
            {"message": "x", "source_selection": {"history": {"mode": "windowed"}}},
            "source_selection.history",
        ),
        (
            {
                "message": "x",
                "visibility": {"hidden_floor_ranges": [{"start_floor_no": 2, "end_floor_no": 1}]},
            },
            "visibility.hidden_floor_ranges.0",
        ),
    ],
)
async def test_a_wrong_body_is_refused_by_name(
    served: Served, caller: Caller, body: JsonObject, path: str | None
) -> None:
    session = await tell(served, caller)

    status, answer = await caller.post(f"/sessions/{session}/respond/dry-run", body)

    assert (status, answer["error"]["code"]) == (400, "validation_error")
    assert path is None or answer["error"]["details"][0]["path"] == path


@pytest.mark.parametrize("call", ["respond/dry-run", "prompt-runtime/preview"])
async def test_another_accounts_session_is_not_found(
    served: Served, caller: Caller, call: str
) -> None:
    session = await tell(served, caller)
    other = await served.account()
    body = {"message": "x"} if "dry" in call else {"text": "x"}

    for sent in (session, "nope"):
        status, answer = await other.post(f"/sessions/{sent}/{call}", body)
        assert (status, answer["error"]["code"]) == (404, "not_found")


async def test_a_preview_runs_the_macros_of_one_text(served: Served, caller: Caller) -> None:
    session = await tell(served, caller)
    await caller.send(
        "PUT",
        "/variables",
        json={
            "scope": "branch",
            "session_id": session,
            "branch_id": "main",
            "key": "金币",
            "value": 3,
        },
    )

    made = await preview(caller, session, "{{user}} has {{getvar::金币}}, {{setvar::a::1}}{{.a}}")

    assert made["text"] == "Ada has 3, 1"
    macro = made["runtime_trace"]["macro"]
    assert macro["staged_mutations"] == []
    assert [one["key"] for one in macro["mutation_preview"]] == ["a"]
    assert made["scope"]["branch_id"] == "main"


async def test_objects_are_previewed_as_stable_json(served: Served, caller: Caller) -> None:
    session = await tell(served, caller)

    made = await preview(caller, session, "{{setvar::资产.金币::3}}")

    [mutation] = made["runtime_trace"]["macro"]["mutation_preview"]
    assert mutation["value"] == '{"金币":"3"}'  # seed 004: never [object Object]


async def test_a_preview_can_start_from_an_earlier_floor(served: Served, caller: Caller) -> None:
    greeting = {"name": "Mira", "primaryGreeting": "b"}
    session = (await create_session(caller, character_snapshot=greeting))["id"]
    first = (await read_floors(caller, session))[0]["id"]
    last = (await respond(caller, session, "c"))["generated_text"]

    now = await preview(caller, session, "{{lastMessage}}")
    then = await preview(caller, session, "{{lastMessage}}", source_floor_id=first)

    assert (now["text"], then["text"], then["limitations"]) == (last, "b", [])
    for floor in (session, "floor_11"):
        body = {"text": "x", "source_floor_id": floor}
        status, answer = await caller.post(f"/sessions/{session}/prompt-runtime/preview", body)
        assert (status, answer["error"]["code"]) == (404, "source_floor_not_found")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("respond", {"message": "x"}),
        ("respond/dry-run", {"message": "x"}),
        ("prompt-runtime/inspect", {"message": "x"}),
        ("prompt-runtime/preview", {"text": "x"}),
    ],
)
async def test_present_variables_never_stand_for_those_of_an_earlier_floor(
    served: Served, caller: Caller, path: str, body: JsonObject
) -> None:
    lines = [user_line("a"), reply_line("b"), user_line("c"), reply_line("d")]
    session = await tell(served, caller, HEADER, *lines)
    first, last = [each["id"] for each in await read_floors(caller, session)]

    unknown = await caller.post(f"/sessions/{session}/{path}", body | {"source_floor_id": first})
    known = await caller.post(f"/sessions/{session}/{path}", body | {"source_floor_id": last})

    assert (unknown[0], unknown[1]["error"]["code"]) == (409, "branch_local_snapshot_missing")
    assert known[0] == 200


async def test_ids_are_those_of_stored_messages(served: Served, caller: Caller) -> None:
    lines = [
        HEADER,
        user_line("secret", is_system=True),
        user_line("one"),
        user_line("two"),
        reply_line("shown", swipes=["other", "shown", "third"], swipe_id=1),
    ]
    session = await tell(served, caller, *lines)
    text = "{{lastMessageId}} {{firstIncludedMessageId}} {{currentSwipeId}} {{lastSwipeId}}"

    assert (await preview(caller, session, text))["text"] == "3 1 2 3"


async def test_runaway_regexes_of_one_account_do_not_delay_another(
    served: Served, caller: Caller
) -> None:
    scripts = [
        {"scriptName": str(at), "findRegex": f"/(a+)+{at}$/", "placement": [1]} for at in range(5)
    ]
    profile = await create_stored_asset(
        served, caller, AssetKind.REGEX_PROFILE, {"scripts": scripts}, "Slow"
    )
    hostile = await tell(served, caller, regex_profile_id=str(profile.id))
    other = await served.account()
    session = await tell(served, other)

    async with asyncio.TaskGroup() as group:
        runs = [
            group.create_task(dry_run(caller, hostile, message="a" * 5000 + "b")) for _ in range(16)
        ]
        await asyncio.wait(runs, return_when=asyncio.FIRST_COMPLETED)
        await dry_run(other, session)
        assert sum(run.done() for run in runs) < len(runs) / 2

    [phase] = [
        p for p in runs[-1].result()["runtime_trace"]["regex"]["phases"] if p["skipped_rules"]
    ]
    assert {one["reason"] for one in phase["skipped_rules"]} == {"timed_out"}


async def test_runaway_regex_is_skipped_with_a_warning(served: Served, caller: Caller) -> None:
    scripts = [
        {"scriptName": "slow", "findRegex": "/(a+)+$/", "replaceString": "", "placement": [1]}
    ]
    profile = await create_stored_asset(
        served, caller, AssetKind.REGEX_PROFILE, {"scripts": scripts}, "Slow"
    )
    session = await tell(served, caller, regex_profile_id=str(profile.id))

    made = await dry_run(caller, session, message="a" * 5000 + "b")

    [phase] = [p for p in made["runtime_trace"]["regex"]["phases"] if p["skipped_rules"]]
    assert phase["skipped_rules"] == [{"name": "slow", "reason": "timed_out"}]
    assert made["messages"][-2]["content"].endswith("ab")


async def test_invalid_enum_value_lists_the_allowed_ones(served: Served, caller: Caller) -> None:
    session = await tell(served, caller)
    body = {"message": "x", "prompt_intent": "shout"}

    _, answer = await caller.post(f"/sessions/{session}/respond/dry-run", body)

    assert "'quiet'" in answer["error"]["message"]


@pytest.mark.parametrize("body", [[], "text"])
async def test_body_that_is_no_object_is_refused(
    served: Served, caller: Caller, body: object
) -> None:
    session = await tell(served, caller)

    status, answer = await caller.post(f"/sessions/{session}/respond/dry-run", body)

    assert (status, answer["error"]["details"][0]["path"]) == (400, "body")
    assert "Body" not in answer["error"]["message"]


async def test_request_without_a_body_is_refused(served: Served, caller: Caller) -> None:
    session = await tell(served, caller)

    status, answer = await caller.post(f"/sessions/{session}/respond/dry-run", None)

    assert (status, answer["error"]["details"][0]["path"]) == (400, "content-type")
