"""Every field of explanations, inspections, previews, dry runs and prompt settings.

Fields: seed 004 (dry run, preview, explain); reference §3.5, §14; issue 14 §3, §10.
"""

from hashlib import sha256

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.answer_parts import COUNT, ID, TEXT, TIME, read_data
from tests.protocols.tavern.generation.turn_calls import respond
from tests.protocols.tavern.story_calls import (
    create_session,
    create_stored_asset,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.llm.scripted import Say, Spend, Turn

_ORDER = ("main", "worldInfoBefore", "chatHistory")
PRESET: JsonObject = {
    "temperature": 0.5,
    "prompts": [
        {"identifier": "main", "role": "system", "content": "n={{incvar::n}}{{nope}}"},
        *({"identifier": name, "marker": True} for name in _ORDER[1:]),
    ],
    "prompt_order": [
        {
            "character_id": 100000,
            "order": [{"identifier": name, "enabled": True} for name in _ORDER],
        }
    ],
}
BOOK: JsonObject = {
    "entries": {
        "1": {"uid": 1, "key": ["dragon"], "content": "SCALES", "comment": "Dragon"},
        # Position 7 is an outlet, which no text of this prompt asks for.
        "2": {"uid": 2, "key": ["rain"], "content": "MUD", "position": 7, "comment": "Rain"},
        "3": {"uid": 3, "key": ["/(/"], "content": "BAD"},
    }
}
TRIM: JsonObject = {
    "scripts": [
        {"scriptName": "Trim", "findRegex": "/  +/g", "replaceString": " ", "placement": [1, 2]}
    ]
}
CARD: JsonObject = {"data": {"name": "Mira"}}
KINDS = {
    "preset": (AssetKind.PRESET, "preset_id", PRESET),
    "worldbook": (AssetKind.WORLDBOOK, "worldbook_profile_id", BOOK),
    "regex_profile": (AssetKind.REGEX_PROFILE, "regex_profile_id", TRIM),
    "character": (AssetKind.CHARACTER, "character_id", CARD),
}
MESSAGE = "A dragon in the rain"

STAMP: JsonObject = {"id": ID, "version": 1, "updated_at": TIME}
STAMPS = dict.fromkeys(KINDS, STAMP)
SNAPSHOT: JsonObject = {
    **{f"{name}_{field}": value for name in KINDS for field, value in STAMP.items()},
    "worldbook_activated_entry_uids": [1],
    "regex_pre_rule_names": ["Trim"],
    "regex_post_rule_names": ["Trim"],
    "prompt_mode": "compat_strict",
    "token_estimate": COUNT,
}
OF_BOOK: JsonObject = {"kind": "session_worldbook", "worldbook_id": ID, "worldbook_name": "Of test"}


def make_activation(key: str) -> JsonObject:
    start = MESSAGE.index(key)
    return {
        "mode": "triggered",
        "recursion_level": 0,
        "first_match": {
            "source_kind": "message",
            "message_index_from_latest": 0,
            "matched_key": key,
            "matched_key_scope": "primary",
            "matched_key_type": "plain",
            "char_start": start,
            "char_end": start + len(key),
            "excerpt": MESSAGE,
        },
    }


MATCH: JsonObject = {
    "uid": 1,
    "comment": "Dragon",
    "content_preview": "SCALES",
    "order": 100,
    "source": OF_BOOK,
    "insertion": {"position": "before"},
    "activation": make_activation("dragon"),
}
CUT: JsonObject = {
    "uid": 2,
    "comment": "Rain",
    "source": OF_BOOK,
    "reason": "no_place",
    "detail": TEXT,
    "token_count": COUNT,
    "activation": make_activation("rain"),
}
BAD_KEY: JsonObject = {
    "code": "regex_invalid",
    "source": {"kind": "session_worldbook", "id": ID, "name": "Of test"},
    "uid": 3,
    "detail": "/(/",
}
UNKNOWN: JsonObject = {
    "code": "macro_unknown",
    "message": TEXT,
    "macro_name": "nope",
    "raw_text": "{{nope}}",
}
OF_PRESET: JsonObject = {
    "preset_used": True,
    "selected_prompt_order_character_id": 100000,
    "ignored_prompt_order_character_ids": [],
    "unsupported_preset_fields": [],
    "ignored_preset_fields": [],
    "unresolved_preset_markers": [],
    "preset_warnings": [],
}
NO_MATCH: JsonObject = {"name": "Trim", "reason": "no_match"}
PHASE: JsonObject = {
    "phase": "persist.user_input",
    "applied_rules": [],
    "skipped_rules": [NO_MATCH],
}
REGEX: JsonObject = {
    "user_input_rules": ["Trim"],
    "ai_output_rules": ["Trim"],
    "preprocessed_user_message": MESSAGE,
    "phases": [PHASE, {"phase": "prompt.user_input", "applied_rules": [], "skipped_rules": []}],
    "reserved_placements": [],
    "substitution_mode": "none",
}
GROUP: JsonObject = {
    "estimated_token_count": COUNT,
    "token_count": COUNT,
    "pruned_token_count": 0,
}
GROUPS = [{"group": name, **GROUP} for name in ("section:main", "worldbook", "history")]
BUDGETS: JsonObject = {"max_input_tokens": COUNT, "reserved_completion_tokens": 300}
STRUCTURE: JsonObject = {
    "mode": "default",
    "merge_adjacent_same_role": False,
    "assistant_rewrite_count": 0,
    "tail_assistant_detected": False,
}
DELIVERY: JsonObject = {
    "assistant_prefill_applied": False,
    "assistant_prefill_strategy": "none",
    "last_message_role": "user",
    "ends_with_user": True,
    "degraded": False,
    "degrade_reasons": [],
}
EXCLUDED = [{"source": "worldbook", "reason": "no_place", "detail": TEXT}]
WRITE: JsonObject = {"kind": "set", "scope": "branch", "key": "n"}
HISTORY: JsonObject = {
    "raw_entry_count": 1,
    "effective_turn_count": 1,
    "selected_turn_count": 1,
    "trailing_user_source_floor_ids": [],
    "merged_user_groups": [],
    "violations": [],
}


def make_use(name: str, raw: str, resolved: str, phase: str, kind: str = "macro") -> JsonObject:
    """The trace of a macro."""
    return {
        "macro_name": name,
        "raw_text": raw,
        "resolved_text": resolved,
        "phase": phase,
        "source_kind": kind,
    }


def make_macros(phase: str, number: str, **changes: object) -> JsonObject:
    return {
        "warnings": [UNKNOWN],
        "used_names": ["incvar"],
        "mutation_preview": [],
        "staged_mutations": [],
        "traces": [
            make_use("incvar", "{{incvar::n}}", number, phase),
            make_use("nope", "{{nope}}", "{{nope}}", phase, "raw"),
        ],
        **changes,
    }


def make_trace(macros: JsonObject, history: JsonObject = HISTORY) -> JsonObject:
    return {
        "preset": OF_PRESET,
        "worldbook": {"hit_count": 1, "matches": [MATCH], "cut": [CUT], "warnings": [BAD_KEY]},
        "regex": REGEX,
        "budgets": {**BUDGETS, "by_group": GROUPS, "trim_reasons": []},
        "structure": STRUCTURE,
        "source_selection": {"excluded_sources": EXCLUDED},
        "memory": {
            "summary_injected": False,
            "token_count": 0,
            "injected_ids": [],
            "omitted": [],
        },
        "macro": macros,
        "delivery": DELIVERY,
        "history_normalization": history,
    }


def suppress(name: str, raw: str) -> JsonObject:
    """The warning of a write that is only shown."""
    code = "macro_preview_side_effect_suppressed"
    return {"code": code, "message": TEXT, "macro_name": name, "raw_text": raw}


def digest(messages: list[JsonObject]) -> str:
    """Reference §3.5: per message role, NUL, content, 0x01."""
    text = "".join(f"{each['role']}\0{each['content']}\x01" for each in messages)
    return "sha256:" + sha256(text.encode()).hexdigest()


def list_messages(number: int, *more: tuple[str, str]) -> list[JsonObject]:
    lines = (("system", f"n={number}{{{{nope}}}}\n\nSCALES"), *more)
    return [{"role": role, "content": content} for role, content in lines]


def make_source(message: int, end: int, place: str, **known: object) -> JsonObject:
    return {
        "message_index": message,
        "char_start": 0,
        "char_end": end,
        "place": place,
        "token_count": COUNT,
        "template": None,
        "match_index": None,
        "floor_ids": [],
        **known,
    }


@pytest.fixture
async def story(served: Served, caller: Caller, switchable: SwitchableModel) -> JsonObject:
    """A session with all kinds of assets: its id, and those of the assets by their names."""
    reply: Turn = [Say("Yes."), Spend(5, 4)]
    switchable.script(reply, reply)
    ids: JsonObject = {}
    for name, (kind, _, content) in KINDS.items():
        ids[name] = str((await create_stored_asset(served, caller, kind, content, "Of test")).id)
    session = await create_session(caller, **{KINDS[name][1]: ids[name] for name in KINDS})
    return {"id": session["id"], **ids}


def make_record(messages: list[JsonObject], warnings: list[JsonObject]) -> JsonObject:
    """What explanations and inspections have in common."""
    return {
        "assets": STAMPS,
        "prompt_snapshot": SNAPSHOT | {"prompt_digest": digest(messages)},
        "resolved_policy": {},
        "source_map": {},
        "trim_reasons": [],
        "excluded_sources": EXCLUDED,
        "section_stats": GROUPS,
        "governance": {
            "prompt_intent": "normal",
            "prompt_mode": "compat_strict",
            **BUDGETS,
            "structure": STRUCTURE,
            "delivery": DELIVERY,
            "visibility": None,
        },
        "diagnostics": {
            "preset": OF_PRESET,
            "macro_warnings": warnings,
            "worldbook_warnings": [BAD_KEY],
            "regex": REGEX,
            "history_violations": [],
        },
        "limitations": [],
        "memory": {"summary": None, "summary_injected": False, "token_count": 0},
        "messages": messages,
        "worldbook": {"matches": [MATCH], "cut": [CUT]},
    }


def make_scope(session: str) -> JsonObject:
    return {"session_id": session, "branch_id": "main", "local": "branch", "global": "global"}


async def test_fields_of_a_result_with_its_prompt(caller: Caller, story: JsonObject) -> None:
    parts = ("prompt_snapshot", "runtime_trace", "worldbook_matches")
    shown = {f"include_{name}": True for name in parts}

    result = await respond(caller, story["id"], MESSAGE, debug_options=shown)

    macros = make_macros("assemble", "1", staged_mutations=[WRITE | {"value": "1"}])
    messages = list_messages(1, ("user", MESSAGE))
    assert result["prompt_snapshot"] == SNAPSHOT | {"prompt_digest": digest(messages)}
    assert result["runtime_trace"] == make_trace(macros)
    for name in KINDS:
        assert result["prompt_snapshot"][f"{name}_id"] == story[name]


async def test_fields_of_an_explanation(caller: Caller, story: JsonObject) -> None:
    session = story["id"]
    floor = (await respond(caller, session, MESSAGE))["floor_id"]
    (shown,) = await read_floors(caller, session)

    _, answer = await caller.get(f"/floors/{floor}/prompt-runtime/explain")

    own = {key: shown[key] for key in shown if key not in ("pages", "messages")}
    lore = f"lore:{story['worldbook']}:1"
    assert answer["data"] == {
        "floor": own,
        "scope": make_scope(session),
        "snapshot_available": True,
        **make_record(list_messages(1, ("user", MESSAGE)), [UNKNOWN]),
        "sources": [
            make_source(0, 11, "preset:main", template="n={{incvar::n}}{{nope}}"),
            make_source(0, 19, lore, char_start=13, match_index=0),
            make_source(1, len(MESSAGE), "history"),
        ],
        "variables": {"n": "1"},
        "staged_writes": [WRITE | {"value": "1"}],
        "result": {
            "generated_text": "Yes.",
            "summaries": [],
            "total_usage": {"prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9},
        },
    }


async def test_fields_of_an_explanation_without_a_prompt(caller: Caller) -> None:
    session = await import_lines(caller, [user_line("Well?"), reply_line("Yes.")])
    (floor,) = await read_floors(caller, session)

    explained = await read_data(caller, f"/floors/{floor['id']}/prompt-runtime/explain")

    own = {key: floor[key] for key in floor if key not in ("pages", "messages")}
    objects = ("assets", "resolved_policy", "source_map", "governance", "diagnostics")
    lists = ("trim_reasons", "excluded_sources", "section_stats", "messages", "sources")
    nulls = ("prompt_snapshot", "memory", "worldbook")
    usage = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), 0)
    assert explained == {
        "floor": own,
        "scope": make_scope(session),
        "snapshot_available": False,
        **{name: {} for name in objects},
        **{name: [] for name in lists},
        **dict.fromkeys(nulls),
        "limitations": ["The floor was not generated here, so its prompt is not known."],
        "variables": {},
        "staged_writes": [],
        "result": {"generated_text": "Yes.", "summaries": [], "total_usage": usage},
    }


