"""Which reply wrote a value that a branch took over."""

import pytest

from yarrow.stories.inherited_writers import InheritedWriters
from yarrow.stories.turn_state import EntryScope, TurnState, VariableEntry, VariableWrite

N = EntryScope.BRANCH, "n"


@pytest.mark.parametrize(
    ("value", "writer"), [(1, "reply"), (True, None), (1.0, None), ("1", None)], ids=repr
)
def test_only_the_writer_of_the_same_json_value_is_named(
    value: float | str, writer: str | None
) -> None:
    inherited = InheritedWriters()
    inherited.read_turn([TurnState("reply", {"n": 1}, (VariableWrite(*N, value=1),))], is_own=False)

    assert inherited.name_entries({N: VariableEntry(value)})[N].writer == writer


def test_what_a_person_set_again_is_not_the_write_of_the_branchs_own_turn() -> None:
    inherited = InheritedWriters()
    inherited.read_turn([TurnState("reply", {"n": 1}, (VariableWrite(*N, value=1),))], is_own=True)

    assert inherited.name_entries({N: VariableEntry(1)})[N].writer is None
