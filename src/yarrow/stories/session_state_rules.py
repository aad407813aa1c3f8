"""Session state: values that clients keep beside a story. Decisions without I/O.

A value is an entry `{"present": …, "value": …}` under the key `namespace/slot`. A turn stages its
writes like those of macros, so they are undone, redone and copied with the turn's variables.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid5

from msgspec import Struct

from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.product_events.story_tools import StagedWrite
from yarrow.stories.errors import (
    AccountBytesExceeded,
    AccountItemsExceeded,
    NamespaceBytesExceeded,
    NamespaceItemsExceeded,
    NamespaceNotRegistered,
    StateLimitExceeded,
    StatePayloadTooLarge,
    StateWriteForbidden,
)
from yarrow.stories.turn_state import EntryScope, TurnState, VariableWrite

RESERVED = "game_state"
"""Neither this namespace nor one below it is registered or written by clients."""
NAMESPACE_PATTERN = r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$"
NAMESPACE_CHARS = 128
SLOT_CHARS = 256
MIB = 1024 * 1024


class ReplaySafety(StrEnum):
    """Whether a write may happen again when its turn is replaced."""

    SAFE = "safe"
    CONFIRM = "confirm_on_replay"
    NEVER = "never_auto_replay"
    UNCERTAIN = "uncertain"


class StateWrite(Struct, frozen=True):
    """A write of session state; a deleted slot stays listed as not present."""

    namespace: str
    slot: str
    entry: JsonObject

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.slot}"


DELETED: JsonObject = {"present": False, "value": None}


def make_state_entry(value: JsonValue) -> JsonObject:
    """The entry of a value; null is a value."""
    return {"present": True, "value": value}


class StateNamespace(Struct, frozen=True):
    """A namespace of a session; the built-in one has no time of registration."""

    name: str
    owner_type: str | None = None
    owner_id: str | None = None
    replay_safety: ReplaySafety = ReplaySafety.SAFE
    created_at: datetime | None = None


BUILTIN = StateNamespace(RESERVED, replay_safety=ReplaySafety.SAFE)


class StateValue(Struct, frozen=True):
    """The value of a slot; `writer` is the reply whose turn wrote it, if one did."""

    namespace: str
    slot: str
    present: bool
    value: JsonValue
    writer: str | None = None
    updated_at: datetime | None = None


class StateMutation(Struct, frozen=True):
    """A write of a committed turn. Its id is made of the reply and the slot."""

    id: str
    namespace: str
    slot: str
    old: StateValue | None
    new: StateValue
    replay_safety: ReplaySafety


class StateChange(Struct, frozen=True):
    """A slot that two snapshots differ in."""

    left: StateValue | None
    right: StateValue | None

    @property
    def slot(self) -> StateValue:
        value = self.right or self.left
        assert value is not None
        return value


class StateLimits(Struct, frozen=True):
    """How much state there may be."""

    item_bytes: int = MIB
    namespace_items: int = 10_000
    namespace_bytes: int = 10 * MIB
    account_namespaces: int = 64
    account_items: int = 100_000
    account_bytes: int = 100 * MIB


LIMITS = StateLimits()


class StateUsage(Struct, frozen=True):
    """What an account has stored: by slot in the branch, and in all its sessions."""

    branch_bytes: Mapping[str, int]
    account_items: int
    account_bytes: int


def require_client_namespace(name: str) -> None:
    """Raise for namespaces that clients may not use."""
    if name.partition(".")[0] == RESERVED:
        raise StateWriteForbidden(name)


def require_registered(writes: Sequence[StateWrite], registered: Iterable[str]) -> None:
    """Raise unless every write goes to a namespace that a client registered."""
    names = set(registered)
    for write in writes:
        require_client_namespace(write.namespace)
        if write.namespace not in names:
            raise NamespaceNotRegistered(write.namespace)


def require_room(writes: Sequence[StateWrite], usage: StateUsage) -> None:
    """Raise the error of the first limit that the writes exceed."""
    sizes = {write.key: count_entry_bytes(write.entry) for write in writes}
    for key, size in sizes.items():
        if size > LIMITS.item_bytes:
            raise StatePayloadTooLarge(key, limit=LIMITS.item_bytes)
    after = {**usage.branch_bytes, **sizes}
    for namespace in {write.namespace for write in writes}:
        own = [size for key, size in after.items() if key.startswith(f"{namespace}/")]
        _require_at_most(NamespaceItemsExceeded, len(own), LIMITS.namespace_items)
        _require_at_most(NamespaceBytesExceeded, sum(own), LIMITS.namespace_bytes)
    added = len(after) - len(usage.branch_bytes)
    grown = sum(after.values()) - sum(usage.branch_bytes.values())
    _require_at_most(AccountItemsExceeded, usage.account_items + added, LIMITS.account_items)
    _require_at_most(AccountBytesExceeded, usage.account_bytes + grown, LIMITS.account_bytes)


def _require_at_most(error: type[StateLimitExceeded], count: int, limit: int) -> None:
    if count > limit:
        raise error(limit=limit)


def count_entry_bytes(entry: JsonValue) -> int:
    return len(encode_json(entry))


def stage_writes(writes: Iterable[StateWrite]) -> tuple[StagedWrite, ...]:
    """The writes as a turn stages them."""
    return tuple(StagedWrite(EntryScope.STATE, each.key, each.entry) for each in writes)


def list_values(snapshot: JsonObject) -> tuple[StateValue, ...]:
    """The values of a snapshot, by namespace and slot."""
    return tuple(_to_value(key, entry) for key, entry in sorted(snapshot.items()))


def compare_values(
    left: Iterable[StateValue], right: Iterable[StateValue]
) -> tuple[StateChange, ...]:
    """The slots that differ."""
    old = {(each.namespace, each.slot): each for each in left}
    new = {(each.namespace, each.slot): each for each in right}
    pairs = [(old.get(key), new.get(key)) for key in sorted(old.keys() | new.keys())]
    return tuple(
        StateChange(*pair) for pair in pairs if _encode_content(pair[0]) != _encode_content(pair[1])
    )


def list_mutations(
    state: TurnState, safeties: Mapping[str, ReplaySafety]
) -> tuple[StateMutation, ...]:
    """The state writes of a turn; a namespace that is not known any more is uncertain."""
    return tuple(
        _to_mutation(UUID(state.reply_id), write, safeties)
        for write in state.writes
        if write.scope is EntryScope.STATE
    )


def _to_mutation(
    reply_id: UUID, write: VariableWrite, safeties: Mapping[str, ReplaySafety]
) -> StateMutation:
    new = _to_value(write.key, write.value)
    return StateMutation(
        id=str(uuid5(reply_id, write.key)),
        namespace=new.namespace,
        slot=new.slot,
        old=None if write.was_missing else _to_value(write.key, write.old_value),
        new=new,
        replay_safety=safeties.get(new.namespace, ReplaySafety.UNCERTAIN),
    )


def _to_value(key: str, entry: JsonValue) -> StateValue:
    namespace, _, slot = key.partition("/")
    fields = entry if isinstance(entry, dict) else {}
    return StateValue(namespace, slot, fields.get("present") is True, fields.get("value"))


def _encode_content(value: StateValue | None) -> tuple[bool, bytes] | None:
    return None if value is None else (value.present, encode_json(value.value))