async def test_fields_of_an_inspection_and_a_dry_run(caller: Caller, story: JsonObject) -> None:
    session = story["id"]
    floor = (await respond(caller, session, "And?"))["floor_id"]
    debug: JsonObject = {"debug_options": {"include_worldbook_matches": True}}

    _, inspected = await caller.post(
        f"/sessions/{session}/prompt-runtime/inspect", {"message": MESSAGE}
    )
    _, tried = await caller.post(
        f"/sessions/{session}/respond/dry-run", {"message": MESSAGE, **debug}
    )

    warnings = [suppress("incvar", "{{incvar::n}}"), UNKNOWN]
    shown = [WRITE | {"value": "2"}]
    macros = make_macros("dry_run", "2", warnings=warnings, mutation_preview=shown)
    counts = ("raw_entry_count", "effective_turn_count", "selected_turn_count")
    trace = make_trace(macros, HISTORY | dict.fromkeys(counts, 3))
    messages = list_messages(2, ("user", "And?"), ("assistant", "Yes."), ("user", MESSAGE))
    record = make_record(messages, warnings)
    sources = inspected["data"].pop("sources")
    assert inspected["data"] == {
        "scope": make_scope(session),
        "token_estimate": COUNT,
        "available_for_reply": COUNT,
        **record,
        "runtime_trace": trace,
        # Under the names that endpoints have for them.
        "generation_params": {"temperature": 0.5, "max_tokens": 300, "top_p": 1.0},
    }
    assert sources[2:] == [
        make_source(1, 4, "history", floor_ids=[floor]),
        make_source(2, 4, "history", floor_ids=[floor]),
        make_source(3, len(MESSAGE), "history"),
    ]
    assert tried["data"] == {
        "messages": messages,
        "token_estimate": COUNT,
        "available_for_reply": COUNT,
        "memory_summary": None,
        "prompt_snapshot": record["prompt_snapshot"],
        "runtime_trace": trace,
        "assembly": ASSEMBLY,
    }


