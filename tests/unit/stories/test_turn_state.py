"""What a turn writes can be undone, and leaves alone what a person set."""

from yarrow.product_events.story_tools import StagedWrite
from yarrow.stories.turn_state import (
    EntryScope,
    TurnState,
    VariableEntry,
    apply_writes,
    choose_version,
    select_scope,
    select_storable,
    undo_writes,
)
from yarrow.variables.model import KEY_CHARS, SCOPE_MAX, Scope, ScopedVariables

BRANCH = EntryScope.BRANCH
N, FLAG, GOLD = (BRANCH, "n"), (BRANCH, "flag"), (BRANCH, "gold")
BEFORE = {N: VariableEntry(1), GOLD: VariableEntry(5, "earlier")}


def test_undoing_a_turn_gives_what_was_before_it() -> None:
    staged = [
        StagedWrite("branch", "n", 2),
        StagedWrite("branch", "n", 3),
        StagedWrite("branch", "flag", value=True),
        StagedWrite("branch", "gold", is_deleted=True),
    ]

    after, writes = apply_writes(BEFORE, staged, "reply")

    assert after == {N: VariableEntry(3, "reply"), FLAG: VariableEntry(True, "reply")}
    assert undo_writes(after, TurnState("reply", {}, writes)) == BEFORE


def test_what_a_person_set_since_survives() -> None:
    after, writes = apply_writes(BEFORE, [StagedWrite("branch", "n", 2)], "reply")
    after[N] = VariableEntry(9)

    assert undo_writes(after, TurnState("reply", {}, writes))[N] == VariableEntry(9)


def test_a_version_that_is_chosen_again_brings_its_writes_back() -> None:
    after, writes = apply_writes(BEFORE, [StagedWrite("branch", "n", 2)], "reply")
    state = TurnState("reply", {}, writes)

    assert choose_version(undo_writes(after, state), state, current=None) == after
    for value in (9, 1.0):
        entries = {N: VariableEntry(value)}
        assert choose_version(entries, state, current=None)[N] == entries[N]


def test_what_a_person_set_survives_the_choice_of_a_version_even_if_it_is_what_was_before() -> None:
    after, writes = apply_writes(BEFORE, [StagedWrite("branch", "n", 2)], "reply")
    state = TurnState("reply", {}, writes)
    after[N] = BEFORE[N]

    assert choose_version(after, state, current=state)[N] == BEFORE[N]


def test_the_record_of_a_turn_knows_what_was_before_it() -> None:
    after, writes = apply_writes(BEFORE, [StagedWrite("branch", "n", 2)], "reply")
    state = TurnState("reply", select_scope(after, BRANCH), writes)

    assert select_scope(state.entries_before(), BRANCH) == {"n": 1, "gold": 5}


def test_writes_without_room_are_dropped() -> None:
    full = ScopedVariables({Scope.BRANCH: {str(number): 0 for number in range(SCOPE_MAX)}})
    fits = StagedWrite("branch", "0", 1), StagedWrite("global", "new", 1)
    too_long = StagedWrite("global", "k" * (KEY_CHARS + 1), 1)

    assert select_storable(full, [StagedWrite("branch", "new", 1), *fits, too_long]) == fits
