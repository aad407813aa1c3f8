"""What an entry of the ledger must be, without I/O. The database has each rule as a constraint."""

from typing import TypeGuard, assert_never
from uuid import UUID

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.points.errors import PointsHeld, TicketUsed
from yarrow.points.model import (
    CHAT,
    SCHEMA_VERSION,
    Balance,
    ChangeType,
    LedgerEntry,
    Movement,
    MovementDirection,
    OperatorType,
)

TICKET_MAX_CHARS = 128

_DIRECTIONS = {
    ChangeType.REGISTER: frozenset({MovementDirection.IN}),
    ChangeType.GRANT: frozenset({MovementDirection.IN}),
    ChangeType.CONSUME: frozenset({MovementDirection.OUT}),
    ChangeType.ADJUST: frozenset({MovementDirection.IN, MovementDirection.OUT}),
}


def make_ticket_key(change_type: ChangeType, ticket_id: str) -> str:
    """Make the unique `event_id` of a ticket: repeating a command moves points once."""
    return f"points.{change_type}:{ticket_id}"


def require_removable(balance: Balance, amount: int) -> None:
    """Raise if an operator takes points that are held: the run could not be charged."""
    if balance.available < amount:
        raise PointsHeld(amount=amount, available=balance.available, held=balance.frozen_balance)


def require_same(earlier: LedgerEntry, movement: Movement) -> None:
    """Raise if a repeated ticket asks for another movement than its first entry."""
    if (earlier.direction, earlier.amount) != (movement.direction, movement.amount):
        raise TicketUsed(points=int(earlier.direction) * earlier.amount)


def require_movement(movement: Movement) -> None:
    """Check every rule that does not depend on the balance."""
    require_amount(movement.amount)
    require_direction(movement.change_type, movement.direction)
    require_binding(movement.change_type, movement.biz_type, movement.biz_id)
    require_event_id(movement.event_id)
    require_metadata(movement.change_type, movement.metadata)


def require_amount(amount: int) -> None:
    if amount <= 0:
        raise InvalidInput("amount must be greater than 0", field="amount")


def require_direction(change_type: ChangeType, direction: MovementDirection) -> None:
    if direction not in _DIRECTIONS[change_type]:
        raise InvalidInput(
            f"direction {int(direction)} is not allowed for {change_type}", field="direction"
        )


def require_binding(
    change_type: ChangeType, biz_type: str | None, biz_id: SessionId | None
) -> None:
    """Raise unless the movement refers to a session; a registration must not."""
    if change_type is ChangeType.REGISTER:
        if biz_type is not None or biz_id is not None:
            raise InvalidInput("register must not be bound to a session", field="biz_id")
    elif biz_type != CHAT or biz_id is None:
        raise InvalidInput(f"{change_type} must be bound to a chat session", field="biz_id")


def require_event_id(event_id: str) -> None:
    if not event_id.strip():
        raise InvalidInput("event_id must not be empty", field="event_id")


def require_metadata(change_type: ChangeType, metadata: JsonValue) -> None:
    if not isinstance(metadata, dict):
        raise InvalidInput("metadata must be an object", field="metadata")
    ext = _require_common(metadata)
    match change_type:
        case ChangeType.REGISTER:
            if "charge" in metadata:
                raise _make_metadata_error("register must not have a charge", "charge")
        case ChangeType.CONSUME:
            _require_charge(metadata.get("charge"))
        case ChangeType.ADJUST:
            require_ticket(ext.get("ticket_id"))
        case ChangeType.GRANT:
            pass
        case _:
            assert_never(change_type)


def _require_common(metadata: JsonObject) -> JsonObject:
    """Check what every entry has; returns `ext`."""
    version = metadata.get("schema_version")
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise _make_metadata_error(f"schema_version must be {SCHEMA_VERSION}", "schema_version")
    if metadata.get("operator_type") not in set(OperatorType):
        raise _make_metadata_error("operator_type must be user, system or admin", "operator_type")
    if not _is_text(metadata.get("run_id")):
        raise _make_metadata_error("run_id must not be empty", "run_id")
    ext = metadata.get("ext", {})
    if not isinstance(ext, dict):
        raise _make_metadata_error("ext must be an object", "ext")
    return ext


def _require_charge(charge: JsonValue) -> None:
    if not isinstance(charge, dict):
        raise _make_metadata_error("consume needs a charge", "charge")
    if not _is_uuid(charge.get("message_id")):
        raise _make_metadata_error("charge.message_id must be a UUID", "charge.message_id")
    if not _is_count(charge.get("message_seq"), least=1):
        raise _make_metadata_error("charge.message_seq must be positive", "charge.message_seq")
    if not isinstance(charge.get("model_code"), str):
        raise _make_metadata_error("charge.model_code must be text", "charge.model_code")
    for name in ("input_tokens", "output_tokens"):
        if not _is_count(charge.get(name), least=0):
            raise _make_metadata_error(f"charge.{name} must not be negative", f"charge.{name}")
    if not _is_cost(charge.get("cost")):
        raise _make_metadata_error("charge.cost must be a decimal as text", "charge.cost")


def require_ticket(ticket_id: JsonValue) -> None:
    """Raise unless an operator names the ticket that explains the movement."""
    if not _is_text(ticket_id):
        raise _make_metadata_error("ext.ticket_id must not be empty", "ext.ticket_id")
    if len(ticket_id) > TICKET_MAX_CHARS:
        raise _make_metadata_error(
            f"ext.ticket_id must have at most {TICKET_MAX_CHARS} characters", "ext.ticket_id"
        )


def make_operator_movement(
    change_type: ChangeType,
    *,
    delta: int,
    ticket_id: str,
    session_id: SessionId,
    operator_id: AccountId | None,
) -> Movement:
    """Make an operator's movement. It has no run, so its own key is its `run_id`."""
    key = make_ticket_key(change_type, ticket_id)
    return Movement(
        direction=MovementDirection.IN if delta > 0 else MovementDirection.OUT,
        amount=abs(delta),
        change_type=change_type,
        biz_type=CHAT,
        biz_id=session_id,
        event_id=key,
        operator_id=operator_id,
        metadata={
            "schema_version": SCHEMA_VERSION,
            "operator_type": OperatorType.ADMIN.value,
            "run_id": key,
            "request_id": None,
            "ext": {"ticket_id": ticket_id},
        },
    )


def _make_metadata_error(rule: str, field: str) -> InvalidInput:
    return InvalidInput(rule, field=f"metadata.{field}")


def _is_text(value: JsonValue) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _is_count(value: JsonValue, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_uuid(value: JsonValue) -> bool:
    if not isinstance(value, str) or len(value) != len(str(UUID(int=0))):
        return False
    try:
        UUID(value)
    except ValueError:
        return False
    return True


def _is_cost(value: JsonValue) -> bool:
    whole, _, part = value.partition(".") if isinstance(value, str) else ("", "", "")
    digits = whole + part
    return bool(whole) and digits.isascii() and digits.isdigit()
