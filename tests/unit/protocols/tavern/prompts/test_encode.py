"""Traces inside know turns; clients of the tavern protocol read floors."""

from yarrow.prompting.assembly.result import (
    HistoryTrace,
    HistoryViolation,
    HistoryViolationCode,
    MergedGroup,
    VisibilityTrace,
)
from yarrow.prompting.model import PromptRole
from yarrow.prompting.policy import VisibilityMode
from yarrow.protocols.tavern.prompts.encode import encode_history, encode_visibility


def test_a_history_trace_names_floors() -> None:
    trace = HistoryTrace(
        raw_entry_count=5,
        effective_turn_count=4,
        selected_turn_count=3,
        trailing_user_turn_ids=("f3",),
        merged_user_groups=(
            MergedGroup(PromptRole.USER, ("f2", "f3"), ("m4",), includes_current_input=True),
        ),
        violations=(HistoryViolation(HistoryViolationCode.ADJACENT_ASSISTANT_TURNS, ("f1", "f2")),),
    )

    assert encode_history(trace) == {
        "raw_entry_count": 5,
        "effective_turn_count": 4,
        "selected_turn_count": 3,
        "trailing_user_source_floor_ids": ("f3",),
        "merged_user_groups": [
            {
                "effective_role": "user",
                "source_floor_ids": ("f2", "f3"),
                "source_message_ids": ("m4",),
                "includes_current_input": True,
            }
        ],
        "violations": [{"code": "adjacent_assistant_floors", "floor_ids": ("f1", "f2")}],
    }


def test_a_visibility_trace_names_floors() -> None:
    trace = VisibilityTrace(VisibilityMode.DENY_ALL_EXCEPT_VISIBLE, ("f1",), 2)

    assert encode_visibility(trace) == {
        "mode": "deny_all_except_visible",
        "filtered_floor_ids": ("f1",),
        "filtered_message_count": 2,
    }
