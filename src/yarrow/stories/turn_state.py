"""Decide what a turn's writes do to its branch, and how they are undone. Without I/O.

A variable remembers the reply whose turn wrote it; one that a person set has no writer, and what
turns wrote before a person set or deleted it is void. Undoing a turn restores what it wrote and
leaves what a person set or deleted since. Turns of other branches write global variables too:
`variables/global_store.py` undoes those.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct, field

from yarrow.kit.json import JsonObject, JsonValue, encode_json, equal_json
from yarrow.product_events.story_tools import StagedWrite
from yarrow.variables.model import KEY_CHARS, SCOPE_MAX, VALUE_BYTES, Scope, ScopedVariables


class EntryScope(StrEnum):
    """What an entry of a branch's state is: a variable, or a value of session state, whose key is
    `namespace/slot`."""

    BRANCH = "branch"
    STATE = "state"


VariableKey: TypeAlias = tuple[EntryScope, str]


class VariableEntry(Struct, frozen=True):
    """The value of a variable and the reply that wrote it, if a turn did."""

    value: JsonValue
    writer: str | None = None


VariableEntries: TypeAlias = Mapping[VariableKey, VariableEntry]


class VariableWrite(Struct, frozen=True, omit_defaults=True):
    """A write of a committed turn, and what was there before."""

    scope: EntryScope
    key: str
    value: JsonValue = None
    is_deleted: bool = False
    old_value: JsonValue = None
    old_writer: str | None = None
    was_missing: bool = False
    is_void: bool = False
    """A person set or deleted the variable since: the write is neither undone nor applied again."""

    @property
    def variable(self) -> VariableKey:
        return self.scope, self.key

    @property
    def old_entry(self) -> VariableEntry | None:
        return None if self.was_missing else VariableEntry(self.old_value, self.old_writer)


class TurnState(Struct, frozen=True):
    """The stored state of a story after one reply."""

    reply_id: str
    variables: JsonObject
    """Of the branch."""
    writes: tuple[VariableWrite, ...] = ()
    timers: Sequence[JsonObject] = ()
    timers_before: Sequence[JsonObject] = ()
    session_state: JsonObject = field(default_factory=dict)
    global_writes: tuple[StagedWrite, ...] = ()
    """For explanations."""

    def entries_before(self) -> dict[VariableKey, VariableEntry]:
        """The variables of the branch as they were before the turn."""
        entries = {
            (scope, key): VariableEntry(value)
            for scope, values in (
                (EntryScope.BRANCH, self.variables),
                (EntryScope.STATE, self.session_state),
            )
            for key, value in values.items()
        }
        return _restore_entries(entries, self.writes)


def select_storable(
    variables: ScopedVariables, staged: Sequence[StagedWrite]
) -> tuple[StagedWrite, ...]:
    """Drop writes that variables have no room for: keys and values too long, too many keys."""
    storable: list[StagedWrite] = []
    keys = {scope: set(values) for scope, values in variables.by_scope.items()}
    for write in staged:
        if not 1 <= len(write.name) <= KEY_CHARS or len(encode_json(write.value)) > VALUE_BYTES:
            continue
        own = keys.setdefault(Scope(write.scope), set())
        if write.name not in own and not write.is_deleted:
            if len(own) >= SCOPE_MAX:
                continue
            own.add(write.name)
        storable.append(write)
    return tuple(storable)


def undo_writes(entries: VariableEntries, state: TurnState) -> dict[VariableKey, VariableEntry]:
    """Take the writes of a turn back, except where the variable was set or deleted since."""
    unchanged = [write for write in state.writes if _is_unchanged(entries, write, state.reply_id)]
    return _restore_entries(dict(entries), unchanged)


def apply_writes(
    entries: VariableEntries, staged: Iterable[StagedWrite], writer: str
) -> tuple[dict[VariableKey, VariableEntry], tuple[VariableWrite, ...]]:
    """Apply the writes of a turn; the last one of a variable counts."""
    last = {(EntryScope(write.scope), write.name): write for write in staged}
    changed, writes = dict(entries), []
    for variable, write in last.items():
        writes.append(_make_write(variable, write, entries.get(variable)))
        if write.is_deleted:
            changed.pop(variable, None)
        else:
            changed[variable] = VariableEntry(write.value, writer)
    return changed, tuple(writes)


def choose_version(
    entries: VariableEntries, chosen: TurnState, *, current: TurnState | None
) -> VariableEntries:
    """Put the writes of the chosen version of a reply in the place of those of the current one,
    except where a person set or deleted the variable since."""
    before, set_since = entries, set[VariableKey]()
    if current is not None:
        before = undo_writes(entries, current)
        set_since = {
            write.variable
            for write in current.writes
            if not (write.is_void or _is_unchanged(entries, write, current.reply_id))
        }
    changed = dict(before)
    for write in chosen.writes:
        variable = write.variable
        if write.is_void or variable in set_since:
            continue
        if not _is_same(before.get(variable), write.old_entry):
            continue
        if write.is_deleted:
            changed.pop(variable, None)
        else:
            changed[variable] = VariableEntry(write.value, chosen.reply_id)
    return changed


def switch_version(
    entries: VariableEntries,
    versions: Sequence[TurnState],
    chosen: TurnState,
    *,
    next_turn: TurnState,
) -> VariableEntries:
    """Put the writes of the chosen version of a reply in the place of those of the version that
    `next_turn`, which followed it, was made from."""
    standing = _find_writer(versions, entries)
    if standing is None:
        standing = _find_standing([chosen, *versions], next_turn.entries_before())
    if standing.reply_id == chosen.reply_id:
        return entries
    return choose_version(entries, chosen, current=standing)


def _find_writer(versions: Sequence[TurnState], entries: VariableEntries) -> TurnState | None:
    """Find the version that wrote one of the entries; others may have written the same values."""
    writers = {entry.writer for entry in entries.values()}
    return next((state for state in versions if state.reply_id in writers), None)


def _find_standing(versions: Sequence[TurnState], after: VariableEntries) -> TurnState:
    """Find the version with this state after it; a person may have changed some of it since."""
    variables = select_scope(after, EntryScope.BRANCH)
    values = select_scope(after, EntryScope.STATE)
    for state in versions:
        if equal_json([state.variables, state.session_state], [variables, values]):
            return state
    return max(versions, key=lambda state: _count_standing(state, after))


def _count_standing(state: TurnState, after: VariableEntries) -> int:
    """How many more of a version's writes are there than are not."""
    kept = [write for write in state.writes if _is_kept(write, after.get(write.variable))]
    return 2 * len(kept) - len(state.writes)


