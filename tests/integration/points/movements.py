"""The parts of the engine's statements that move points, each in a statement of its own."""

from yarrow.db import Tx
from yarrow.db.pool import NamedSql
from yarrow.ids import AccountId
from yarrow.points import charges, store
from yarrow.points.model import Charge

MESSAGE_SEQ = 2

_HOLD = NamedSql(f"WITH turn AS (SELECT 1), {store.HOLD_POINTS} SELECT price FROM held")
_CHARGE = NamedSql(
    f"WITH stored AS (SELECT :answer_id::uuid AS id, {MESSAGE_SEQ} AS seq), {store.CHARGE_POINTS} "
    "SELECT count(*) FROM charged"
)


async def hold(tx: Tx, account_id: AccountId, price: int) -> None:
    """Hold points as `start_run` does."""
    arguments = _HOLD.arguments(account_id=account_id, price=price)
    while await tx.fetchval(_HOLD.text, *arguments) is None:
        charges.require_affordable(await store.read_balance(tx, account_id), price)


async def consume(tx: Tx, account_id: AccountId, charge: Charge) -> bool:
    """Charge as `complete_run` does; False if nothing was charged."""
    arguments = _CHARGE.arguments(
        account_id=account_id, session_id=charge.session_id, **store.build_charge_arguments(charge)
    )
    return bool(await tx.fetchval(_CHARGE.text, *arguments))
