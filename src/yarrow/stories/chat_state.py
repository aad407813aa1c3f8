"""The state of a story in its chat file: that after each reply, and the present session state.

Replies have other ids in a copy of the story, so that the file numbers the states, and a writer of
a value is the number of a state. Without I/O.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue, encode_json, equal_json
from yarrow.prompting.formats.chat_timers import TIMED_LORE, read_chat_timers, write_chat_timers
from yarrow.prompting.formats.chats import STORY_STATE
from yarrow.stories.session_state_rules import (
    NAMESPACE_CHARS,
    NAMESPACE_PATTERN,
    RESERVED,
    SLOT_CHARS,
    StateNamespace,
)
from yarrow.stories.turn_state import (
    EntryScope,
    TurnState,
    VariableEntries,
    VariableEntry,
    VariableKey,
    VariableWrite,
    select_scope,
)
from yarrow.variables.write_limits import require_key, require_value

STATES_BYTES = 4 * 1024 * 1024
"""States of replies in one file, which has each of shown replies twice; the newest are kept."""
NAMESPACES_MAX = 64


class SavedEntry(Struct, frozen=True):
    """A value of session state."""

    present: bool
    value: JsonValue = None


class SavedState(Struct, frozen=True, omit_defaults=True):
    """The state after one reply. The writers of `writes` are numbers of states as text."""

    number: int
    variables: dict[str, JsonValue] = {}
    values: dict[str, SavedEntry] = {}
    writes: tuple[VariableWrite, ...] = ()
    lore_timers: JsonObject = {}
    earlier_lore_timers: JsonObject = {}


class SavedPresent(Struct, frozen=True, omit_defaults=True):
    """The present session state, and the states whose replies wrote what is there."""

    namespaces: Annotated[tuple[StateNamespace, ...], msgspec.Meta(max_length=NAMESPACES_MAX)] = ()
    values: dict[str, SavedEntry] = {}
    variable_writers: dict[str, int] = {}
    value_writers: dict[str, int] = {}
    states_left_out: int = 0
    """How many of the oldest states are not in the file."""


class PresentState(Struct, frozen=True):
    """What a branch has now."""

    variables: JsonObject = field(default_factory=dict)
    """With those of the chat, which the branch's own ones hide."""
    entries: VariableEntries = field(default_factory=dict)
    timers: Sequence[JsonObject] = ()
    namespaces: Sequence[StateNamespace] = ()
    book_names: Mapping[str, str] = field(default_factory=dict)
    """The names of books by the keys that timers have."""

    def matches_after_import(self, state: TurnState) -> bool:
        """Whether an import of the file alone gives the last reply this state."""
        values = select_scope(self.entries, EntryScope.STATE)
        own: list[JsonValue] = [
            state.variables,
            state.session_state,
            state.timers,
            state.timers_before,
        ]
        return not state.writes and equal_json(own, [self.variables, values, *[self.timers] * 2])


class ChatFileState(Struct, frozen=True):
    """The states to write into a file by reply, and the present one; both without what an import
    adds itself. `left_out` is the number of states that it has no room for."""

    states: dict[str, JsonObject]
    present: JsonObject
    left_out: int


def save_states(
    states: Sequence[TurnState], present: PresentState, *, last: frozenset[str]
) -> ChatFileState:
    """Choose and encode the states that a file has.

    `last` are the replies of the newest turn. States in front of the newest `STATES_BYTES` are left
    out, because the file could not be imported otherwise, and the present one has their number.
    """
    numbers = {state.reply_id: number for number, state in enumerate(states)}
    saved: dict[str, JsonObject] = {}
    room, left_out = STATES_BYTES, 0
    for index in reversed(range(len(states))):
        state = states[index]
        if state.reply_id in last and present.matches_after_import(state):
            continue
        encoded = _save_state(state, numbers, present.book_names)
        room -= len(encode_json(encoded))
        if room < 0:
            left_out = index + 1
            break
        saved[state.reply_id] = encoded
    return ChatFileState(saved, _save_present(present, numbers, left_out), left_out)


def _save_state(
    state: TurnState, numbers: Mapping[str, int], book_names: Mapping[str, str]
) -> JsonObject:
    encoded: JsonObject = msgspec.to_builtins(
        SavedState(
            number=numbers[state.reply_id],
            variables=state.variables,
            writes=tuple(_save_write(write, numbers) for write in state.writes),
            lore_timers=_save_timers(state.timers, book_names),
            earlier_lore_timers=_save_timers(state.timers_before, book_names),
        )
    )
    return encoded | ({"values": state.session_state} if state.session_state else {})


def _save_write(write: VariableWrite, numbers: Mapping[str, int]) -> VariableWrite:
    number = numbers.get(write.old_writer or "")
    return replace(write, old_writer=None if number is None else str(number))


def _save_timers(timers: Sequence[JsonObject], book_names: Mapping[str, str]) -> JsonObject:
    saved = write_chat_timers(timers, {}, book_names=book_names).get(TIMED_LORE)
    return saved if isinstance(saved, dict) else {}


