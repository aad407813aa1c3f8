"""Bodies of balance and ledger."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from yarrow.kit.json import JsonObject


class PointsOut(BaseModel):
    balance: int
    frozen_balance: int
    available: int
    lifetime_earned: int
    lifetime_spent: int


class LedgerEntryOut(BaseModel):
    """A row of `points_ledger`, with its column names."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    user_id: UUID
    direction: Literal[1, -1]
    amount: int
    balance_after: int
    change_type: Literal["register", "consume", "grant", "adjust"]
    biz_type: Literal["chat"] | None
    biz_id: UUID | None
    event_id: str
    operator_id: UUID | None
    metadata: JsonObject
    created_at: datetime
    updated_at: datetime


class LedgerOut(BaseModel):
    """Newest first. `next` is present if there are more: send it as `before`."""

    entries: list[LedgerEntryOut]
    next: UUID | None = None
