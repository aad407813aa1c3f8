"""Values of points: balances, charges and ledger entries."""

from datetime import datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from uuid import UUID

from msgspec import Struct

from yarrow.ids import AccountId, MessageId, SessionId
from yarrow.kit.json import JsonObject


class ChangeType(StrEnum):
    """Why points moved."""

    REGISTER = "register"
    CONSUME = "consume"
    GRANT = "grant"
    ADJUST = "adjust"


class MovementDirection(IntEnum):
    """Into the account or out of it."""

    IN = 1
    OUT = -1


class OperatorType(StrEnum):
    """Who moved points."""

    USER = "user"
    SYSTEM = "system"
    ADMIN = "admin"


SCHEMA_VERSION = 1
"""Of the metadata of an entry."""
CHAT = "chat"
"""The only `biz_type`: every movement but a registration refers to a session."""


class Balance(Struct, frozen=True):
    """An account's points. `frozen_balance` is held for runs that have not ended."""

    balance: int
    frozen_balance: int
    lifetime_earned: int
    lifetime_spent: int

    @property
    def available(self) -> int:
        return self.balance - self.frozen_balance


class Charge(Struct, frozen=True):
    """The price of one successful run, and the usage it is explained with."""

    run_key: str
    session_id: SessionId
    message_id: MessageId
    model_code: str
    input_tokens: int
    output_tokens: int
    cost: Decimal
    amount: int
    request_id: str | None


class Movement(Struct, frozen=True):
    """A ledger entry to write; the balance after it is not known yet."""

    direction: MovementDirection
    amount: int
    change_type: ChangeType
    biz_type: str | None
    biz_id: SessionId | None
    event_id: str
    operator_id: AccountId | None
    metadata: JsonObject


class LedgerEntry(Struct, frozen=True):
    """A stored movement of points."""

    id: UUID
    user_id: AccountId
    direction: MovementDirection
    amount: int
    balance_after: int
    change_type: ChangeType
    biz_type: str | None
    biz_id: SessionId | None
    event_id: str
    operator_id: AccountId | None
    metadata: JsonObject
    created_at: datetime
    updated_at: datetime


class LedgerSlice(Struct, frozen=True):
    """Some entries, newest first; `next_before` is the cursor for older ones, if there are any."""

    entries: tuple[LedgerEntry, ...]
    next_before: UUID | None