ASSEMBLY: JsonObject = {
    **OF_PRESET,
    "mode": "preset",
    "prompt_intent": "normal",
    "assistant_prefill_applied": False,
    "assistant_prefill_strategy": "none",
    "continue_nudge_applied": False,
    "continue_nudge_text": None,
    "names_behavior_applied": "off",
    "trigger_filtered_entry_ids": [],
    "in_chat_inserted_entry_ids": [],
    "worldbook_hits": 1,
    "regex_pre_rules": ["Trim"],
    "regex_post_rules": ["Trim"],
    "memory_summary_injected": False,
    "reserved_variable_collisions": [],
    "preprocessed_user_message": MESSAGE,
    "worldbook_matches": [MATCH],
}


async def test_fields_of_a_preview(caller: Caller, story: JsonObject) -> None:
    text, write = "{{char}}{{nope}}{{setvar::a::1}}", "{{setvar::a::1}}"

    path = f"/sessions/{story['id']}/prompt-runtime/preview"
    _, answer = await caller.post(path, {"text": text})

    assert answer["data"] == {
        "text": "Of test{{nope}}",
        "scope": make_scope(story["id"]),
        "policy": {},
        "source_map": {},
        "runtime_trace": {
            "macro": {
                "warnings": [UNKNOWN, suppress("setvar", write)],
                "used_names": ["char", "setvar"],
                "mutation_preview": [WRITE | {"key": "a", "value": "1"}],
                "staged_mutations": [],
                "traces": [
                    make_use("char", "{{char}}", "Of test", "preview"),
                    make_use("nope", "{{nope}}", "{{nope}}", "preview", "raw"),
                    make_use("setvar", write, "", "preview"),
                ],
            }
        },
        "diagnostics": {"warning_codes": ["macro_unknown", "macro_preview_side_effect_suppressed"]},
        "limitations": [],
    }


