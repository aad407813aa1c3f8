"""Folding stored entries into turns. Reference §9."""

import pytest

from yarrow.prompting.assembly import HistoryEntry, HistoryTurn
from yarrow.prompting.assembly.history import fold_history
from yarrow.prompting.assembly.result import HistoryViolation, HistoryViolationCode, MergedGroup
from yarrow.prompting.model import PromptRole


def entry(role: str, content: str, floor: str | None) -> HistoryEntry:
    message = None if floor is None else f"m-{content}"
    return HistoryEntry(
        PromptRole(role),
        content,
        () if floor is None else (floor,),
        () if message is None else (message,),
    )


def turns_of(folded) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.content) for turn in folded.turns]


def exchange(n: int) -> list[HistoryEntry]:
    return [entry("user", f"u{n}", f"f{n}"), entry("assistant", f"a{n}", f"f{n}")]


def test_current_input_is_the_effective_message_and_not_history():
    folded = fold_history([*exchange(1), entry("user", "now", None)])

    assert turns_of(folded) == [("user", "u1"), ("assistant", "a1")]
    assert folded.effective_user_message == "now"


def test_users_words_are_one_turn_across_floors_and_with_the_current_input():
    folded = fold_history(
        [*exchange(1), entry("user", "x", "f2"), entry("user", "y", "f3"), entry("user", "z", None)]
    )

    assert folded.effective_user_message == "x\n\ny\n\nz"
    assert folded.trace.trailing_user_turn_ids == ("f2", "f3")
    assert folded.trace.merged_user_groups == (
        MergedGroup(PromptRole.USER, ("f2", "f3"), ("m-x", "m-y"), includes_current_input=True),
    )


def test_merge_in_the_past_does_not_hold_the_current_input():
    folded = fold_history(
        [
            entry("user", "x", "f1"),
            entry("user", "y", "f1"),
            entry("assistant", "a", "f1"),
            entry("user", "z", None),
        ]
    )

    assert folded.turns[0] == HistoryTurn(PromptRole.USER, "x\n\ny", ("f1",), ("m-x", "m-y"))
    assert [group.includes_current_input for group in folded.trace.merged_user_groups] == [False]


def test_answers_of_one_floor_are_one_turn():
    folded = fold_history(
        [entry("assistant", "a", "f1"), entry("assistant", "b", "f1"), entry("user", "u", None)]
    )

    assert turns_of(folded) == [("assistant", "a\n\nb")]
    assert folded.trace.violations == ()


def test_answers_of_two_floors_stay_apart_and_are_a_violation():
    folded = fold_history(
        [entry("assistant", "a", "f1"), entry("assistant", "b", "f2"), entry("user", "u", None)]
    )

    assert turns_of(folded) == [("assistant", "a"), ("assistant", "b")]
    assert folded.trace.violations == (
        HistoryViolation(HistoryViolationCode.ADJACENT_ASSISTANT_TURNS, ("f1", "f2")),
    )


def test_system_entries_are_turns_of_their_own():
    folded = fold_history(
        [
            entry("assistant", "a", "f1"),
            entry("system", "s", "f1"),
            entry("system", "t", "f1"),
            entry("assistant", "b", "f2"),
            entry("user", "u", None),
        ]
    )

    assert [role for role, _ in turns_of(folded)] == ["assistant", "system", "system", "assistant"]
    assert folded.trace.violations == ()


def test_no_trailing_user_means_no_effective_message():
    folded = fold_history(exchange(1))

    assert folded.effective_user_message is None
    assert folded.trace.trailing_user_turn_ids == ()
    assert len(folded.turns) == 2


def test_empty_history_folds_to_nothing():
    folded = fold_history([])

    assert folded.turns == ()
    assert folded.effective_user_message is None
    assert folded.trace.effective_turn_count == 0


@pytest.mark.parametrize(
    "max_turns, contents",
    [(None, ["u1", "a1", "u2", "a2"]), (9, ["u1", "a1", "u2", "a2"]), (3, ["u2", "a2"]), (1, [])],
)
def test_window_is_the_last_turns_with_the_current_one(max_turns, contents):
    entries = [*exchange(1), *exchange(2), entry("user", "now", None)]

    folded = fold_history(entries, max_turns=max_turns)

    assert [turn.content for turn in folded.turns] == contents
    assert folded.effective_user_message == "now"
    assert folded.trace.selected_turn_count == len(contents) + 1


@pytest.mark.parametrize("max_turns", [0, -3])
def test_no_window_cuts_off_the_current_input(max_turns):
    folded = fold_history([*exchange(1), entry("user", "now", None)], max_turns=max_turns)

    assert folded.effective_user_message == "now"


def test_counts_are_of_entries_turns_and_selected_turns():
    entries = [*exchange(1), entry("user", "x", "f2"), entry("user", "y", None)]

    trace = fold_history(entries, max_turns=2).trace

    counts = (trace.raw_entry_count, trace.effective_turn_count, trace.selected_turn_count)
    assert counts == (4, 3, 2)
