"""Policy layers and which of them wins."""

from tests.loose_json import JsonObject

from yarrow.prompting.policy import (
    PolicyLayer,
    merge_patch,
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


def test_null_removes_values_of_lower_layers() -> None:
    resolved = resolve_policy(
        {
            PolicyLayer.PRESET: {"budget": {"max_input_tokens": 10}, "visibility": {"mode": "x"}},
            PolicyLayer.BRANCH: {"budget": {"max_input_tokens": None}, "visibility": None},
        }
    )

    assert resolved.values == {"budget": {}}
    assert resolved.source_map == {}


def test_a_higher_layer_may_set_again_what_a_lower_one_removed() -> None:
    resolved = resolve_policy(
        {
            PolicyLayer.SESSION: {"structure": None},
            PolicyLayer.SYSTEM: {"structure": {"mode": "default"}},
            PolicyLayer.REQUEST: {"structure": {"mode": "flattened"}},
        }
    )

    assert resolved.source_map == {"structure.mode": PolicyLayer.REQUEST}


def test_a_patch_merges_objects_replaces_lists_and_leaves_the_stored_one_alone() -> None:
    stored: JsonObject = {"a": {"b": 1, "c": [1, 2]}, "d": 4}

    assert merge_patch(stored, {"a": {"c": [3]}, "d": None, "e": {"f": None}}) == {
        "a": {"b": 1, "c": [3]},
        "e": {},
    }
    assert stored == {"a": {"b": 1, "c": [1, 2]}, "d": 4}