async def test_fields_of_a_comparison(caller: Caller, story: JsonObject) -> None:
    session = story["id"]
    left = {"floor_id": (await respond(caller, session, "And?"))["floor_id"]}
    right = {"floor_id": (await respond(caller, session, "Or?"))["floor_id"]}

    path = f"/sessions/{session}/prompt-runtime/compare"
    _, answer = await caller.post(path, {"left": left, "right": right})

    parts = ("scope", "policy", "asset", "trim", "exclusion", "governance")
    said = {"path": "regex.preprocessed_user_message", "change_type": "changed"}
    assert answer["data"] == {
        "left": left,
        "right": right,
        **{f"{part}_changes": [] for part in parts},
        "diagnostics_changes": [said | {"left": "And?", "right": "Or?"}],
        "message_changes": [
            {
                "path": "[0].content",
                "change_type": "changed",
                "left": "n=1{{nope}}",
                "right": "n=2{{nope}}",
            },
            *(
                {"path": f"[{place}]", "change_type": "added", "left": None, "right": message}
                for place, message in enumerate(
                    list_messages(0, ("assistant", "Yes."), ("user", "Or?"))[1:], 2
                )
            ),
        ],
        "limitations": [],
    }


async def test_fields_of_prompt_settings(caller: Caller, story: JsonObject) -> None:
    session = story["id"]
    path = f"/sessions/{session}/prompt-runtime"
    budget = {"budget": {"max_input_tokens": 500, "reserved_completion_tokens": 50}}
    _, changed = await caller.send("PATCH", f"{path}/policy", json=budget)
    _, policy = await caller.get(f"{path}/policy")
    _, mode = await caller.get(f"{path}/mode")
    _, chosen = await caller.send("PATCH", f"{path}/mode", json={"prompt_mode": "native"})
    _, assets = await caller.get(f"{path}/assets")

    assert changed == policy == {"data": {"session_id": session, "policy": budget}}
    strict = {"mode": "compat_strict", "prompt_mode": "compat_strict", "source": "default"}
    native = {"mode": "native", "prompt_mode": "native", "source": "session"}
    assert mode["data"] == {"session_id": session, **strict}
    assert chosen["data"] == {"session_id": session, **native}
    assert assets["data"] == {
        "user": None,
        **{
            name: {
                "id": story[name],
                "name": "Of test",
                "version": 1,
                "version_id": ID,
                # A new session pins its character.
                "pinned": name == "character",
                "deleted": False,
                "updated_at": TIME,
            }
            for name in KINDS
        },
    }


