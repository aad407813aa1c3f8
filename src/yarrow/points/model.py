"""Values of the points account: what is there, what moved, and what a run costs."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from uuid import UUID

from yarrow.ids import AccountId, MessageId, SessionId
from yarrow.kit.json import JsonObject


class ChangeType(StrEnum):
    """Why points moved."""

    REGISTER = "register"
    CONSUME = "consume"
    GRANT = "grant"
    ADJUST = "adjust"


class Direction(IntEnum):
    """Which way they moved, seen from the account."""

    IN = 1
    OUT = -1


class OperatorType(StrEnum):
    """Who moved them."""

    USER = "user"
    SYSTEM = "system"
    ADMIN = "admin"


CHAT = "chat"
"""The only `biz_type` there is: points move because of a session."""


@dataclass(frozen=True, slots=True)
class Balance:
    """An account's points. `frozen_balance` is held for runs that are still going."""

    balance: int
    frozen_balance: int
    lifetime_earned: int
    lifetime_spent: int

    @property
    def available(self) -> int:
        return self.balance - self.frozen_balance


@dataclass(frozen=True, slots=True)
class Charge:
    """The price of one successful run, with the figures that explain it."""

    run_key: str
    session_id: SessionId
    message_id: MessageId
    message_seq: int
    model_code: str
    input_tokens: int
    output_tokens: int
    cost: Decimal
    amount: int
    request_id: str | None


@dataclass(frozen=True, slots=True)
class Movement:
    """A ledger entry that is about to be written; the balance after it is not known yet."""

    direction: Direction
    amount: int
    change_type: ChangeType
    biz_type: str | None
    biz_id: SessionId | None
    event_id: str
    operator_id: AccountId | None
    metadata: JsonObject


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One movement of points, as stored."""

    id: UUID
    user_id: AccountId
    direction: Direction
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


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """Entries, newest first. `next` is the cursor of the page after this one."""

    entries: tuple[LedgerEntry, ...]
    next: UUID | None
