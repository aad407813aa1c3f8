"""From points to response bodies."""

from yarrow.points.model import Balance, LedgerSlice
from yarrow.protocols.account.points.wire import LedgerEntryOut, LedgerOut, PointsOut


def encode_balance(balance: Balance) -> PointsOut:
    return PointsOut(
        balance=balance.balance,
        frozen_balance=balance.frozen_balance,
        available=balance.available,
        lifetime_earned=balance.lifetime_earned,
        lifetime_spent=balance.lifetime_spent,
    )


def encode_ledger(found: LedgerSlice) -> LedgerOut:
    """`next` stays unset on the last page, and is left out of the response then."""
    entries = [LedgerEntryOut.model_validate(entry) for entry in found.entries]
    if found.next_before is None:
        return LedgerOut(entries=entries)
    return LedgerOut(entries=entries, next=found.next_before)
