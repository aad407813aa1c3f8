"""Each rule of the ledger as a pure decision. seed 3, points_ledger."""

from typing import Any
from uuid import UUID

import pytest
from tests.loose_json import JsonValue

from yarrow.errors import InvalidInput
from yarrow.ids import SessionId
from yarrow.points import ledger_rules
from yarrow.points.errors import PointsHeld
from yarrow.points.model import Balance, ChangeType, MovementDirection

SESSION = SessionId(UUID(int=7))
CHARGE: dict[str, Any] = {
    "message_id": str(UUID(int=9)),
    "message_seq": 1,
    "model_code": "m",
    "input_tokens": 0,
    "output_tokens": 0,
    "cost": "0.000000",
}
COMMON: dict[str, Any] = {"schema_version": 1, "operator_type": "user", "run_id": "r"}


def test_operator_cannot_take_held_points() -> None:
    with pytest.raises(PointsHeld, match="60 are free, 40 are held"):
        ledger_rules.require_removable(Balance(100, 40, 100, 0), 61)


ALLOWED = {
    ChangeType.REGISTER: {MovementDirection.IN},
    ChangeType.GRANT: {MovementDirection.IN},
    ChangeType.CONSUME: {MovementDirection.OUT},
    ChangeType.ADJUST: {MovementDirection.IN, MovementDirection.OUT},
}


@pytest.mark.parametrize("direction", MovementDirection)
@pytest.mark.parametrize("change_type", ChangeType)
def test_direction_follows_the_type(change_type: ChangeType, direction: MovementDirection) -> None:
    if direction in ALLOWED[change_type]:
        ledger_rules.require_direction(change_type, direction)
    else:
        with pytest.raises(InvalidInput):
            ledger_rules.require_direction(change_type, direction)


@pytest.mark.parametrize("change_type", ChangeType)
def test_only_a_registration_has_no_session(change_type: ChangeType) -> None:
    unbound, bound = (None, None), ("chat", SESSION)
    is_registration = change_type is ChangeType.REGISTER
    allowed, refused = (unbound, bound) if is_registration else (bound, unbound)

    ledger_rules.require_binding(change_type, *allowed)

    with pytest.raises(InvalidInput, match="bound to a"):
        ledger_rules.require_binding(change_type, *refused)


@pytest.mark.parametrize(
    ("change_type", "biz_type", "biz_id"),
    [
        (ChangeType.REGISTER, "chat", None),
        (ChangeType.REGISTER, None, SESSION),
        (ChangeType.CONSUME, None, SESSION),
        (ChangeType.GRANT, "chat", None),
        (ChangeType.ADJUST, "shop", SESSION),
    ],
)
def test_wrong_binding_is_refused(
    change_type: ChangeType, biz_type: str | None, biz_id: SessionId | None
) -> None:
    with pytest.raises(InvalidInput):
        ledger_rules.require_binding(change_type, biz_type, biz_id)


@pytest.mark.parametrize("amount", [0, -1])
def test_amount_must_be_positive(amount: int) -> None:
    with pytest.raises(InvalidInput, match="amount"):
        ledger_rules.require_amount(amount)


def test_event_id_must_not_be_empty() -> None:
    with pytest.raises(InvalidInput, match="event_id"):
        ledger_rules.require_event_id(" ")


@pytest.mark.parametrize(
    ("change_type", "metadata"),
    [
        (ChangeType.REGISTER, COMMON),
        (ChangeType.GRANT, {**COMMON, "ext": {}}),
        (ChangeType.CONSUME, {**COMMON, "charge": CHARGE}),
        (ChangeType.ADJUST, {**COMMON, "ext": {"ticket_id": "T-1"}}),
    ],
)
def test_right_metadata_passes(change_type: ChangeType, metadata: Any) -> None:
    ledger_rules.require_metadata(change_type, metadata)


@pytest.mark.parametrize(
    ("change_type", "metadata", "field"),
    [
        (ChangeType.GRANT, [], "metadata"),
        (ChangeType.GRANT, {**COMMON, "schema_version": 2}, "metadata.schema_version"),
        (ChangeType.GRANT, {**COMMON, "schema_version": True}, "metadata.schema_version"),
        (ChangeType.GRANT, {**COMMON, "operator_type": "robot"}, "metadata.operator_type"),
        (ChangeType.GRANT, {**COMMON, "run_id": " "}, "metadata.run_id"),
        (ChangeType.GRANT, {**COMMON, "ext": None}, "metadata.ext"),
        (ChangeType.REGISTER, {**COMMON, "charge": CHARGE}, "metadata.charge"),
        (ChangeType.CONSUME, COMMON, "metadata.charge"),
        (ChangeType.ADJUST, COMMON, "metadata.ext.ticket_id"),
        (ChangeType.ADJUST, {**COMMON, "ext": {"ticket_id": " "}}, "metadata.ext.ticket_id"),
    ],
)
def test_wrong_metadata_is_refused(change_type: ChangeType, metadata: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        ledger_rules.require_metadata(change_type, metadata)

    assert refused.value.field == field


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("message_id", "x" * 36),
        ("message_seq", 0),
        ("model_code", None),
        ("input_tokens", -1),
        ("output_tokens", True),
        ("cost", 0.5),
        ("cost", "-1"),
        ("cost", "1e3"),
    ],
)
def test_wrong_charge_is_refused(key: str, value: JsonValue) -> None:
    with pytest.raises(InvalidInput) as refused:
        ledger_rules.require_metadata(
            ChangeType.CONSUME, {**COMMON, "charge": {**CHARGE, key: value}}
        )

    assert refused.value.field == f"metadata.charge.{key}"
