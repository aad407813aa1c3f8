"""Find the replies that wrote what a branch took over from another one.

A new branch begins with values that have no writer, because its own turns wrote none of them. In a
chat file all turns are on one branch, where replacing a turn undoes what it wrote.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from yarrow.kit.json import JsonValue, equal_json
from yarrow.stories.turn_state import (
    EntryScope,
    TurnState,
    VariableEntries,
    VariableEntry,
    VariableKey,
    VariableWrite,
)


class InheritedWriters:
    """What is known about the writers of values, while turns are read in their order."""

    def __init__(self) -> None:
        self._known: dict[VariableKey, list[VariableEntry]] = {}

    def read_turn(self, versions: Sequence[TurnState], *, is_own: bool) -> tuple[TurnState, ...]:
        """Name the writers of what the versions of a turn's reply overwrote, and remember what
        they wrote; the active version is the first.

        A value that a turn of the branch itself wrote keeps that turn as its writer; one without
        a writer was set by a person since.
        """
        named = tuple(
            replace(state, writes=tuple(map(self._name_old, state.writes))) for state in versions
        )
        if named:
            self._known = self._index_entries(named, is_own=is_own)
        return named

    def name_entries(self, entries: VariableEntries) -> VariableEntries:
        """Name the writers of a branch's present values."""
        return {
            variable: entry if entry.writer is not None else self._find_entry(variable, entry.value)
            for variable, entry in entries.items()
        }

    def _name_old(self, write: VariableWrite) -> VariableWrite:
        if write.was_missing or write.old_writer is not None:
            return write
        return replace(write, old_writer=self._find_entry(write.variable, write.old_value).writer)

    def _find_entry(self, variable: VariableKey, value: JsonValue) -> VariableEntry:
        known = self._known.get(variable, ())
        same = (entry for entry in known if equal_json(entry.value, value))
        return next(same, VariableEntry(value))

    def _index_entries(
        self, versions: Sequence[TurnState], *, is_own: bool
    ) -> dict[VariableKey, list[VariableEntry]]:
        known: dict[VariableKey, list[VariableEntry]] = {}
        for state in versions:
            own = {write.variable for write in state.writes}
            for variable, value in _list_values(state):
                if variable not in own:
                    entry = self._find_entry(variable, value)
                else:
                    entry = VariableEntry(value, None if is_own else state.reply_id)
                known.setdefault(variable, []).append(entry)
        return known


def _list_values(state: TurnState) -> Iterator[tuple[VariableKey, JsonValue]]:
    scopes: Mapping[EntryScope, Mapping[str, JsonValue]] = {
        EntryScope.BRANCH: state.variables,
        EntryScope.STATE: state.session_state,
    }
    for scope, values in scopes.items():
        for key, value in values.items():
            yield (scope, key), value
