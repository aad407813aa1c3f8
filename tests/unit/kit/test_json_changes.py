"""Two JSON values side by side."""

from tests.loose_json import JsonObject

from yarrow.kit.json_changes import FieldChange, FieldChangeType, find_changes


def test_fields_are_added_removed_or_changed() -> None:
    left: JsonObject = {"a": 1, "b": {"c": [1, 2]}, "gone": None}
    right: JsonObject = {"a": 2, "b": {"c": [1, 3, 4]}, "new": 0}

    assert list(find_changes(left, right)) == [
        FieldChange("a", FieldChangeType.CHANGED, 1, 2),
        FieldChange("b.c[1]", FieldChangeType.CHANGED, 2, 3),
        FieldChange("b.c[2]", FieldChangeType.ADDED, None, 4),
        FieldChange("gone", FieldChangeType.REMOVED, None, None),
        FieldChange("new", FieldChangeType.ADDED, None, 0),
    ]


def test_equal_values_have_no_differences() -> None:
    assert list(find_changes({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]})) == []


def test_true_is_not_one() -> None:
    assert [c.change_type for c in find_changes(True, 1)] == [FieldChangeType.CHANGED]
