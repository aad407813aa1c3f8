"""Layers of policy, and who won."""

import pytest

from yarrow.kit.json import JsonObject
from yarrow.prompting.policy import (
    AssistantRewrite,
    PolicyLayer,
    PromptPolicy,
    StructureMode,
    TurnRange,
    merge_patch,
    parse_policy,
    resolve_policy,
)


def test_a_higher_layer_wins_field_by_field() -> None:
    resolved = resolve_policy(
        {
            PolicyLayer.SYSTEM: {
                "structure": {"mode": "default", "preserve_system_messages": True}
            },
            PolicyLayer.SESSION: {"structure": {"mode": "flattened"}},
            PolicyLayer.PROVIDER: {"delivery": {"allow_assistant_prefill": False}},
            PolicyLayer.REQUEST: {"delivery": {"allow_assistant_prefill": True}},
        }
    )

    assert resolved.values == {
        "structure": {"mode": "flattened", "preserve_system_messages": True},
        "delivery": {"allow_assistant_prefill": False},
    }
    assert resolved.source_map == {
        "structure.mode": PolicyLayer.SESSION,
        "structure.preserve_system_messages": PolicyLayer.SYSTEM,
        "delivery.allow_assistant_prefill": PolicyLayer.PROVIDER,
    }


def test_null_takes_away_what_lower_layers_said() -> None:
    resolved = resolve_policy(
        {
            PolicyLayer.PRESET: {"budget": {"max_input_tokens": 10}, "visibility": {"mode": "x"}},
            PolicyLayer.BRANCH: {"budget": {"max_input_tokens": None}, "visibility": None},
        }
    )

    assert resolved.values == {"budget": {}}
    assert resolved.source_map == {}


def test_what_a_layer_cleared_a_higher_one_may_say_again() -> None:
    resolved = resolve_policy(
        {
            PolicyLayer.SESSION: {"structure": None},
            PolicyLayer.SYSTEM: {"structure": {"mode": "default"}},
            PolicyLayer.REQUEST: {"structure": {"mode": "flattened"}},
        }
    )

    assert resolved.source_map == {"structure.mode": PolicyLayer.REQUEST}


def test_a_patch_merges_objects_replaces_lists_and_leaves_the_stored_one_alone() -> None:
    stored = {"a": {"b": 1, "c": [1, 2]}, "d": 4}

    assert merge_patch(stored, {"a": {"c": [3]}, "d": None, "e": {"f": None}}) == {
        "a": {"b": 1, "c": [3]},
        "e": {},
    }
    assert stored == {"a": {"b": 1, "c": [1, 2]}, "d": 4}


def test_rules_are_read_from_their_json() -> None:
    policy = parse_policy(
        {
            "structure": {"mode": "flattened", "assistant_rewrite_strategy": "to_user_transcript"},
            "delivery": {"require_last_user": True},
            "budget": {"max_input_tokens": 900},
            "source_selection": {
                "history": {"mode": "windowed", "max_messages": 4},
                "worldbook": {"enabled": False},
            },
            "visibility": {
                "mode": "deny_all_except_visible",
                "visible_floor_ranges": [{"start_floor_no": 1, "end_floor_no": 3}],
                "hidden_floor_ids": ["floor_2"],
            },
        }
    )

    assert policy.structure.mode is StructureMode.FLATTENED
    assert policy.structure.assistant_rewrite is AssistantRewrite.TO_USER_TRANSCRIPT
    assert policy.delivery.require_last_user
    assert policy.delivery.allow_assistant_prefill
    assert policy.budget.max_input_tokens == 900
    assert (policy.source_selection.window, policy.source_selection.worldbook) == (4, False)
    assert policy.visibility.visible_turn_ranges == (TurnRange(1, 3),)
    assert policy.visibility.hidden_turn_ids == {"floor_2"}


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"structure": {"mode": "sideways"}, "budget": {"max_input_tokens": 0}},
        {"structure": 7, "visibility": {"hidden_floor_ranges": [{"start_floor_no": "x"}, 3]}},
        {"source_selection": {"memory": True, "history": {"max_messages": True}}},
    ],
)
def test_what_has_no_meaning_keeps_its_default(values: JsonObject) -> None:
    assert parse_policy(values) == PromptPolicy()
