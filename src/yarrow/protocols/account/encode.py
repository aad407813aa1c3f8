"""From accounts, points and profiles to response bodies."""

from yarrow.accounts.model import AccountProfile, IssuedToken
from yarrow.points.model import Balance, LedgerSlice
from yarrow.protocols.account.wire import (
    LedgerEntryOut,
    LedgerOut,
    PointsOut,
    ProfileOut,
    TokenOut,
    UserOut,
)


def encode_token(issued: IssuedToken) -> TokenOut:
    user = UserOut(id=issued.account.id, email=issued.account.email)
    return TokenOut(access_token=issued.access_token, token_type="bearer", user=user)  # noqa: S106


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


def encode_profile(profile: AccountProfile) -> ProfileOut:
    return ProfileOut.model_validate(profile)
