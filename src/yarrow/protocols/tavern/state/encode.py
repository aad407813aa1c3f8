"""From session state to responses."""

from yarrow.ids import TurnId
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.envelope import to_milliseconds
from yarrow.stories.session_state_rules import (
    RESERVED,
    ReplaySafety,
    StateChange,
    StateMutation,
    StateNamespace,
    StateValue,
)

_REASONS = {
    ReplaySafety.SAFE: "safe_to_replay",
    ReplaySafety.CONFIRM: "confirmation_required",
    ReplaySafety.NEVER: "never_auto_replay",
    ReplaySafety.UNCERTAIN: "uncertain",
}


def encode_namespace(namespace: StateNamespace) -> JsonObject:
    created_at = namespace.created_at
    return {
        "namespace": namespace.name,
        "kind": "builtin" if namespace.name == RESERVED else "custom",
        "logical_owner_type": namespace.owner_type,
        "logical_owner_id": namespace.owner_id,
        "visibility": "fork_on_branch",
        "replay_safety": namespace.replay_safety.value,
        "client_writable": namespace.name != RESERVED,
        "created_at": None if created_at is None else to_milliseconds(created_at),
    }


def encode_value(value: StateValue) -> JsonObject:
    encoded: JsonObject = {
        "namespace": value.namespace,
        "slot": value.slot,
        "present": value.present,
        "value": value.value,
    }
    return encoded


def encode_live_value(value: StateValue) -> JsonObject:
    """A present value, with what wrote it."""
    updated_at = value.updated_at
    return encode_value(value) | {
        "source": "direct" if value.writer is None else "turn",
        "source_message_id": value.writer,
        "updated_at": None if updated_at is None else to_milliseconds(updated_at),
    }


def encode_change(change: StateChange) -> JsonObject:
    left, right = change.left, change.right
    kind = "added" if left is None else "removed" if right is None else "changed"
    return {
        "namespace": change.slot.namespace,
        "slot": change.slot.slot,
        "change_type": kind,
        "left": None if left is None else encode_value(left),
        "right": None if right is None else encode_value(right),
    }


def encode_blocking_mutation(mutation: StateMutation) -> JsonObject:
    """A state write as the replay guard names it."""
    return {
        "mutation_id": mutation.id,
        "state_namespace": mutation.namespace,
        "target_slot": mutation.slot,
        "status": "applied",
        "replay_safety": mutation.replay_safety.value,
        "reason": _REASONS[mutation.replay_safety],
    }


def encode_mutation(turn_id: TurnId, mutation: StateMutation) -> JsonObject:
    return encode_blocking_mutation(mutation) | {
        "floor_id": str(turn_id),
        "old": None if mutation.old is None else encode_value(mutation.old),
        "new": encode_value(mutation.new),
    }