def _is_kept(write: VariableWrite, entry: VariableEntry | None) -> bool:
    if entry is None or write.is_deleted:
        return entry is None and write.is_deleted
    return equal_json(entry.value, write.value)


def name_writers(record: VariableEntries, known: VariableEntries) -> VariableEntries:
    """Give the entries of a record, which has no writers, those that are known."""
    named: dict[VariableKey, VariableEntry] = {}
    for variable, entry in record.items():
        other = known.get(variable)
        is_known = other is not None and equal_json(other.value, entry.value)
        named[variable] = known[variable] if is_known else entry
    return named


def select_scope(entries: VariableEntries, scope: EntryScope) -> JsonObject:
    """The values of one scope by key."""
    return {key: entry.value for (own, key), entry in entries.items() if own is scope}


def _is_same(left: VariableEntry | None, right: VariableEntry | None) -> bool:
    if left is None or right is None:
        return left is right
    return left.writer == right.writer and equal_json(left.value, right.value)


def _is_unchanged(entries: VariableEntries, write: VariableWrite, writer: str) -> bool:
    if write.is_void:
        return False
    entry = entries.get(write.variable)
    return entry is None if write.is_deleted else entry is not None and entry.writer == writer


def _restore_entries(
    entries: dict[VariableKey, VariableEntry], writes: Iterable[VariableWrite]
) -> dict[VariableKey, VariableEntry]:
    for write in writes:
        if (old := write.old_entry) is None:
            entries.pop(write.variable, None)
        else:
            entries[write.variable] = old
    return entries


def _make_write(
    variable: VariableKey, write: StagedWrite, old: VariableEntry | None
) -> VariableWrite:
    return VariableWrite(
        *variable,
        value=write.value,
        is_deleted=write.is_deleted,
        old_value=None if old is None else old.value,
        old_writer=None if old is None else old.writer,
        was_missing=old is None,
    )