def _save_present(present: PresentState, numbers: Mapping[str, int], left_out: int) -> JsonObject:
    writers: dict[EntryScope, dict[str, int]] = {scope: {} for scope in EntryScope}
    for (scope, key), entry in present.entries.items():
        if entry.writer is not None and entry.writer in numbers:
            writers[scope][key] = numbers[entry.writer]
    saved = SavedPresent(
        variable_writers=writers[EntryScope.BRANCH],
        value_writers=writers[EntryScope.STATE],
        states_left_out=left_out,
    )
    encoded: JsonObject = msgspec.to_builtins(saved)
    if present.namespaces:
        encoded["namespaces"] = [_save_namespace(each) for each in present.namespaces]
    if values := select_scope(present.entries, EntryScope.STATE):
        encoded["values"] = values
    return encoded


def _save_namespace(namespace: StateNamespace) -> JsonObject:
    encoded: JsonObject = msgspec.to_builtins(replace(namespace, created_at=None))
    return {name: value for name, value in encoded.items() if value is not None}


class LoadedState(Struct, frozen=True):
    """The states of a file as they are stored, and the fields that could not be read.

    `left_out` is the number of states that the export did not write.
    """

    namespaces: tuple[StateNamespace, ...]
    entries: VariableEntries
    states: tuple[TurnState, ...]
    unread: tuple[str, ...]
    left_out: int


def load_states(
    saved: Iterable[tuple[str, str, JsonValue]], metadata: JsonObject, variables: JsonObject
) -> LoadedState:
    """Read the states of a file for replies with new ids.

    `saved` has for each state the name of its place in the file, the reply and what is there.
    """
    states: dict[str, SavedState] = {}
    unread: list[str] = []
    for place, reply_id, value in saved:
        try:
            states[reply_id] = _check_state(msgspec.convert(value, SavedState))
        except (msgspec.ValidationError, InvalidInput):
            unread.append(place)
    writers = {str(state.number): reply_id for reply_id, state in states.items()}
    try:
        present = _check_present(msgspec.convert(metadata.get(STORY_STATE, {}), SavedPresent))
    except (msgspec.ValidationError, InvalidInput):
        present = SavedPresent()
        unread.append(f"chat_metadata.{STORY_STATE}")
    return LoadedState(
        namespaces=present.namespaces,
        entries=_load_entries(present, variables, writers),
        states=tuple(_load_state(id_, state, writers) for id_, state in states.items()),
        unread=tuple(unread),
        left_out=present.states_left_out,
    )


def _check_state(state: SavedState) -> SavedState:
    _check_value_keys(state.values)
    for write in state.writes:
        _check_write(write)
    for key, value in state.variables.items():
        require_key(key)
        require_value(value)
    timers = (state.lore_timers, state.earlier_lore_timers)
    if any(read_chat_timers({TIMED_LORE: each})[1] for each in timers):
        raise InvalidInput("a timer cannot be read")
    return state


def _check_write(write: VariableWrite) -> None:
    if write.scope is EntryScope.STATE:
        _check_value_keys({write.key: msgspec.convert(write.value, SavedEntry)})
        if not write.was_missing:
            msgspec.convert(write.old_value, SavedEntry)
        return
    require_key(write.key)
    require_value(write.value)
    require_value(write.old_value)


def _check_present(present: SavedPresent) -> SavedPresent:
    _check_value_keys(present.values)
    registered = {each.name for each in present.namespaces}
    for each in present.namespaces:
        _require_namespace(each.name)
        if any(len(owner or "") > SLOT_CHARS for owner in (each.owner_type, each.owner_id)):
            raise InvalidInput(f"an owner must have at most {SLOT_CHARS} characters")
    if any(key.partition("/")[0] not in registered for key in present.values):
        raise InvalidInput("a value is in a namespace that the file does not have")
    return present


def _check_value_keys(values: Mapping[str, SavedEntry]) -> None:
    for key in values:
        namespace, _, slot = key.partition("/")
        _require_namespace(namespace)
        if not 1 <= len(slot) <= SLOT_CHARS:
            raise InvalidInput(f"a slot must have 1 to {SLOT_CHARS} characters")


def _require_namespace(name: str) -> None:
    is_reserved = name.partition(".")[0] == RESERVED
    if is_reserved or len(name) > NAMESPACE_CHARS or not re.fullmatch(NAMESPACE_PATTERN, name):
        raise InvalidInput(f"{name!r} is not the name of a namespace that clients write")


def _load_state(reply_id: str, saved: SavedState, writers: Mapping[str, str]) -> TurnState:
    return TurnState(
        reply_id,
        saved.variables,
        writes=tuple(
            replace(write, old_writer=writers.get(write.old_writer or "")) for write in saved.writes
        ),
        timers=read_chat_timers({TIMED_LORE: saved.lore_timers})[0],
        timers_before=read_chat_timers({TIMED_LORE: saved.earlier_lore_timers})[0],
        session_state=_to_json(saved.values),
    )


def _load_entries(
    present: SavedPresent, variables: JsonObject, writers: Mapping[str, str]
) -> VariableEntries:
    entries: dict[VariableKey, VariableEntry] = {}
    for scope, values, numbers in (
        (EntryScope.BRANCH, variables, present.variable_writers),
        (EntryScope.STATE, _to_json(present.values), present.value_writers),
    ):
        for key, value in values.items():
            entry = VariableEntry(value)
            if key in numbers:
                entry = replace(entry, writer=writers.get(str(numbers[key])))
            entries[scope, key] = entry
    return entries


def _to_json(values: Mapping[str, SavedEntry]) -> JsonObject:
    return {key: {"present": each.present, "value": each.value} for key, each in values.items()}
