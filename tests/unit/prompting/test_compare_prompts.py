"""Two kept prompts side by side."""

from tests.loose_json import JsonObject

from yarrow.prompting.compare_prompts import (
    FieldChange,
    FieldChangeType,
    compare_prompts,
    find_differences,
)


def test_fields_are_added_removed_or_changed() -> None:
    left: JsonObject = {"a": 1, "b": {"c": [1, 2]}, "gone": None}
    right: JsonObject = {"a": 2, "b": {"c": [1, 3, 4]}, "new": 0}

    assert list(find_differences(left, right)) == [
        FieldChange("a", FieldChangeType.CHANGED, 1, 2),
        FieldChange("b.c[1]", FieldChangeType.CHANGED, 2, 3),
        FieldChange("b.c[2]", FieldChangeType.ADDED, None, 4),
        FieldChange("gone", FieldChangeType.REMOVED, None, None),
        FieldChange("new", FieldChangeType.ADDED, None, 0),
    ]


def test_equal_values_have_no_differences() -> None:
    assert list(find_differences({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]})) == []


def test_true_is_not_one() -> None:
    assert [c.change_type for c in find_differences(True, 1)] == [FieldChangeType.CHANGED]


def test_changes_are_grouped_by_what_they_are_about() -> None:
    left: JsonObject = {
        "scope": {"branch_id": "main"},
        "resolved_policy": {"structure": {"mode": "default"}},
        "prompt_snapshot": {"preset_version": 1},
        "trim_reasons": [],
    }
    right: JsonObject = {
        "scope": {"branch_id": "main"},
        "resolved_policy": {"structure": {"mode": "flattened"}},
        "prompt_snapshot": {"preset_version": 2},
        "trim_reasons": [{"group": "history"}],
        "excluded_sources": [{"source": "memory"}],
    }

    found = compare_prompts(left, right)

    assert found.scope_changes == ()
    assert [c.path for c in found.policy_changes] == ["resolved_policy.structure.mode"]
    assert [c.path for c in found.asset_changes] == ["prompt_snapshot.preset_version"]
    assert [c.path for c in found.trim_changes] == ["trim_reasons[0]"]
    assert [c.path for c in found.exclusion_changes] == ["excluded_sources"]
