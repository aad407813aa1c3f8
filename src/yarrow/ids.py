"""Ids: a type for each noun, so that a run id cannot be passed as a session id."""

import os
import time
from datetime import datetime
from typing import NewType
from uuid import UUID

AccountId = NewType("AccountId", UUID)
SessionId = NewType("SessionId", UUID)
BranchId = NewType("BranchId", UUID)
TurnId = NewType("TurnId", UUID)
MessageId = NewType("MessageId", UUID)
RunId = NewType("RunId", UUID)
WorkerId = NewType("WorkerId", UUID)
AttachmentId = NewType("AttachmentId", UUID)
AssetId = NewType("AssetId", UUID)
VersionId = NewType("VersionId", UUID)
TableId = NewType("TableId", UUID)
MemoryId = NewType("MemoryId", UUID)


def new_uuid() -> UUID:
    """A version 7 UUID: ordered by time, so that new rows go to the end of an index."""
    value = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)


def first_uuid(moment: datetime) -> UUID:
    """The lowest version 7 UUID of a moment."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)
