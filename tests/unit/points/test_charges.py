"""The charge of a run: its key, its metadata, who can pay it. seed 3, points_ledger."""

from decimal import Decimal
from uuid import UUID

import pytest
from msgspec.structs import replace
from tests.loose_json import JsonObject

from yarrow.ids import MessageId, SessionId
from yarrow.points import charges
from yarrow.points.errors import PointsShort
from yarrow.points.ledger_rules import require_metadata
from yarrow.points.model import Balance, ChangeType, Charge

SESSION = SessionId(UUID(int=7))


def test_key_of_a_charge_names_session_and_run() -> None:
    assert charges.make_charge_key(SESSION, "run_1") == f"chat.run.success:{SESSION}:run_1"


@pytest.mark.parametrize("frozen", [0, 80])
def test_price_is_covered_by_what_is_not_held(frozen: int) -> None:
    charges.require_affordable(Balance(100, frozen, 100, 0), 20)


def test_held_points_do_not_cover_a_price() -> None:
    with pytest.raises(PointsShort) as short:
        charges.require_affordable(Balance(100, 81, 100, 0), 20)

    assert (short.value.needed, short.value.available) == (20, 19)


@pytest.mark.parametrize(
    ("cost", "text"),
    [(Decimal(0), "0.000000"), (Decimal("1.5"), "1.500000"), (Decimal("1E-7"), "0.000000")],
)
def test_cost_has_six_places(cost: Decimal, text: str) -> None:
    charge = replace(_charge(), cost=cost)

    metadata: JsonObject = charges.make_charge_metadata(charge)
    assert metadata["charge"]["cost"] == text


def test_metadata_of_a_charge_obeys_its_own_rule_once_the_message_has_a_number() -> None:
    metadata: JsonObject = charges.make_charge_metadata(_charge())
    numbered = metadata | {"charge": metadata["charge"] | {"message_seq": 2}}

    require_metadata(ChangeType.CONSUME, numbered)


def _charge() -> Charge:
    return Charge("r", SESSION, MessageId(UUID(int=9)), "m", 1, 2, Decimal(0), 20, "q")
