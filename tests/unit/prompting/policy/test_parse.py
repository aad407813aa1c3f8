"""Parsing a policy from JSON."""

import pytest
from tests.loose_json import JsonObject

from yarrow.prompting.policy import (
    AssistantRewrite,
    PromptPolicy,
    StructureMode,
    TurnRange,
    parse_policy,
)


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