async def test_fields_of_the_capabilities(caller: Caller) -> None:
    _, answer = await caller.get("/prompt-runtime/capabilities")

    assert answer["data"] == {
        "prompt_modes": ["compat_strict", "compat_plus", "native"],
        "default_prompt_mode": "compat_strict",
        "structure_modes": ["default", "strict_alternating", "no_assistant", "flattened"],
        "policy_sections": ["structure", "delivery", "budget", "source_selection", "visibility"],
        "policy_layers": ["default", "preset", "session", "request"],
        "asset_kinds": ["preset", "worldbook", "regex_profile", "character", "persona"],
        "character_sync_policies": ["pin", "manual", "force"],
        "variable_scopes": ["page", "floor", "branch", "chat", "global"],
        "limits": {
            "variable_key_characters": 256,
            "variable_value_bytes": 64 * 1024,
            "variables_per_scope": 1_000,
            "chat_file_bytes": 20 * 1024 * 1024,
            "chat_lines": 50_000,
            "chat_texts": 100_000,
        },
    }


async def test_fields_of_history_that_is_merged_and_hidden(caller: Caller) -> None:
    session = await import_lines(caller, [user_line(text) for text in ("one", "two", "three")])
    hidden, second, third = await read_floors(caller, session)
    ranges = [{"start_floor_no": 0, "end_floor_no": 0}]
    body = {"message": "four", "visibility": {"hidden_floor_ranges": ranges}}

    path = f"/sessions/{session}/respond/dry-run"
    _, answer = await caller.post(path, body)

    trace, merged = answer["data"]["runtime_trace"], [second["id"], third["id"]]
    assert trace["history_normalization"] == {
        "raw_entry_count": 3,
        "effective_turn_count": 1,
        "selected_turn_count": 1,
        "trailing_user_source_floor_ids": merged,
        "merged_user_groups": [
            {
                "effective_role": "user",
                "source_floor_ids": merged,
                "source_message_ids": [floor["messages"][0]["id"] for floor in (second, third)],
                "includes_current_input": True,
            }
        ],
        "violations": [],
    }
    assert trace["visibility"] == {
        "mode": "allow_all_except_hidden",
        "filtered_floor_ids": [hidden["id"]],
        "filtered_message_count": 1,
    }


async def test_fields_of_a_prompt_that_is_trimmed_or_too_large(caller: Caller) -> None:
    lines = [line for each in "abc" for line in (user_line(f"{each} " * 200), reply_line(each))]
    session = await import_lines(caller, lines)
    path = f"/sessions/{session}/respond/dry-run"

    _, trimmed = await caller.post(path, {"message": "d", "budget": {"max_input_tokens": 300}})
    status, refused = await caller.post(path, {"message": "d", "budget": {"max_input_tokens": 2}})

    assert trimmed["data"]["runtime_trace"]["budgets"]["trim_reasons"] == [
        {
            "group": "history",
            "reason": "budget_exceeded",
            "detail": TEXT,
            "pruned_token_count": COUNT,
        }
    ]
    assert (status, refused["error"]) == (
        400,
        {
            "code": "prompt_too_large",
            "message": TEXT,
            "details": {"needed": COUNT, "available": 2},
        },
    )
