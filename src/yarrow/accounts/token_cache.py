"""Tokens that were verified a moment ago: a signature costs more than the rest of a request."""

from collections import OrderedDict
from datetime import datetime
from hashlib import sha256

from yarrow.ids import AccountId

CAPACITY = 10_000


class TokenCache:
    """The least recently used entries make room. Keeps digests, never the tokens."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[bytes, tuple[AccountId, datetime]] = OrderedDict()

    def get(self, token: str, now: datetime) -> AccountId | None:
        key = _digest(token)
        entry = self._entries.get(key)
        if entry is None:
            return None
        account_id, until = entry
        if until <= now:
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return account_id

    def put(self, token: str, account_id: AccountId, until: datetime) -> None:
        self._entries[_digest(token)] = (account_id, until)
        if len(self._entries) > self._capacity:
            self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()
