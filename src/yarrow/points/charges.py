"""The charge of a run: whether the account can pay it, its unique key and its ledger metadata."""

from yarrow.ids import SessionId
from yarrow.kit.json import JsonObject
from yarrow.points.errors import PointsShort
from yarrow.points.model import SCHEMA_VERSION, Balance, Charge, OperatorType


def require_affordable(balance: Balance, price: int) -> None:
    if balance.available < price:
        raise PointsShort(needed=price, available=balance.available)


def make_charge_key(session_id: SessionId, run_key: str) -> str:
    """Make the unique `event_id` of a run's charge: a run is charged at most once."""
    return f"chat.run.success:{session_id}:{run_key}"


def make_charge_metadata(charge: Charge) -> JsonObject:
    """Make the metadata of a charge's ledger entry; its statement adds `message_seq`.

    The operator is the system: the worker writes the entry when the run has succeeded.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "operator_type": OperatorType.SYSTEM.value,
        "run_id": charge.run_key,
        "request_id": charge.request_id,
        "charge": {
            "message_id": str(charge.message_id),
            "model_code": charge.model_code,
            "input_tokens": charge.input_tokens,
            "output_tokens": charge.output_tokens,
            "cost": f"{charge.cost:.6f}",
        },
        "ext": {},
    }
